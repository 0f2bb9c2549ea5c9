import Testing

@Suite struct LexedSourceTests {
    @Test func `blanks comments and strings and keeps the lines`() {
        let source = LexedSource(
            ##"""
            let a = "x { \(f("}")) \" y" // {
            /* { /* { */
            } */ b
            let c = #"\ " { \#(d) "# + """
                { " }
                """
            """##
        )

        let lines = source.codeLines.map { $0.split(separator: " ").joined(separator: " ") }
        #expect(lines == ["let a =", "", "b", "let c = +", "", ""])
        let strings = ["}", #"x { \(f("}")) \" y"#, ##"\ " { \#(d) "##, "\n    { \" }\n    "]
        #expect(source.strings == strings)
    }

    @Test func `measures functions with a body`() {
        let source = LexedSource(
            """
            protocol P {
                func a() -> Int
                func b(
                    c: Int
                ) -> Int
                init()
            }
            struct S {
                init(a: Int) {
                    self.init()
                }
                private static func c(
                    d: () -> Void = {}
                )
                    async throws
                {
                    if true { }
                }
                func d() { "}" }
                deinit {

                }
            }
            """
        )

        #expect(
            source.functionLengths == [
                FunctionLength(line: 9, count: 3), FunctionLength(line: 12, count: 7),
                FunctionLength(line: 19, count: 1), FunctionLength(line: 20, count: 3),
            ]
        )
    }
}
