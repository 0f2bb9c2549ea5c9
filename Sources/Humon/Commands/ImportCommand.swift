import SQLiteStorage

/// `humon import`: adds the records of a file.
struct ImportCommand {
    /// Records that share a transaction; a server beside waits for one of them at the most.
    private static let recordsAtOnce = 2000
    /// Complaints that are shown; the rest is only counted.
    private static let complaintsShown = 100

    /// A record that has been read and not yet stored.
    private struct Pending<Record> {
        let number: Int
        let record: Record
    }

    private let configuration: Configuration
    private let isStrict: Bool
    private var bar = ProgressBar(total: nil)
    private var imported = 0
    private var failed = 0

    /// A strict import stops at the first record that can't be stored; what stands before that is
    /// stored, and nothing behind it.
    init(configuration: Configuration, isStrict: Bool) {
        self.configuration = configuration
        self.isStrict = isStrict
    }

    /// Reads the file to its end, or as far as it can be read, and stores what it holds.
    ///
    /// Returns `.failure` if a record was not stored, and tells each one's number and the reason.
    mutating func run(
        _ kind: RecordKind,
        path: String,
        format: RecordFormat
    ) async throws -> ExitCode {
        switch kind {
        case .events: try await run(EventRecord.self, path, format)
        case .tasks: try await run(TransferredTask.self, path, format)
        case .sharedTasks: try await run(TransferredSharedTask.self, path, format)
        case .checkins: try await run(TransferredCheckin.self, path, format)
        }
    }

    private mutating func run<Record: TransferRecord>(
        _ type: Record.Type,
        _ path: String,
        _ format: RecordFormat
    ) async throws -> ExitCode {
        var reader = try RecordReader(path: path, decoder: Record.decoder(for: format))
        // Only now, so that a file that can't be opened does not leave a new database behind.
        let storage = try Storage(
            configuration,
            writerCacheKibibytes: Storage.bulkCacheKibibytes
        )
        defer { storage.close() }
        bar = ProgressBar(total: reader.totalBytes, noun: Record.kind.plural)
        var pending: [Pending<Record>] = []
        var obstacle: (any Error)?
        while !isOver {
            let next: NumberedRecord<Record>?
            do {
                next = try reader.next()
            } catch {
                obstacle = error
                break
            }
            guard let next else { break }
            switch next.result {
            case .success(let record):
                pending.append(Pending(number: next.number, record: record))
                guard pending.count >= Self.recordsAtOnce else { continue }
                try await store(&pending, in: storage)
                bar.update(done: reader.bytesRead, count: imported)
            case .failure(let error):
                // One before it may turn out to be the first that can't be stored.
                if isStrict { try await store(&pending, in: storage) }
                if !isOver { complain(of: next.number, error.reason) }
            }
        }
        try await store(&pending, in: storage)
        bar.finish()
        summarize(Record.kind)
        if let obstacle { tell(obstacle, path) }
        return failed == 0 && obstacle == nil ? .success : .failure
    }

    private var isOver: Bool { isStrict && failed > 0 }

    private mutating func store<Record: TransferRecord>(
        _ pending: inout [Pending<Record>],
        in storage: Storage
    ) async throws {
        let records = pending.map(\.record)
        let results = try await Record.store(records, isStrict: isStrict, in: storage)
        for (record, result) in zip(pending, results) {
            switch result {
            case .imported: imported += 1
            case .idIsTaken: complain(of: record.number, "its id is taken")
            case .idIsOutOfRange: complain(of: record.number, "an id is out of range")
            case .refused(let reason): complain(of: record.number, reason)
            }
        }
        pending.removeAll(keepingCapacity: true)
    }

    private mutating func complain(of number: Int, _ reason: String) {
        failed += 1
        guard failed <= Self.complaintsShown else { return }
        bar.finish()
        Terminal.error.write("record \(number): \(reason)\n")
        if failed == Self.complaintsShown {
            Terminal.error.write("Further records that can't be added are only counted.\n")
        }
    }

    private func summarize(_ kind: RecordKind) {
        let rest = failed == 0 ? "." : "; \(failed) could not be added."
        Terminal.error.write("Imported \(imported) \(kind.plural)\(rest)\n")
    }

    private func tell(_ obstacle: any Error, _ path: String) {
        var message = Failure(obstacle).message
        if let error = obstacle as? RecordFileError {
            message = "The file \"\(path)\" can't be read any further: \(error.reason)."
        }
        Terminal.error.write("humon: \(message)\n")
    }
}
