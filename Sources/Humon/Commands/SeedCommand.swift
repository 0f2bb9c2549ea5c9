import Model
import Operations
import Settings

/// `humon seed`: adds demo records for each system that is enabled.
struct SeedCommand: ProgramCommand {
    static let description = CommandDescription(
        name: "seed",
        summary: "Add demo records to every system that is served.",
        options: [.init(name: "again", meaning: "Add them even if there are some already.")]
    )

    /// Whether it adds them even if the database has demo records.
    let isRepeated: Bool

    static func parse(_ arguments: Arguments) -> Self {
        Self(isRepeated: arguments.has("again"))
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        try await Self.seed(context.configuration(), isRepeated: isRepeated)
        return .success
    }

    /// Adds demo records to the database of a configuration, and prints what they are.
    static func seed(
        _ configuration: Configuration,
        isRepeated: Bool = false,
        output: Terminal = .output
    ) async throws {
        let storage = try Databases.open(configuration)
        defer { storage.close() }
        let seeder = DemoSeeder(storage, systems: configuration.systems, print: output.write)
        try await seeder.run(isRepeated: isRepeated)
    }
}
