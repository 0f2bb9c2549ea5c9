import Model

/// `humon migrate`: applies the pending migrations, or lists all of them.
struct MigrateCommand {
    let configuration: Configuration

    func run(showsStatus: Bool) throws {
        let engine = try Databases.engine(for: configuration)
        try engine.check()
        if showsStatus { return try showStatus(of: engine) }
        let applied = try engine.migrate()
        for name in applied { Terminal.output.write("applied \(name)\n") }
        if applied.isEmpty { Terminal.output.write("The database is up to date.\n") }
    }

    private func showStatus(of engine: any StorageEngine) throws {
        for migration in try engine.migrations() {
            let time = migration.appliedAt?.text ?? "pending"
            let padding = String(repeating: " ", count: max(0, 24 - time.count))
            Terminal.output.write("\(time)\(padding) \(migration.name)\n")
        }
    }
}
