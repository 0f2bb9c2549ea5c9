import Testing

@Suite struct SizeTests {
    @Test(arguments: SourceTree.all)
    func `has at most 400 lines`(file: SourceFile) {
        #expect(file.lines.count <= 401, "the last of them empty")
    }

    @Test(arguments: SourceTree.all)
    func `has at most 100 columns`(file: SourceFile) {
        let long = file.lines.enumerated().filter { $0.element.count > 100 }.map { $0.offset + 1 }

        #expect(long == [])
    }

    @Test(arguments: SourceTree.sources)
    func `has functions of at most 70 lines`(file: SourceFile) {
        #expect(LexedSource(file.text).functionLengths.filter { $0.count > 70 } == [])
    }
}
