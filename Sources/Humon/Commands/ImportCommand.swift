import SQLiteStorage

/// `humon import`: adds the events of a file.
struct ImportCommand {
    /// Events that share a transaction; a server beside waits for one of them at the most.
    private static let eventsAtOnce = 2000
    /// Complaints that are shown; the rest is only counted.
    private static let complaintsShown = 100

    /// An event that has been read and not yet stored.
    private struct Pending {
        let number: Int
        let event: ImportedEvent
    }

    private let storage: Storage
    private var bar: ProgressBar
    private var imported = 0
    private var failed = 0

    init(configuration: Configuration) throws {
        storage = try Storage(configuration, writerCacheKibibytes: Storage.bulkCacheKibibytes)
        bar = ProgressBar(total: nil)
    }

    /// Reads the file to its end, or with `isStrict` to the first record that can't be stored;
    /// what stands before that is stored.
    ///
    /// Returns `.failure` if a record was not stored, and tells each one's number and the reason.
    mutating func run(path: String, format: RecordFormat, isStrict: Bool) async throws -> ExitCode {
        defer { storage.close() }
        var reader = try EventRecordReader(path: path, format: format)
        bar = ProgressBar(total: reader.totalBytes)
        var pending: [Pending] = []
        reading: while let record = try reader.next() {
            switch record.result {
            case .success(let event):
                pending.append(Pending(number: record.number, event: ImportedEvent(event)))
                if pending.count >= Self.eventsAtOnce {
                    try await store(&pending)
                    bar.update(done: reader.bytesRead, count: imported)
                }
            case .failure(let error):
                complain(of: record.number, error.reason)
            }
            if isStrict && failed > 0 { break reading }
        }
        try await store(&pending)
        bar.finish()
        return summarize()
    }

    private mutating func store(_ pending: inout [Pending]) async throws {
        let results = try await storage.events.importBatch(pending.map(\.event))
        for (record, result) in zip(pending, results) {
            switch result {
            case .imported: imported += 1
            case .idIsTaken: complain(of: record.number, "there is an event with this id already")
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

    private func summarize() -> ExitCode {
        let rest = failed == 0 ? "." : "; \(failed) could not be added."
        Terminal.error.write("Imported \(imported) events\(rest)\n")
        return failed == 0 ? .success : .failure
    }
}

extension ImportedEvent {
    fileprivate init(_ record: EventRecord) {
        self.init(id: record.id, ownerID: record.ownerID, attributes: record.attributes)
    }
}
