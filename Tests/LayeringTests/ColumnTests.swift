import Testing

/// The columns of a noun are listed where it is declared, and nowhere else.
@Suite struct ColumnTests {
    @Test(arguments: SourceTree.sources.filter { !isExempt($0.path) })
    func `lists no columns of events`(file: SourceFile) {
        #expect(Self.lists(in: file.text) == [])
    }

    @Test func `finds lists of columns`() {
        let text = """
            let a = "SELECT id, latitude, started_at FROM events"
            let b = "started_at and latitudes"
            // latitude, started_at
            """

        #expect(Self.lists(in: text) == ["SELECT id, latitude, started_at FROM events"])
    }

    /// The strings that name two columns of events that no other table has together.
    private static func lists(in text: String) -> [String] {
        LexedSource(text).strings.filter { string in
            let words = Set(string.split { !$0.isLetter && $0 != "_" })
            return words.contains("latitude") && words.contains("started_at")
        }
    }

    /// The statements of PostgreSQL that read events together with the log.
    private static func isExempt(_ path: String) -> Bool {
        ["/LogStatements", "/LogTriggerStatements"].contains { path.contains($0) }
    }
}
