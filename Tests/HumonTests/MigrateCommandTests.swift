import Foundation
import Testing

@Suite struct MigrateCommandTests {
    @Test func `lists the migrations in columns, with their times`() throws {
        let program = try Program()
        let pending = try program.run("migrate --status")
        #expect(try program.run("migrate").status == 0)
        let applied = try program.run("migrate --status")

        #expect(pending.status == 0)
        #expect(applied.status == 0)
        let names = pending.output.split(separator: "\n").map { $0.dropFirst("pending  ".count) }
        #expect(names.first == "0001_create_users" && names.last == Substring(NewestMigration.name))
        #expect(pending.output == names.map { "pending  \($0)\n" }.joined())
        let time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/
        #expect(
            applied.output.replacing(time, with: "TIME") == names.map { "TIME  \($0)\n" }.joined()
        )
    }

    @Test func `lists the migrations of a backup, and changes nothing`() throws {
        let program = try Program()
        #expect(try program.run("migrate").status == 0)
        #expect(try program.run("backup copy").status == 0)
        let files = try program.files()
        let bytes = try Data(contentsOf: URL(fileURLWithPath: program.path("copy")))

        let outcome = try program.run("migrate --status --database-url sqlite:copy")

        #expect(outcome.status == 0)
        #expect(outcome.output.contains(NewestMigration.name))
        #expect(!outcome.output.contains("pending"))
        #expect(try program.files() == files)
        #expect(try Data(contentsOf: URL(fileURLWithPath: program.path("copy"))) == bytes)
    }

    private static let announcement = """
        \(UpgradeBackupTests.announcement)
        Applying 0008_store_event_cells to 10000 events…
        Applying 0009_prepare_event_queries to 10000 events…
        Applying 0010_cover_event_searches to 10000 events…
        Applying 0011_drop_search_columns to 10000 events…

        """

    @Test func `says first which migration takes long`() throws {
        let program = try Program()
        try program.makeDatabase(before: "0008", events: 10_000)

        let outcome = try program.run("migrate")

        #expect(outcome.status == 0)
        #expect(outcome.output.hasPrefix("applied 0008_store_event_cells\n"))
        #expect(outcome.error == Self.announcement)
    }

    @Test func `is also done by commands that open the database`() throws {
        let program = try Program()
        try program.makeDatabase(before: "0008", events: 10_000)
        try program.write("name,lat,lon,started_at\nnew,1,2,2030-01-01\n", to: "in.csv")

        let outcome = try program.run("import in.csv --owner 1")

        #expect(outcome.status == 0)
        #expect(outcome.error.hasPrefix(Self.announcement), "\(outcome.error)")
    }

    @Test func `is logged by a server that has to migrate for long`() throws {
        let program = try Program()
        try program.makeDatabase(before: "0008", events: 10_000)

        let server = try Program.Server(in: program)
        defer { server.stop() }

        #expect(server.startLog.contains(/"message":"migrating: [^\n]*"events":"10000"/))
    }
}
