import Formats
import Model
import Operations
import Settings
import System

/// `humon move`: moves all records to another database, while servers read this one.
struct MoveCommand: ProgramCommand {
    static let description = CommandDescription(
        name: "move",
        summary: "Move all records to another database, such as PostgreSQL.",
        notes: [
            """
            DATABASE_URL serves reads during the move, and rejects writes. After a successful move,
            it stays closed for writes. Set the servers' DATABASE_URL to the target, and restart
            them.
            """,
            """
            If the move fails or is killed, servers can write again, and the next move begins anew.
            """,
        ],
        options: [
            .init(name: "to", value: "URL", meaning: "Move to this database, which must be empty."),
            .init(name: "reopen", meaning: "Only let servers write to DATABASE_URL again."),
        ]
    )

    /// The URL of the target; nil to open the source again.
    let target: String?

    static func parse(_ arguments: Arguments) throws(UsageError) -> Self {
        let target = arguments.options["to"]
        guard arguments.has("reopen") != (target != nil), target != "" else {
            throw UsageError("Use either --to URL or --reopen. See `humon help move`.")
        }
        return Self(target: target)
    }

    func run(in context: CommandContext) throws -> ExitCode {
        var configuration = try context.configuration()
        let source = try Databases.engine(for: configuration)
        guard let target else {
            try reopen(source)
            return .success
        }
        // Not a flag, because the source may come from DATABASE_URL_FILE.
        if let setting = Setting.named("DATABASE_URL"), !setting.store(target, &configuration) {
            throw SettingError.invalid(
                name: setting.name,
                value: setting.shown(target),
                allowed: setting.allowed,
                origin: .flag("--to")
            )
        }
        return try move(source, to: Databases.engine(for: configuration))
    }

    private func reopen(_ source: any StorageEngine) throws {
        try source.check()
        try source.requireDatabase()
        let wasClosed = try source.moves.isClosed()
        try source.moves.reopen()
        Terminal.error.write(
            wasClosed
                ? "Servers can write to \(source.name) again.\n"
                : "\(source.name) was open already.\n"
        )
    }

    /// Blocks until the records are moved; SIGINT and SIGTERM stop it.
    private func move(
        _ source: any StorageEngine,
        to target: any StorageEngine
    ) throws -> ExitCode {
        let begin = MonotonicClock.milliseconds()
        return try MoveDisplay.run(
            "move",
            from: source,
            to: target,
            ifStopped: "Servers can write to \(source.name)."
        ) { move in
            try move.run()
        } completion: { tables in
            show(tables)
            let count = Noun("row").counted(tables.reduce(0) { $0 &+ $1.count })
            // The whole URL would have a password.
            let isURL = target.name.hasPrefix("postgres://")
            let url = isURL ? "the URL of --to (\(target.name))" : "sqlite:\(target.name)"
            Terminal.error.write(
                """
                Moved \(count) in \(MonotonicClock.milliseconds() - begin) ms, and verified them.
                Now set DATABASE_URL to \(url), and restart the servers.
                \(source.name) still rejects writes. To go back to it, run `humon move --reopen`: \
                what was written to the target since then would be missing there.

                """
            )
        }
    }

    private func show(_ tables: [MovedTable]) {
        let head = ["table", "rows", "greatest id", "next id", "SHA-256"]
        let rows = tables.map { table in
            [table.name, "\(table.count)", "\(table.greatestID)", "\(table.nextID)", table.digest]
        }
        Terminal.output.write(TextTable.text([head] + rows) + "\n")
    }
}
