import Model

/// `humon import`: adds the records of a file.
struct ImportCommand {
    let configuration: Configuration
    let options: ImportOptions

    /// Reads the file to its end, or to the first obstacle, and stores its records.
    ///
    /// It blocks. SIGINT and SIGTERM end it after the current batch; an atomic import then stores
    /// nothing. It always reports what was stored.
    ///
    /// - Returns: `.failure` if a record was not stored, or the exit code of the signal that ended
    ///   it.
    func run(_ kind: RecordKind, path: String, format: RecordFormat) throws -> ExitCode {
        let file = ImportFile(path: path, format: format)
        return switch kind {
        case .events: try run(EventRecord.self, file)
        case .attendances: try run(AttendanceRecord.self, file)
        case .tasks: try run(TodoTaskRecord.self, file)
        case .sharedTasks: try run(SharedTaskRecord.self, file)
        case .checkins: try run(CheckinRecord.self, file)
        }
    }

    private func run<Record: FileRecord>(
        _ type: Record.Type,
        _ file: ImportFile
    ) throws -> ExitCode {
        // Checked before the storage is opened, so that an unreadable file doesn't leave a new
        // database.
        try InputFile.checkReadable(file.path)
        let interruption = try Interruption()
        let storage = try Databases.open(configuration, importsRecords: true)
        defer { storage.close() }
        let outcome =
            options.isAtomic
            ? try storeAtOnce(type, file, interruption, storage)
            : storeInBatches(type, file, interruption, storage)
        report(outcome, Record.kind, file)
        if let signal = outcome.signal { return signal.exitCode }
        return outcome.isComplete ? .success : .failure
    }

    private func storeInBatches<Record: FileRecord>(
        _ type: Record.Type,
        _ file: ImportFile,
        _ interruption: Interruption,
        _ storage: any Storage
    ) -> ImportOutcome {
        var run = ImportRun<Record>(file, options, interruption)
        return run.run { [isStrict = options.isStrict] records in
            try storage.transfer.importRecords(isRepeatable: true) { session in
                try session.store(records, isStrict: isStrict)
            }
        }
    }

    /// Stores all records in one transaction, or none.
    private func storeAtOnce<Record: FileRecord>(
        _ type: Record.Type,
        _ file: ImportFile,
        _ interruption: Interruption,
        _ storage: any Storage
    ) throws -> ImportOutcome {
        do {
            return try storage.transfer.importRecords(isRepeatable: false) { [options] session in
                var run = ImportRun<Record>(file, options, interruption)
                let outcome = run.run { records in
                    try session.store(records, isStrict: options.isStrict)
                }
                // An error rolls the transaction back.
                guard outcome.isComplete else { throw AbandonedImport(outcome: outcome) }
                if let signal = interruption.signal {
                    var outcome = outcome
                    outcome.signal = signal
                    throw AbandonedImport(outcome: outcome)
                }
                return outcome
            }
        } catch let error as AbandonedImport {
            return error.outcome
        }
    }

    private func report(_ outcome: ImportOutcome, _ kind: RecordKind, _ file: ImportFile) {
        let isUndone = options.isAtomic && !outcome.isComplete
        let imported = isUndone ? "nothing" : kind.noun.counted(outcome.imported)
        let failed = outcome.failed == 0 ? "" : "; \(outcome.failed) could not be added"
        Terminal.error.write("Imported \(imported)\(failed).\n")
        if let signal = outcome.signal {
            let place = outcome.lastNumber.map { " after \(file.format.unit) \($0)" } ?? ""
            let hint =
                " The records before that are stored: another import would add those without ids "
                + "again."
            let text = "humon: Stopped by \(signal.rawValue)\(isUndone ? "" : place)."
            Terminal.error.write(text + (outcome.imported == 0 || isUndone ? "" : hint) + "\n")
        } else if let obstacle = outcome.obstacle {
            Terminal.error.write("humon: \(obstacle)\n")
        } else if !isUndone {
            Terminal.error.write(TransferHint.ofImport)
        }
    }
}

/// How an import treats records.
package struct ImportOptions: Equatable, Sendable {
    /// Whether the import stops at the first record that can't be stored.
    ///
    /// The records before it are stored, and none after it.
    package var isStrict: Bool
    /// Whether the import stores nothing unless it can store every record.
    package var isAtomic: Bool
    /// The owner of events without one.
    package var ownerID: Int64?

    package init(isStrict: Bool = false, isAtomic: Bool = false, ownerID: Int64? = nil) {
        self.isStrict = isStrict
        self.isAtomic = isAtomic
        self.ownerID = ownerID
    }
}

/// What imports and exports print about the data they leave out.
enum TransferHint {
    static let ofImport = """
        Imports contain no tokens, account names or passwords. To move everything, use `humon \
        backup` and `humon restore`.

        """

    static func ofExport(_ kind: RecordKind) -> String {
        """
        Only \(kind.plural) were exported, without users' tokens, names and passwords. `humon \
        backup FILE` copies everything.

        """
    }
}

/// The error that rolls back an import.
private struct AbandonedImport: Error {
    let outcome: ImportOutcome
}
