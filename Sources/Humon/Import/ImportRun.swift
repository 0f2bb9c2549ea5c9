import Formats
import Model

/// A file to import.
struct ImportFile: Sendable {
    let path: String
    let format: RecordFormat
}

/// The result of an import.
package struct ImportOutcome: Sendable {
    var imported = 0
    var failed = 0
    /// The number of the last record that was stored or rejected; nil before the first.
    var lastNumber: Int?
    /// The error that stopped the import, as a sentence.
    package var obstacle: String?
    /// The signal that stopped the import.
    var signal: Interruption.Signal?

    /// Whether everything in the file was stored.
    var isComplete: Bool { failed == 0 && obstacle == nil && signal == nil }
}

/// An import that reads records from a file, stores them, and reports errors.
struct ImportRun<Record: FileRecord> {
    /// The number of records in a transaction; a server on the same database waits for at most one.
    private static var recordsAtOnce: Int { 2000 }

    /// A record that is not stored yet, or the error in it.
    ///
    /// Errors wait for the records before them, so that messages are in the order of the file.
    private struct Pending {
        let number: Int
        let result: Result<Record, RecordError>
    }

    private let file: ImportFile
    private let options: ImportOptions
    private let interruption: Interruption
    private var bar = ProgressBar(total: nil)
    private var complaints = ImportComplaints()
    private var outcome = ImportOutcome()
    private var pending: [Pending] = []

    init(_ file: ImportFile, _ options: ImportOptions, _ interruption: Interruption) {
        self.file = file
        self.options = options
        self.interruption = interruption
    }

    /// Reads the file to its end, or until an error or a signal stops the import.
    ///
    /// - Parameter store: Stores records in order and returns the result of each.
    /// - Returns: The result of the import.
    mutating func run(_ store: ([Record]) throws -> [ImportResult]) -> ImportOutcome {
        do {
            try read(store)
        } catch is CancellationError {
            outcome.signal = interruption.signal
        } catch let error as RecordFileError {
            outcome.obstacle =
                "The file \"\(file.path)\" can't be read any further: \(error.reason)."
        } catch {
            outcome.obstacle = Failure(error).message
        }
        bar.finish()
        for line in complaints.summary { Terminal.error.write(line + "\n") }
        outcome.failed = complaints.count
        return outcome
    }

    private mutating func read(_ store: ([Record]) throws -> [ImportResult]) throws {
        var reader = try RecordReader<Record>(
            path: file.path,
            decoder: Record.decoder(for: file.format, ownerID: options.ownerID),
            isCancelled: { [interruption] in interruption.signal != nil }
        )
        bar = ProgressBar(total: reader.totalBytes, noun: Record.kind.noun)
        do {
            while !isOver, let next = try reader.next() {
                if interruption.signal != nil { throw CancellationError() }
                try take(next, store)
                if pending.isEmpty {
                    bar.update(done: reader.bytesRead, count: outcome.imported)
                }
            }
        } catch let error as RecordFileError {
            // The records before the error are valid.
            try flush(store)
            throw error
        }
        try flush(store)
    }

    private var isOver: Bool { options.isStrict && complaints.count > 0 }

    private mutating func take(
        _ next: NumberedRecord<Record>,
        _ store: ([Record]) throws -> [ImportResult]
    ) throws {
        pending.append(Pending(number: next.number, result: next.result))
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
        guard let text = complaints.add("\(file.format.unit) \(number)", reason) else { return }
        bar.finish()
        Terminal.error.write(text + "\n")
    }
}
