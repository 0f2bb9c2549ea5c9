import Formats
import Model

/// The file of an import.
struct ImportFile: Sendable {
    let path: String
    let format: RecordFormat
}

/// What an import has come to.
package struct ImportOutcome: Sendable {
    var imported = 0
    var failed = 0
    /// The place of the last record that was stored or rejected; nil before the first.
    var lastNumber: Int?
    /// Why not everything was read or stored, as a sentence.
    package var obstacle: String?
    /// What ended it.
    var signal: Interruption.Signal?

    /// Whether everything in the file was stored.
    var isComplete: Bool { failed == 0 && obstacle == nil && signal == nil }
}

/// Reads the records of a file, hands them on to be stored, and says which can't be.
struct ImportRun<Record: FileRecord> {
    /// Records that share a transaction; a server beside waits for one of them at the most.
    private static var recordsAtOnce: Int { 2000 }

    /// A line that was read and not yet stored: a record, or the error in it.
    ///
    /// Errors wait for the records before them, so that messages come in the order of the file.
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

    /// Reads the file to its end, or as far as it can be read and stored.
    ///
    /// - Parameter store: Stores records in their order and returns what became of each.
    /// - Returns: How far it came.
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
            // What stands before is sound.
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
        // Strict, it is to be known at once whether it is over. A bad record that waits for no
        // other need not wait.
        let mayWait = isFailure ? !options.isStrict && pending.count > 1 : true
        if !mayWait || pending.count >= Self.recordsAtOnce { try flush(store) }
    }

    /// Stores what is pending, and says in the order of the file what can't be.
    private mutating func flush(_ store: ([Record]) throws -> [ImportResult]) throws {
        let entries = pending
        pending.removeAll(keepingCapacity: true)
        let records = entries.compactMap { try? $0.result.get() }
        var results = (records.isEmpty ? [] : try store(records)).makeIterator()
        // Behind the first that can't be stored there is nothing to say, if strict.
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
