import Testing

@Suite struct WordsTests {
    @Test func `begins summaries with a noun or a verb`() {
        #expect(SourceTree.sources.findings { Self.riddles(in: $0.lines) } == [])
    }

    @Test func `explains the architecture in at most 300 lines`() throws {
        let lines = try SourceTree.text(of: "docs/ARCHITECTURE.md").split(
            separator: "\n",
            omittingEmptySubsequences: false
        )

        // The last line is empty.
        #expect(lines.count <= 301)
    }

    @Test(
        arguments: [
            ("/// What it sets.", ["1: What it sets."]),
            ("/// The page.\n/// What it is.\n    /// The same.", []),
            ("let a = 1\n    /// The same for b.\n", ["2: The same for b."]),
            ("/// Whatever it is.\n/// What", []), ("// What it is.", []),
        ]
    )
    func `finds summaries that begin otherwise`(text: String, findings: [String]) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)

        #expect(Self.riddles(in: lines) == findings)
    }

    /// The first lines of doc comments that begin with "What" or "The same".
    private static func riddles(in lines: [Substring]) -> [String] {
        var wasComment = false
        return lines.enumerated().compactMap { index, line in
            let text = line.drop { $0 == " " }
            let isComment = text.hasPrefix("///")
            defer { wasComment = isComment }
            guard isComment, !wasComment else { return nil }
            let summary = text.dropFirst(4)
            let isRiddle = ["What ", "The same "].contains { summary.hasPrefix($0) }
            return isRiddle ? "\(index + 1): \(summary)" : nil
        }
    }
}
