import Model
import Rules
import Settings

/// A row of the table of commands.
struct CommandRow: Sendable {
    let description: CommandDescription
    /// Parses the arguments; throws `UsageError`.
    let parse: @Sendable (Arguments) throws -> any RunnableCommand

    /// Creates the row of a command that is a type of its own.
    init<Command: ProgramCommand>(_ type: Command.Type) {
        description = type.description
        parse = { arguments in try type.parse(arguments) }
    }

    /// Creates the row of a command that works with the stores.
    ///
    /// `prepare` parses the arguments, and throws `UsageError`.
    init(
        _ name: String,
        arguments: String = "",
        _ summary: String,
        notes: [String] = [],
        options: [CommandDescription.Option] = [],
        _ prepare: @escaping @Sendable (Arguments) throws -> StoreWork
    ) {
        description = CommandDescription(
            name: name,
            arguments: arguments,
            summary: summary,
            notes: notes,
            options: options
        )
        parse = { arguments in
            var work = try prepare(arguments)
            work.command = "humon \(name)"
            return work
        }
    }
}

/// Work with the stores of an existing database, which returns what to print.
struct StoreWork: RunnableCommand {
    /// The command, for messages.
    var command = ""
    /// The system that the command needs; nil if it works with any.
    var system: ServedSystem? = .humon
    /// The settings to read besides those of the database.
    var settings: Set<String> = []
    /// The message if a record doesn't exist; nil for the usual one.
    var missing: String?
    /// Checks the settings before the database is opened.
    var check: @Sendable (Configuration) throws -> Void = { _ in }
    let body: @Sendable (Stores, Configuration) async throws -> String

    func run(in context: CommandContext) async throws -> ExitCode {
        let text = try await text(in: context)
        if !text.isEmpty { Terminal.output.write(text + "\n") }
        return .success
    }

    private func text(in context: CommandContext) async throws -> String {
        let configuration = try context.configuration(with: system, for: command, settings)
        try check(configuration)
        let storage = try Databases.open(configuration, mustExist: true)
        defer { storage.close() }
        do {
            return try await body(storage.stores, configuration)
        } catch ModelError.notFound {
            throw missing.map { OperatorError($0) } ?? ModelError.notFound as any Error
        }
    }
}
