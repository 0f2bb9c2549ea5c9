import Model
import Settings
import Time

/// `humon migrate`: applies the pending migrations, or lists all of them.
struct MigrateCommand: ProgramCommand {
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
        if showsStatus {
            let engine = try Databases.engine(for: configuration)
            try engine.check()
            let rows = try engine.migrations().map { migration in
                [migration.appliedAt?.text ?? "pending", migration.name]
            }
            return Terminal.output.write(TextTable.text(rows) + "\n")
        }
        let applied = try Databases.migrate(configuration) { event in Databases.announce(event) }
        for name in applied { Terminal.output.write("applied \(name)\n") }
        if applied.isEmpty { Terminal.output.write("The database is up to date.\n") }
    }
}
