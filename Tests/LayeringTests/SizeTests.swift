import Testing

@Suite struct SizeTests {
    @Test func `has files of at most 400 lines`() {
        let long = SourceTree.all.findings { file in
            // The last line is empty.
            file.lines.count > 401 ? ["\(file.lines.count - 1) lines"] : []
        }

        #expect(long == [])
    }

    @Test func `has at most 100 columns`() {
        let long = SourceTree.all.findings { file in
            file.lines.enumerated()
                .filter { $0.element.utf8.count > 100 && $0.element.count > 100 }
                .map { "line \($0.offset + 1)" }
        }

        #expect(long == [])
    }

    @Test func `has functions of at most 70 lines`() {
        let long = SourceTree.sources.findings { file in
            file.lexed.functionLengths.filter { $0.count > 70 }
                .map { "line \($0.line): \($0.count) lines" }
        }

        #expect(long == [])
    }
}
