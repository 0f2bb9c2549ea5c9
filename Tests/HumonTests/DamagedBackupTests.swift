import Foundation
import Testing

/// A backup that is not what was written is not restored; `Tests/Faults/damaged-backups` tries
/// many more places.
@Suite struct DamagedBackupTests {
    private let program: Program
    private let sound: Data

    init() throws {
        program = try Program()
        try program.write(
            #"{"name":"backed up","lat":1,"lon":2,"started_at":"2030-01-01","owner":{"id":1}}"#,
            to: "in.ndjson"
        )
        #expect(try program.run("import in.ndjson").status == 0)
        #expect(try program.run("backup copy").status == 0)
        sound = try Data(contentsOf: URL(fileURLWithPath: program.path("copy")))
    }

    private func write(_ data: Data) throws {
        try data.write(to: URL(fileURLWithPath: program.path("copy")))
    }

    private func expectRefusal(_ pattern: some RegexComponent) throws {
        let files = try program.files()
        let database = URL(fileURLWithPath: program.path("humon.sqlite3"))
        let before = try Data(contentsOf: database)
        for command in ["restore copy", "backup --verify copy"] {
            let outcome = try program.run(command)

            #expect(outcome.status == 1)
            #expect(outcome.error.wholeMatch(of: pattern) != nil, "\(outcome.error)")
        }
        #expect(try program.files() == files)
        #expect(try Data(contentsOf: database) == before)
    }

    @Test(arguments: [1, 2, 17, 50, 120])
    func `is refused if it was cut off`(count: Int) throws {
        try write(sound.dropLast(count))

        try expectRefusal(
            #/
                humon:\ "copy"\ is\ damaged:\ it\ has\ \d+\ bytes,\ but\ according\ to\ its
                \ header\ \d+,\ so\ it\ was\ truncated\ or\ something\ was\ appended\.
                \ Restore\ an\ older\ backup\.\n
            /#
        )
    }

    @Test func `is refused if something was added`() throws {
        try write(sound + Data("x".utf8))

        try expectRefusal(/humon: "copy" is damaged: it has .* or something was appended.*\n/)
    }

    /// In the header, an unused part of a page, the middle, and the line with the digest.
    @Test(arguments: [0.0, 0.0001, 0.0005, 0.003, 0.1, 0.25, 0.5, 0.75, 0.9, 0.9985, 0.9995, 1])
    func `is refused if a bit was flipped`(place: Double) throws {
        var data = sound
        data[Int(Double(sound.count - 1) * place)] ^= 0x10
        try write(data)

        try expectRefusal(/humon: "copy" is (damaged: .*|not a Humon database\. .*)\n/)
    }

    /// A value that no check of SQLite's can find.
    @Test func `is refused if a name was changed`() throws {
        var data = sound
        let range = try #require(data.range(of: Data("backed up".utf8)))
        data.replaceSubrange(range, with: Data("Backed up".utf8))
        try write(data)

        try expectRefusal(
            #/
                humon:\ "copy"\ is\ damaged:\ its\ content\ doesn't\ match\ the\ SHA-256
                \ digest\ that\ was\ stored\ with\ it\.\ Restore\ an\ older\ backup\.\n
            /#
        )
    }

    @Test func `is restored with a warning if an earlier version made it`() throws {
        try program.removeSeal(of: "copy")
        let warning = """
            Warning: "copy" has no digest, because an earlier version or another program made it. \
            Changed values that SQLite can't recognise would go unnoticed.

            """

        let verified = try program.run("backup --verify copy")
        #expect(verified.status == 0)
        #expect(verified.error.hasPrefix("\"copy\" is valid and has "))
        #expect(verified.error.hasSuffix(" rows.\n" + warning))
        let restored = try program.run("restore copy")
        #expect(restored.status == 0)
        #expect(restored.error.hasPrefix(warning + "Restored "), "\(restored.error)")
    }

    @Test func `is restored with a warning if it was used as a database`() throws {
        #expect(try program.run("seed --database-url sqlite:copy").status == 0)

        let restored = try program.run("restore copy")

        #expect(restored.status == 0)
        #expect(restored.error.hasPrefix("Warning: \"copy\" was used as a database, so "))
    }

    @Test func `is verified without a database, and not changed`() throws {
        let files = try program.files()

        let outcome = try program.run("backup --verify copy --database-url sqlite:missing")

        #expect(outcome.status == 0)
        #expect(
            outcome.error.wholeMatch(
                of:
                    #/
                    "copy"\ is\ valid\ and\ has\ \d+\ rows,\ and\ its\ digest\ matches;\ it
                    \ was\ started\ at\ \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\.\n
                /#
            ) != nil,
            "\(outcome.error)"
        )
        #expect(try Data(contentsOf: URL(fileURLWithPath: program.path("copy"))) == sound)
        #expect(try program.files() == files)
    }

    /// The line behind the pages does not become part of the database.
    @Test func `is the database without its line once it is restored`() throws {
        #expect(try program.run("restore copy").status == 0)

        let data = try Data(contentsOf: URL(fileURLWithPath: program.path("humon.sqlite3")))
        #expect(data.count.isMultiple(of: 4096))
        #expect(data.range(of: Data("humon backup began=".utf8)) == nil)
        #expect(try program.run("doctor --full").output.contains("ok       integrity: all pages,"))
    }
}

extension Program {
    /// Makes of a backup one as earlier versions made them.
    func removeSeal(of name: String) throws {
        let url = URL(fileURLWithPath: path(name))
        let data = try Data(contentsOf: url)
        let line = try #require(data.range(of: Data("\nhumon backup began=".utf8)))
        try data[..<line.lowerBound].write(to: url)
    }
}
