import Testing

@Suite struct SafetyTests {
    @Test(arguments: SourceTree.sources)
    func `says nothing that is banned`(file: SourceFile) {
        #expect(Self.banned(in: file.text) == [])
    }

    @Test(arguments: SourceTree.sources)
    func `explains what the compiler can't check`(file: SourceFile) {
        #expect(Self.unexplained(in: file.text) == [])
    }

    private static let layersWithSQL = [
        "PostgreSQL", "PostgreSQLStorage", "SQLite", "SQLiteStorage",
    ]

    @Test(arguments: SourceTree.sources.filter { !layersWithSQL.contains($0.layer) })
    func `speaks no SQL`(file: SourceFile) {
        #expect(Self.sql(in: file.text) == [])
    }

    /// SQL is a literal and values are bound, except for the text of migrations.
    @Test func `sends PostgreSQL no text that is not prepared`() {
        let calls = ["PQexec(", "PQsendQuery(", "PQescape"]
        let files = SourceTree.sources.filter { file in
            let code = LexedSource(file.text).code
            return calls.contains { code.contains($0) }
        }

        #expect(files.map(\.path) == ["Sources/PostgreSQL/BlockingConnection.swift"])
    }

    @Test(arguments: SourceTree.tests)
    func `lets no report of a started process go unnoticed`(file: SourceFile) {
        let environments = LexedSource(file.text).codeLines.filter { line in
            line.contains(".environment = ")
        }
        #expect(environments.filter { !$0.contains("Sanitizers.environment(with:") } == [])
    }

    @Test(
        arguments: [
            ("public struct A", "1: public"), ("let a = try! b()", "1: force"),
            ("let a = b as! C", "1: force"), ("let a = b!", "1: force"),
            ("a\nb[0]!.c()", "2: force"), ("var a: Int!", "1: force"),
            ("f()!", "1: force"), ("a?.b! == c", "1: force"),
        ]
    )
    func `finds what is banned`(text: String, finding: String) {
        #expect(Self.banned(in: text) == [finding])
    }

    @Test(
        arguments: [
            "if !a { }", "a != b", "f(!a, [!b])", "\"public! a!\"", "// public a!",
            "let publicA = 1",
        ]
    )
    func `lets pass what is not`(text: String) {
        #expect(Self.banned(in: text) == [])
    }

    @Test(
        arguments: [
            ("final class A: @unchecked Sendable {}", [1]),
            ("nonisolated(unsafe) var a = 1", [1]),
            ("// It is.\n@safe\nfinal class A: @unchecked Sendable {}", []),
            ("/// It is.\nfinal class A:\n    B,\n    @unchecked Sendable {}", [4]),
            ("// It is.\nnonisolated(unsafe) var a = 1", []),
        ]
    )
    func `finds what is not explained`(text: String, lines: [Int]) {
        #expect(Self.unexplained(in: text) == lines)
    }

    @Test func `finds SQL in strings alone`() {
        let text = """
            let a = "SELECT 1" // SELECT 2
            let b = "Please select one"
            """

        #expect(Self.sql(in: text) == ["SELECT 1"])
    }

    private static func banned(in text: String) -> [String] {
        LexedSource(text).codeLines.enumerated().flatMap { index, line -> [String] in
            let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
            return (words.contains("public") ? ["\(index + 1): public"] : [])
                + (forcesUnwrap(line) ? ["\(index + 1): force"] : [])
        }
    }

    /// Whether an exclamation mark follows an operand directly: `x!`, `try!`, `as!`, `Int!`.
    private static func forcesUnwrap(_ line: Substring) -> Bool {
        zip(line, line.dropFirst()).contains { before, mark in
            mark == "!" && (before.isLetter || before.isNumber || "_)]?>`".contains(before))
        }
    }

    /// The lines that switch a check of the compiler off without a comment right before.
    private static func unexplained(in text: String) -> [Int] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.drop { $0 == " " } }
        let code = LexedSource(text).codeLines
        return code.indices.filter { index in
            ["@unchecked Sendable", "nonisolated(unsafe)"].contains { code[index].contains($0) }
                && lines[..<index].last { !$0.hasPrefix("@") }?.hasPrefix("//") != true
        }.map { $0 + 1 }
    }

    private static func sql(in text: String) -> [String] {
        let statements = [
            "SELECT ", "INSERT INTO", "INSERT OR", "UPDATE ", "DELETE FROM", "CREATE TABLE",
            "PRAGMA ",
        ]
        return LexedSource(text).strings.filter { string in
            statements.contains { string.contains($0) }
        }
    }
}
