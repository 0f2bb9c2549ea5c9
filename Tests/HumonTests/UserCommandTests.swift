import Testing

@Suite struct UserCommandTests {
    private let program: Program

    init() throws {
        program = try Program()
        let events = (1...2).map {
            #"{"name":"a","lat":1,"lon":2,"started_at":"2030-01-01","owner":\#($0)}"#
        }
        try program.write(events.joined(separator: "\n"), to: "in.jsonl")
        _ = try program.run("import in.jsonl")
    }

    @Test func `lists which user a merge has kept`() throws {
        #expect(try program.run("user merge 1 2").output == "User 1 is now part of user 2.\n")

        let lines = try program.run("user list").output.split(separator: "\n").map { line in
            line.split(separator: " ").dropFirst(2).joined(separator: " ")
        }
        #expect(lines.first == "BANNED DELETED")
        #expect(lines.dropFirst().first == "- -")
        #expect(lines.last?.hasSuffix("Z, merged into 2") == true)
    }

    @Test func `doesn't merge a user into itself`() throws {
        #expect(
            try program.run("user merge 1 1")
                == .init(
                    status: 64,
                    error: "humon: FROM and INTO are both 1. Name two different users.\n"
                )
        )
    }
}
