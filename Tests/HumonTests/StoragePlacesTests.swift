import Foundation
import Glibc
import Testing

/// What stands where a database, or a backup of it, should be.
@Suite struct StoragePlacesTests {
    private let program: Program

    init() throws {
        program = try Program()
    }

    private static let settings = ["TB_APP_SECRET": "secret", "PORT": "0", "ADMIN_PORT": "off"]

    private func expectRefusal(_ line: String, _ message: String) throws {
        let before = try program.files()

        let outcome = try program.run(line, settings: Self.settings)

        #expect(outcome.status == 1)
        #expect(outcome.error.hasSuffix(message + "\n"), "\(outcome.error)")
        #expect(try program.files() == before)
    }

    @Test(arguments: ["serve", "seed", "migrate", "backup copy", "restore copy"])
    func `refuses a database with two names`(line: String) throws {
        #expect(try program.run("migrate").status == 0)
        if line.hasPrefix("restore") { #expect(try program.run("backup copy").status == 0) }
        #expect(unsafe link(program.path("humon.sqlite3"), program.path("other")) == 0)

        try expectRefusal(
            line + " --database-url sqlite:other",
            """
            "other" has 2 hard links. Find them with `find -samefile` and remove the others: \
            writes through one name would destroy those through another.
            """
        )
    }

    @Test(arguments: ["serve", "migrate", "backup copy", "restore backup"])
    func `refuses a link that leads nowhere`(line: String) throws {
        #expect(try program.run("migrate").status == 0)
        #expect(try program.run("backup backup").status == 0)
        #expect(unsafe symlink("absent/db", program.path("link")) == 0)

        try expectRefusal(
            line + " --database-url sqlite:link",
            "\"link\" is a link to \"absent/db\", which does not exist: is the disk mounted?"
        )
    }

    @Test func `refuses a backup into a link that leads nowhere`() throws {
        #expect(try program.run("migrate").status == 0)
        #expect(unsafe symlink("absent/db", program.path("link")) == 0)

        try expectRefusal(
            "backup link",
            "\"link\" is a link to \"absent/db\", which does not exist: is the disk mounted?"
        )
    }

    @Test(
        arguments: ["text", "folder", "/dev/null"],
        ["serve", "migrate", "backup copy", "restore backup"]
    )
    func `refuses what is no database`(place: String, line: String) throws {
        #expect(try program.run("migrate").status == 0)
        #expect(try program.run("backup backup").status == 0)
        try program.write("root:x:0:0", to: "text")
        #expect(unsafe mkdir(program.path("folder"), 0o755) == 0)

        try expectRefusal(
            line + " --database-url sqlite:\(place)",
            "\"\(place)\" is not a database."
        )
    }

    @Test func `does not wait for a FIFO to be restored`() throws {
        #expect(unsafe mkfifo(program.path("pipe"), 0o600) == 0)
        #expect(try program.run("migrate").status == 0)

        try expectRefusal("restore pipe", "\"pipe\" is not a regular file. Name a backup.")
    }

    @Test func `says before it begins that there is no room for what is restored`() throws {
        #expect(try program.run("migrate").status == 0)
        // 2^27 pages of 64 KiB; it has a hole of that size.
        var header = Data("SQLite format 3\0".utf8) + [0, 1, 1, 1] + Data(count: 80)
        header[28] = 8
        try header.write(to: URL(fileURLWithPath: program.path("large")))
        #expect(unsafe truncate(program.path("large"), 1 << 43) == 0)

        let outcome = try program.run("restore large")

        #expect(outcome.status == 1)
        let message = /There is not enough disk space for "humon.sqlite3": it needs .* free\. Free/
        #expect(outcome.error.contains(message), "\(outcome.error)")
    }
}
