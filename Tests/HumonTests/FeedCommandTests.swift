import Testing

@Suite struct FeedCommandTests {
    @Test func `shows the log and gives it another identity`() throws {
        let program = try Program()
        _ = try program.run("migrate")
        try program.write(
            "name,lat,lon,started_at\na,1,2,2030-01-01\nb,1,2,2030-01-01\n",
            to: "a.csv"
        )
        #expect(try program.run("import a.csv --owner 7").status == 0)
        let key = ["WEBHOOK_KEY": String(repeating: "0f", count: 32)]
        #expect(try program.run("webhook add https://a.example", settings: key).status == 0)
        func rows() throws -> [String: String] {
            let lines = try program.run("feed").output.split(separator: "\n")
            return Dictionary(
                uniqueKeysWithValues: lines.map { line in
                    let words = line.split(separator: "  ", maxSplits: 1)
                    return (String(words[0]), words[1].trimmingPrefix { $0 == " " }.description)
                }
            )
        }
        var before = try rows()
        let identity = before.removeValue(forKey: "identity") ?? ""
        #expect(identity.wholeMatch(of: /[0-9a-f]{8}/) != nil)
        #expect(
            before == [
                "first change": "1", "latest change": "2", "changes": "2", "size": "4.1 kB",
                "webhook 1 behind": "0",
            ]
        )

        let renewed = try program.run("feed renew")

        var after = try rows()
        let other = after.removeValue(forKey: "identity") ?? ""
        #expect(renewed.output == "The identity of the log is now \(other).\n")
        #expect(other.wholeMatch(of: /[0-9a-f]{8}/) != nil && other != identity)
        #expect(after == before)
        let audit = try program.run("audit").output.split(separator: "\n")
        #expect(audit.count == 3 && audit[1].contains("renew") && audit[1].contains("log"))
    }
}
