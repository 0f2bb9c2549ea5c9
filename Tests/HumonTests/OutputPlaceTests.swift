import Foundation
import Glibc
import SQLite
import Support
import Testing

/// No command writes over a database, whatever the path is called.
@Suite struct OutputPlaceTests {
    private let program: Program

    init() throws {
        program = try Program()
        try program.write(
            #"{"name":"kept","lat":1,"lon":2,"started_at":"2030-01-01","owner":{"id":1}}"#,
            to: "in.ndjson"
        )
        #expect(try program.run("import in.ndjson").status == 0)
    }

    private var database: URL { URL(fileURLWithPath: program.path("humon.sqlite3")) }

    /// Runs a command that must change neither the database nor the names in its folder.
    private func expectRefusal(_ line: String, of place: String, _ reason: String) throws {
        let manager = FileManager.default
        let before = try Data(contentsOf: database)
        let inode = try manager.attributesOfItem(atPath: database.path)[.systemFileNumber] as? Int
        let files = try program.files()

        let outcome = try program.run(line)

        #expect(outcome == .init(status: 1, error: "humon: \"\(place)\" \(reason)\n"))
        #expect(try Data(contentsOf: database) == before)
        #expect(
            try manager.attributesOfItem(atPath: database.path)[.systemFileNumber] as? Int == inode
        )
        #expect(try program.files() == files)
    }

    private static let commands = ["export PLACE --format ndjson", "backup PLACE"]
    private static let ownPlaces = [
        "humon.sqlite3", "./humon.sqlite3", ".//humon.sqlite3", "../FOLDER/humon.sqlite3",
        "FULL/humon.sqlite3", "link", "link-to-link", "folder/humon.sqlite3", "hard",
        "humon.sqlite3-wal", "./humon.sqlite3-shm", "folder/humon.sqlite3-lock",
        "folder//humon.sqlite3-journal", "hard-lock",
    ]

    @Test(arguments: commands, ownPlaces)
    func `leaves the configured database and its files alone`(
        command: String,
        place: String
    ) throws {
        let manager = FileManager.default
        for (link, target) in [
            ("link", "humon.sqlite3"), ("link-to-link", "folder/link"), ("folder", "."),
        ] {
            try manager.createSymbolicLink(
                atPath: program.path(link),
                withDestinationPath: target
            )
        }
        if place == "hard" {
            #expect(unsafe link(database.path, program.path("hard")) == 0)
        }
        #expect(unsafe link(database.path + "-lock", program.path("hard-lock")) == 0)
        let name = URL(fileURLWithPath: program.folder).lastPathComponent
        let path = place.replacing("FOLDER", with: name).replacing("FULL", with: program.folder)

        // A backup finds first that the database has two names.
        let hasTwoNames = place == "hard" && command.hasPrefix("backup")
        try expectRefusal(
            command.replacing("PLACE", with: path),
            of: hasTwoNames ? "humon.sqlite3" : path,
            hasTwoNames
                ? "has 2 hard links. Find them with `find -samefile` and remove the others: "
                    + "writes through one name would destroy those through another."
                : "belongs to the database itself. Name another file."
        )
    }

    @Test func `leaves the database alone that standard output leads to`() throws {
        let before = try Data(contentsOf: database)
        let process = Process()
        process.executableURL = try Program.executable
        process.arguments = ["export"]
        process.currentDirectoryURL = URL(fileURLWithPath: program.folder)
        process.environment = Sanitizers.environment(with: [:])
        let output = try FileHandle(forUpdating: database)
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try output.close()

        #expect(process.terminationStatus == 1)
        #expect(try Data(contentsOf: database) == before)
    }

    private func makeOtherDatabase(_ name: String) throws {
        let configuration = DatabaseConfiguration(path: program.path(name))
        try Connection(configuration, .readWrite).execute(script: "CREATE TABLE notes (id)")
    }

    @Test(arguments: ["other", "link", "other-wal", "other-lock"])
    func `leaves the database of another program alone`(place: String) throws {
        try makeOtherDatabase("other")
        try FileManager.default.createSymbolicLink(
            atPath: program.path("link"),
            withDestinationPath: "other"
        )
        let other = URL(fileURLWithPath: program.path("other"))
        let before = try Data(contentsOf: other)
        let isCompanion = place.hasPrefix("other-")
        let advice = ", and its content would be lost. Name another file, or move this one away."
        let neighbour = "belongs to the database \"other\". Name another file."

        try expectRefusal(
            "export \(place) --format csv",
            of: place,
            isCompanion ? neighbour : "is a SQLite database" + advice
        )
        try expectRefusal(
            "backup \(place)",
            of: place,
            isCompanion ? neighbour : "is not a Humon backup, or is in use" + advice
        )
        #expect(try Data(contentsOf: other) == before)
    }

    @Test func `does not replace another database of Humon by a backup`() throws {
        #expect(try program.run("migrate --database-url sqlite:second").status == 0)
        let advice = ", and its content would be lost. Name another file, or move this one away."

        try expectRefusal(
            "backup second",
            of: "second",
            "is not a Humon backup, or is in use" + advice
        )
    }

    @Test func `replaces backups by backups, also those of earlier versions`() throws {
        #expect(try program.run("backup copy").status == 0)
        #expect(try program.run("backup copy").status == 0)
        try program.removeSeal(of: "copy")

        #expect(try program.run("backup copy").status == 0)

        #expect(try program.run("backup --verify copy").status == 0)
        let advice = ", and its content would be lost. Name another file, or move this one away."
        try expectRefusal("export copy --format csv", of: "copy", "is a SQLite database" + advice)
    }

    @Test func `does not restore into the database of another program`() throws {
        #expect(try program.run("backup copy").status == 0)
        try makeOtherDatabase("other")
        let before = try Data(contentsOf: URL(fileURLWithPath: program.path("other")))

        try expectRefusal(
            "restore copy --database-url sqlite:other",
            of: "other",
            "is another program's database: it has the tables or views notes, and none of Humon's "
                + "migrations. Set DATABASE_URL to a file that only Humon uses."
        )
        #expect(try Data(contentsOf: URL(fileURLWithPath: program.path("other"))) == before)
    }
}
