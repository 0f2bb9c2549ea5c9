import SQLite
import Time

/// `humon migrate`: applies the pending migrations, or lists all of them.
struct MigrateCommand {
    let configuration: Configuration

    func run(showsStatus: Bool) throws {
        try Databases.file(of: configuration).check()
        let migrator = try Databases.migrator(of: configuration)
        if showsStatus { return try showStatus(of: migrator) }
        let applied = try migrator.migrate()
        for name in applied { Terminal.output.write("applied \(name)\n") }
        if applied.isEmpty { Terminal.output.write("The database is up to date.\n") }
    }

    private func showStatus(of migrator: Migrator) throws {
        for migration in try migrator.status() {
            let time = migration.appliedAt.map { Timestamp(milliseconds: $0).text } ?? "pending"
            let padding = String(repeating: " ", count: max(0, 24 - time.count))
            Terminal.output.write("\(time)\(padding) \(migration.name)\n")
        }
    }
}
