import Testing

/// The layers for apps, whose declarations are public.
let clientLayers = ["HumonClient", "HumonOutbox"]

/// Which modules each layer may import; one direction, from the sockets to the disk.
let importTable: [(layer: String, modules: Set<String>)] = [
    (
        "Humon",
        [
            "Events", "Formats", "HTTP", "HTTPClient", "HTTPServer", "JSON", "Logging", "Model",
            "Operations", "PostgreSQLStorage", "Rules", "Settings", "SignIn", "Sodium",
            "SQLiteStorage", "System", "Time", "Web", "Webhooks", "Words", "Glibc",
        ]
    ),
    (
        "Operations",
        [
            "CBuild", "CLinux", "Events", "Formats", "HTTP", "HTTPServer", "Logging", "Model",
            "Rules", "Settings", "SignIn", "Sodium", "System", "Time", "Webhooks", "Glibc",
        ]
    ),
    (
        "Settings",
        ["HTTP", "Logging", "Model", "Rules", "SignIn", "Sodium", "System", "Time", "Glibc"]
    ),
    ("HTTPServer", ["Bytes", "CLinux", "HTTP", "System", "Time", "Glibc", "Synchronization"]),
    ("HTTP", ["Bytes", "System", "Time", "Glibc"]),
    (
        "Web",
        [
            "Bytes", "Events", "Formats", "HTTP", "JSON", "Logging", "Model", "Rules", "Sodium",
            "System", "Time", "Synchronization",
        ]
    ),
    ("Formats", ["Events", "JSON", "Model", "Rules", "System", "Time"]),
    ("JSON", ["Bytes"]),
    (
        "SignIn",
        [
            "CCrypto", "HTTP", "HTTPClient", "JSON", "Logging", "Model", "Rules", "Sodium",
            "System", "Time", "Glibc",
        ]
    ),
    (
        "Webhooks",
        [
            "Events", "HTTP", "HTTPClient", "Logging", "Model", "Rules", "Sodium", "System",
            "Time",
        ]
    ),
    ("HTTPClient", ["CCurl", "HTTP", "Glibc"]),
    ("Model", ["Events", "Rules", "Time"]),
    ("Events", ["Rules", "System", "Time", "Words", "Glibc"]),
    ("Rules", ["Time", "Swift"]),
    ("SharedStorage", ["Events", "JSON", "Model", "Rules", "System", "Time", "Words"]),
    (
        "SQLiteStorage",
        [
            "Events", "Model", "SharedStorage", "Rules", "SQLite", "System", "Time", "Words",
            "Glibc",
        ]
    ),
    (
        "PostgreSQLStorage",
        [
            "Events", "Logging", "Model", "SharedStorage", "PostgreSQL", "Rules", "System", "Time",
            "Words",
            "Glibc",
        ]
    ),
    ("SQLite", ["CLinux", "CSQLite", "Logging", "System", "Glibc", "Synchronization"]),
    ("PostgreSQL", ["Bytes", "CPostgreSQL", "Logging", "System", "Time", "Glibc"]),
    ("Sodium", ["CSodium", "Logging", "System", "Glibc"]),
    ("Words", ["CUTF8Proc"]),
    ("Logging", ["Bytes", "JSON", "System", "Time", "Glibc"]),
    ("Bytes", []),
    ("Time", ["System", "Glibc"]),
    ("System", ["Bytes", "CLinux", "Dispatch", "Glibc", "Synchronization"]),
    ("CBuild", []),
    ("CCrypto", []),
    ("CCurl", []),
    ("CLinux", []),
    ("CPostgreSQL", []),
    ("CSQLite", []),
    ("CSodium", []),
    ("CUTF8Proc", []),
    ("EmbedFiles", ["FoundationEssentials"]),
    ("HumonClient", ["Foundation", "FoundationNetworking", "Security"]),
    ("HumonOutbox", ["CSQLite", "Foundation", "HumonClient", "Network", "SQLite3"]),
]

@Suite struct ImportTests {
    @Test func `keeps to each layer's imports`() {
        let forbidden = SourceTree.sources.findings { file in
            let allowed = importTable.first { $0.layer == file.layer }?.modules ?? []
            return Self.imports(in: file.lexed).subtracting(allowed).sorted()
        }

        #expect(forbidden == [])
    }

    @Test func `knows the storage engines where one is chosen or checked, and nowhere else`() {
        let engines: Set = ["PostgreSQL", "PostgreSQLStorage", "SQLite", "SQLiteStorage"]
        let files = SourceTree.sources.filter { file in
            !engines.contains(file.layer)
                && !Self.imports(in: file.lexed).isDisjoint(with: engines)
        }

        #expect(files.map(\.path) == ["Sources/Humon/Databases.swift"])
    }

    @Test func `Sources/README.md has the same table`() throws {
        let rows = try SourceTree.text(of: "Sources/README.md").split(separator: "\n")
            .filter { $0.hasPrefix("| `") }
            .map { $0.split(separator: "|").map { $0.drop { $0 == " " } } }

        #expect(rows.map { Self.names(in: $0[0]).joined() } == importTable.map(\.layer))
        for (row, entry) in zip(rows, importTable) {
            #expect(Set(Self.names(in: row[2])) == entry.modules, "\(entry.layer)")
        }
    }

    @Test func `has a row for each folder that holds Swift`() {
        let layers = Set(SourceTree.sources.map(\.layer))

        #expect(layers.subtracting(importTable.map(\.layer)) == [])
        #expect(!layers.isEmpty)
    }

    @Test(
        arguments: [
            ("import A", ["A"]), ("package import A", ["A"]), ("@preconcurrency import A", ["A"]),
            ("import struct A.B", ["A"]), ("private import func A.b", ["A"]),
            ("import A.B", ["A"]), ("// import A", []), ("let a = \"\"\"\nimport A\n\"\"\"", []),
            ("#if x\n  import A\n#else\n  import B\n#endif", ["A", "B"]),
            ("let imported = 1", []), ("import A; import B", ["A", "B"]),
        ] as [(String, Set<String>)]
    )
    func `finds imports`(text: String, modules: Set<String>) {
        #expect(Self.imports(in: LexedSource(text)) == modules)
    }

    /// The top-level modules that a source imports; the C library of any system is `Glibc`.
    private static func imports(in source: LexedSource) -> Set<String> {
        let lines = source.codeLines.filter { $0.contains("import") }
        let statements = lines.flatMap { $0.split(separator: ";") }
        let modules = statements.compactMap { statement -> String? in
            let words = statement.split(separator: " ")
            guard let index = words.firstIndex(of: "import"), index < 3 else { return nil }
            let kinds = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias"]
            let name = words[(index + 1)...].first { !kinds.contains(String($0)) }
            return name?.split(separator: ".").first.map(String.init)
        }
        return Set(modules)
    }

    /// The words between backticks.
    private static func names(in cell: Substring) -> [String] {
        let parts = cell.split(separator: "`", omittingEmptySubsequences: false)
        return parts.enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
    }
}
