package import Formats
package import Model
import Rules

/// An import that reads records from a file, stores them, and reports errors.
package struct ImportRun<Record: FileRecord> {
    /// The number of records in a transaction; a server on the same database waits for at most one,
    /// about 0.5 s.
    ///
    /// Events change pages all over the indexes, and a longer transaction changes each page once.
    /// With 10,000 records, the import of a million events takes 28 s instead of 22.
    private static var recordsAtOnce: Int { 25_000 }

    private let path: String
    private let format: RecordFormat
    private let options: ImportOptions
    private let isCancelled: @Sendable () -> Bool
    private var display: any ImportDisplay
    private var complaints = ImportComplaints()
    private var outcome = ImportOutcome()
    /// The records that are not stored yet, and the errors between them.
    ///
    /// Errors wait for the records before them, so that messages are in the order of the file.
    private var pending: [NumberedRecord<Record>] = []

    /// Creates an import.
    ///
    /// - Parameters:
    ///   - path: The path of the file to read.
    ///   - format: The format of the file.
    ///   - options: How to treat the records.
    ///   - display: Where the progress and the errors are shown.
    ///   - isCancelled: Returns whether to stop. It may be called on another thread.
    package init(
        path: String,
        format: RecordFormat,
        _ options: ImportOptions,
        display: any ImportDisplay,
        isCancelled: @escaping @Sendable () -> Bool
    ) {
        self.path = path
        self.format = format
        self.options = options
        self.display = display
        self.isCancelled = isCancelled
    }

    /// Reads the file to its end, or until an error or a cancellation stops the import.
    ///
    /// It blocks. A cancellation ends it after the current batch; an atomic import then stores
    /// nothing.
    ///
    /// - Returns: The result of the import, which names the error that stopped it.
    /// - Throws: The error of an atomic import's transaction.
    package func run(into storage: any Storage) throws -> ImportOutcome {
        options.isAtomic ? try storeAtOnce(storage) : storeInBatches(storage)
    }

    private func storeInBatches(_ storage: any Storage) -> ImportOutcome {
        var run = self
        return run.run { [isStrict = options.isStrict] records in
            try storage.transfer.importRecords(isRepeatable: true) { session in
                try session.store(records, isStrict: isStrict)
            }
        }
    }

    /// Stores all records in one transaction, or none.
    private func storeAtOnce(_ storage: any Storage) throws -> ImportOutcome {
        do {
            return try storage.transfer.importRecords(isRepeatable: false) { session in
                var run = self
                var outcome = run.run { records in
                    try session.store(records, isStrict: options.isStrict)
                }
                // An error rolls the transaction back.
                guard outcome.isComplete else { throw AbandonedImport(outcome: outcome) }
                if isCancelled() {
                    outcome.isCancelled = true
                    throw AbandonedImport(outcome: outcome)
                }
                return outcome
            }
        } catch let error as AbandonedImport {
            return error.outcome
        }
    }

    /// Reads the file with a function that stores records in order and returns the result of each.
    private mutating func run(_ store: ([Record]) throws -> [ImportResult]) -> ImportOutcome {
        do {
            try read(store)
        } catch is CancellationError {
            outcome.isCancelled = true
        } catch let error as RecordFileError {
            outcome.obstacle = "Reading \"\(path)\" failed: \(error.reason)."
        } catch {
            outcome.obstacle = Explanation.text(of: error)
        }
        display.finish()
        for line in complaints.summary { display.show(message: line) }
        outcome.failed = complaints.count
        return outcome
    }

    private mutating func read(_ store: ([Record]) throws -> [ImportResult]) throws {
        var reader = try RecordReader<Record>(
            path: path,
            decoder: Record.decoder(for: format, options.defaults),
            isCancelled: isCancelled
        )
        display.begin(totalBytes: reader.totalBytes)
        do {
            while !isOver, let next = try reader.next() {
                if isCancelled() { throw CancellationError() }
                try take(next, store)
                if pending.isEmpty {
                    display.update(done: reader.bytesRead, count: outcome.imported)
                }
            }
        } catch let error as RecordFileError {
            // The records before most errors are valid.
            if !error.isAboutAll { try flush(store) }
            throw error
        }
        try flush(store)
    }

    private var isOver: Bool { options.isStrict && complaints.count > 0 }

    private mutating func take(
        _ next: NumberedRecord<Record>,
        _ store: ([Record]) throws -> [ImportResult]
    ) throws {
        pending.append(next)
        let isFailure = if case .failure = next.result { true } else { false }
        // In strict mode, an error must be known immediately. An invalid record with no others
        // before it doesn't have to wait.
        let mayWait = isFailure ? !options.isStrict && pending.count > 1 : true
        if !mayWait || pending.count >= Self.recordsAtOnce { try flush(store) }
    }

    /// Stores the pending records, and reports errors in the order of the file.
    private mutating func flush(_ store: ([Record]) throws -> [ImportResult]) throws {
        let entries = pending
        pending.removeAll(keepingCapacity: true)
        let records = entries.compactMap { try? $0.result.get() }
        var results = (records.isEmpty ? [] : try store(records)).makeIterator()
        // In strict mode, the first error ends the report.
        for entry in entries where !isOver {
            switch entry.result {
            case .failure(let error): complain(of: entry.number, error.reason)
            case .success:
                guard let result = results.next() else { return }
                take(result, of: entry.number)
            }
            outcome.lastNumber = entry.number
        }
    }

    private mutating func take(_ result: ImportResult, of number: Int) {
        switch result {
        case .imported: outcome.imported += 1
        case .idIsTaken: complain(of: number, "its id is taken")
        case .idIsOutOfRange: complain(of: number, "an id is out of range")
        case .refused(let reason): complain(of: number, reason)
        }
    }

    private mutating func complain(of number: Int, _ reason: String) {
        guard let text = complaints.add("\(format.unit) \(number)", reason) else { return }
        display.show(message: text)
    }
}

/// The error that rolls back an import.
private struct AbandonedImport: Error {
    let outcome: ImportOutcome
}
