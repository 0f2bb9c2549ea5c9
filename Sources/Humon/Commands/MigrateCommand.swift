import Model
import SQLite

/// `humon migrate`: applies the pending migrations, or lists all of them.
struct MigrateCommand: Command {
    static let description = CommandDescription(
        name: "migrate",
        summary: "Apply pending migrations.",
        options: [.init(name: "status", meaning: "Only list the migrations.")]
    )

    /// Whether it only lists the migrations.
    let showsStatus: Bool

    static func parse(_ arguments: Arguments) -> Self {
        Self(showsStatus: arguments.has("status"))
    }

    func run(in context: CommandContext) throws -> ExitCode {
        try run(context.configuration())
        return .success
    }

    private func run(_ configuration: Configuration) throws {
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
