import Events
import Formats
import Model
import Operations
import Settings
import System

/// `humon import`: adds the records of a file.
struct ImportCommand: ProgramCommand {
    static let description = CommandDescription(
        name: "import",
        arguments: "FILE",
        summary: "Add records from a .ndjson, .csv or .geojson file.",
        notes: [TransferHelp.fields, TransferHelp.csv, leftOut],
        options: [
            .init(name: "strict", meaning: "Stop at the first record that can't be added."),
            .init(name: "atomic", meaning: "Add all records, or none if one can't be added."),
            .init(name: "owner", value: "ID", meaning: "Set the owner of events without one."),
            .init(
                name: "ignore",
                value: "NAMES",
                meaning: "Leave out these attributes of events, such as status,category."
            ),
            .init(name: "format", value: "FORMAT", meaning: "Read ndjson, csv or geojson."),
        ] + CommandDescription.Option.kinds
    )

    private static let leftOut = """
        Imports contain no tokens, account names or passwords. Missing users and accounts are
        created, but nobody can sign in to them yet. A record without an id gets a new one each time
        it is imported. With --atomic, a running server can't write until the import ends. To move
        everything, use `humon backup FILE` and `humon restore FILE`.
        """

    let kind: RecordKind
    let path: String
    let format: RecordFormat
    let options: ImportOptions

    static func parse(_ arguments: Arguments) throws(UsageError) -> Self {
        let path = try arguments.only("FILE")
        let kind = try arguments.kind()
        return Self(
            kind: kind,
            path: path,
            format: try arguments.format(of: kind, path: path),
            options: ImportOptions(
                isStrict: arguments.has("strict"),
                isAtomic: arguments.has("atomic"),
                defaults: EventDefaults(
                    ownerID: try owner(of: kind, arguments),
                    ignored: try ignored(of: kind, arguments)
                )
            )
        )
    }

    /// Returns the owner of events without one.
    private static func owner(
        of kind: RecordKind,
        _ arguments: Arguments
    ) throws(UsageError) -> Int64? {
        guard let text = arguments.options["owner"] else { return nil }
        guard kind == .events else {
            throw UsageError("--owner is only for events: \(kind.plural) have no owner.")
        }
        return try Arguments.id(of: "a user", text)
    }

    /// Returns the columns of events to leave out.
    private static func ignored(
        of kind: RecordKind,
        _ arguments: Arguments
    ) throws(UsageError) -> [EventColumn] {
        guard let text = arguments.options["ignore"] else { return [] }
        guard kind == .events else {
            throw UsageError("--ignore is only for events.")
        }
        var columns: [EventColumn] = []
        for name in text.split(separator: ",", omittingEmptySubsequences: false) {
            let field = EventField.details.first { $0.rawValue == name }
            guard let column = field?.column else {
                let all = EventField.details.map(\.rawValue).joined(separator: ", ")
                throw UsageError("--ignore must be among \(all).")
            }
            columns.append(column)
        }
        return columns
    }

    /// Reads the file to its end, or to the first obstacle, and stores its records.
    ///
    /// It blocks. SIGINT and SIGTERM end it after the current batch; an atomic import then stores
    /// nothing. It always reports what was stored.
    ///
    /// - Returns: `.failure` if a record was not stored, or the exit code of the signal that ended
    ///   it.
    func run(in context: CommandContext) throws -> ExitCode {
        let configuration = try context.configuration(
            with: kind.system,
            for: "humon import --of \(kind.rawValue)"
        )
        return switch kind {
        case .events: try run(EventRecord.self, configuration)
        case .attendances: try run(AttendanceRecord.self, configuration)
        case .tasks: try run(TodoTaskRecord.self, configuration)
        case .sharedTasks: try run(SharedTaskRecord.self, configuration)
        case .checkins: try run(CheckinRecord.self, configuration)
        }
    }

    private func run<Record: FileRecord>(
        _ type: Record.Type,
        _ configuration: Configuration
    ) throws -> ExitCode {
        // Checked before the storage is opened, so that an unreadable file doesn't leave a new
        // database.
        try InputFile.checkReadable(path)
        let interruption = try Interruption()
        let storage = try Databases.open(configuration, for: .importing)
        defer { storage.close() }
        let run = ImportRun<Record>(
            path: path,
            format: format,
            options,
            display: ProgressBar(total: nil, noun: kind.noun),
            isCancelled: { interruption.signal != nil }
        )
        let outcome = try run.run(into: storage)
        let signal = outcome.isCancelled ? interruption.signal ?? .terminate : nil
        report(outcome, signal)
        if let signal { return signal.exitCode }
        return outcome.isComplete ? .success : .failure
    }

    private func report(_ outcome: ImportOutcome, _ signal: Interruption.Signal?) {
        let isUndone = options.isAtomic && !outcome.isComplete
        let imported = isUndone ? "nothing" : kind.noun.counted(outcome.imported)
        let failed = outcome.failed == 0 ? "" : "; \(outcome.failed) could not be added"
        Terminal.error.write("Imported \(imported)\(failed).\n")
        if let signal {
            let place = outcome.lastNumber.map { " after \(format.unit) \($0)" } ?? ""
            let hint =
                " The records before that are stored: another import would add those without ids "
                + "again."
            let text = "humon: Stopped by \(signal.rawValue)\(isUndone ? "" : place)."
            Terminal.error.write(text + (outcome.imported == 0 || isUndone ? "" : hint) + "\n")
        } else if let obstacle = outcome.obstacle {
            Terminal.error.write("humon: \(obstacle)\n")
        } else if !isUndone {
            Terminal.error.write(
                """
                Imports contain no tokens, account names or passwords. To move everything, use \
                `humon backup` and `humon restore`.

                """
            )
        }
    }
}
