import Testing

@Suite struct SafetyTests {
    @Test func `says nothing that is banned`() {
        let found = SourceTree.sources.findings { file in
            Self.banned(in: file.lexed).filter { finding in
                // Only apps see declarations of this package.
                !(clientLayers.contains(file.layer) && finding.hasSuffix(": public"))
            }
        }

        #expect(found == [])
    }

    @Test func `documents what apps see`() {
        let found = SourceTree.sources.filter { clientLayers.contains($0.layer) }.findings { file in
            Self.undocumented(in: file.lines)
        }

        #expect(found == [])
    }

    @Test(
        arguments: [
            ("public struct A {", ["1: public struct A {"]),
            ("/// A.\n@concurrent public func a()", []),
            ("/// A.\n@discardableResult\npublic func a()", []),
            ("public func encode(to encoder: any Encoder) throws {", []),
        ]
    )
    func `finds what is not documented`(text: String, found: [String]) {
        #expect(Self.undocumented(in: text.split(separator: "\n")) == found)
    }

    /// Returns the public declarations without a comment, except for those of protocols.
    private static func undocumented(in lines: [Substring]) -> [String] {
        let known = [
            "init(from ", "func encode(to ", "let rawValue", "init(rawValue", "typealias Element",
            "func makeAsyncIterator", "mutating func next", "func < ", "func token(for ",
            "func set(_ token", "import ", "extension ",
        ]
        return lines.indices.compactMap { index in
            let line = lines[index].drop { $0 == " " }
            guard let range = line.firstRange(of: "public "), !line.hasPrefix("//") else {
                return nil
            }
            let declaration = line[range.upperBound...].trimmingPrefix("static ")
            if known.contains(where: declaration.hasPrefix) { return nil }
            let above = lines[..<index].last { !$0.drop { $0 == " " }.hasPrefix("@") } ?? ""
            return above.drop { $0 == " " }.hasPrefix("///") ? nil : "\(index + 1): \(line)"
        }
    }

    @Test func `explains what the compiler can't check`() {
        let found = SourceTree.sources.findings { file in
            Self.unexplained(in: file).map { "line \($0)" }
        }

        #expect(found == [])
    }

    @Test func `speaks SQL in storage layers only`() {
        let layers = [
            "SharedStorage", "PostgreSQL", "PostgreSQLStorage", "SQLite", "SQLiteStorage",
            "HumonOutbox",
        ]
        let others = SourceTree.sources.filter { !layers.contains($0.layer) }

        #expect(others.findings { Self.sql(in: $0.lexed) } == [])
    }

    /// A statement that is made at each call would be prepared and retained each time.
    @Test func `makes each statement once`() {
        let found = SourceTree.sources.findings { file in
            Self.madeAtEachCall(in: file.lexed.codeLines)
        }

        #expect(
            found == [
                // Made for statements that are made once.
                "Sources/PostgreSQLStorage/Statements/LogStatements.swift: 13",
                "Sources/PostgreSQLStorage/Statements/LogStatements.swift: 37",
                "Sources/SharedStorage/TableStatements.swift: 97",
            ]
        )
    }

    @Test(
        arguments: [
            ("static let a = SQL(made: b)", []), ("init() {\n    a = SQL(made: b)", []),
            ("func a() {\n    b(SQL(made: c))", ["2"]),
            ("var a: SQL {\n    SQL(\n        made: b", ["2"]),
            ("func a() {\n    b(SharedSQL(c))", ["2"]),
        ]
    )
    func `finds what is made at each call`(text: String, lines: [String]) {
        #expect(Self.madeAtEachCall(in: LexedSource(text).codeLines) == lines)
    }

    private static func madeAtEachCall(in lines: [Substring]) -> [String] {
        lines.indices.filter { index in
            guard lines[index].contains(/\b(Shared)?SQL\((made:|selectingFrom:|$)|SharedSQL\(\w/)
            else { return false }
            let declaration = lines[...index].last { line in
                line.contains(/\b(static let|init|func|var)\b/)
            }
            return declaration?.contains(/\b(func|var)\b/) == true
        }.map { "\($0 + 1)" }
    }

    /// SQL is a literal and values are bound, except for the text of migrations.
    @Test func `sends PostgreSQL no text that is not prepared`() {
        let calls = ["PQexec(", "PQsendQuery(", "PQescape"]
        let files = SourceTree.sources.filter { file in
            calls.contains { file.lexed.code.contains($0) }
        }

        #expect(files.map(\.path) == ["Sources/PostgreSQL/BlockingConnection.swift"])
    }

    @Test func `lets no report of a started process go unnoticed`() {
        let found = SourceTree.tests.findings { file in
            file.lexed.codeLines
                .filter { $0.contains(".environment = ") }
                .filter { !$0.contains("Sanitizers.environment(with:") }.map(String.init)
        }

        #expect(found == [])
    }

    @Test(
        arguments: [
            ("public struct A", "1: public"), ("let a = try! b()", "1: force"),
            ("let a = b as! C", "1: force"), ("let a = b!", "1: force"),
            ("a\nb[0]!.c()", "2: force"), ("var a: Int!", "1: force"),
            ("f()!", "1: force"), ("a?.b! == c", "1: force"),
            ("let a = Mutex<(@Sendable () -> Void)?>(nil)", "1: function in a mutex"),
            ("let a: Locked<() -> Void>", "1: function in a mutex"),
        ]
    )
    func `finds what is banned`(text: String, finding: String) {
        #expect(Self.banned(in: LexedSource(text)) == [finding])
    }

    @Test(
        arguments: [
            "if !a { }", "a != b", "f(!a, [!b])", "\"public! a!\"", "// public a!",
            "let publicA = 1", "let a = Mutex<(b: Int, c: Int)?>(nil)",
            "let a: Mutex<[() -> Void]>",
        ]
    )
    func `lets pass what is not`(text: String) {
        #expect(Self.banned(in: LexedSource(text)) == [])
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
        #expect(Self.unexplained(in: SourceFile(path: "", text: text)) == lines)
    }

    @Test func `finds SQL in strings alone`() {
        let text = """
            let a = "SELECT 1" // SELECT 2
            let b = "Please select one"
            """

        #expect(Self.sql(in: LexedSource(text)) == ["SELECT 1"])
    }

    private static func banned(in source: LexedSource) -> [String] {
        source.codeLines.enumerated().flatMap { index, line -> [String] in
            (saysPublic(line) ? ["\(index + 1): public"] : [])
                + (forcesUnwrap(line) ? ["\(index + 1): force"] : [])
                + (hasFunctionInMutex(line) ? ["\(index + 1): function in a mutex"] : [])
        }
    }

    /// Whether a function is directly in a mutex, which wraps it again at each access.
    private static func hasFunctionInMutex(_ line: Substring) -> Bool {
        line.contains(/(Mutex|Locked)<\(?(@\w+ )*\([^:]*\) (async )?(throws )?->/)
    }

    private static func saysPublic(_ line: Substring) -> Bool {
        guard line.contains("public") else { return false }
        let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
        return words.contains("public")
    }

    /// Whether an exclamation mark follows an operand directly: `x!`, `try!`, `as!`, `Int!`.
    private static func forcesUnwrap(_ line: Substring) -> Bool {
        guard line.utf8.contains(UInt8(ascii: "!")) else { return false }
        return zip(line, line.dropFirst()).contains { before, mark in
            mark == "!" && (before.isLetter || before.isNumber || "_)]?>`".contains(before))
        }
    }

    /// The lines that switch a check of the compiler off without a comment right before.
    private static func unexplained(in file: SourceFile) -> [Int] {
        let switches = ["@unchecked Sendable", "nonisolated(unsafe)"]
        guard switches.contains(where: { file.lexed.code.contains($0) }) else { return [] }
        let lines = file.lines.map { $0.drop { $0 == " " } }
        let code = file.lexed.codeLines
        return code.indices.filter { index in
            switches.contains { code[index].contains($0) }
                && lines[..<index].last { !$0.hasPrefix("@") }?.hasPrefix("//") != true
        }.map { $0 + 1 }
    }

    private static func sql(in source: LexedSource) -> [String] {
        let statements = [
            "SELECT ", "INSERT INTO", "INSERT OR", "UPDATE ", "DELETE FROM", "CREATE TABLE",
            "PRAGMA ",
        ]
        return source.strings.filter { string in
            statements.contains { string.contains($0) }
        }
    }
}
