import SQLiteStorage

/// `humon export`: writes all records of a kind to a file or to standard output.
struct ExportCommand {
    private static let recordsAtOnce = 1000

    let configuration: Configuration

    func run(_ kind: RecordKind, path: String?, format: RecordFormat) throws {
        switch kind {
        case .events: try run(EventRecord.self, path, format)
        case .tasks: try run(TransferredTask.self, path, format)
        case .sharedTasks: try run(TransferredSharedTask.self, path, format)
        case .checkins: try run(TransferredCheckin.self, path, format)
        }
    }

    private func run<Record: TransferRecord>(
        _ type: Record.Type,
        _ path: String?,
        _ format: RecordFormat
    ) throws {
        let storage = try Storage(configuration, mustExist: true)
        defer { storage.close() }
        let file = try OutputFile(path: path)
        var writer = Record.writer(for: format)
        var bar = ProgressBar(total: nil, noun: Record.kind.plural)
        var count = 0
        var lastID: Int64 = 0
        var output = writer.head
        while true {
            let records = try Record.stored(after: lastID, limit: Self.recordsAtOnce, in: storage)
            for record in records { writer.append(record, to: &output) }
            count += records.count
            guard let id = records.last?.id else { break }
            lastID = id
            try file.write(output)
            output.removeAll(keepingCapacity: true)
            bar.update(done: 0, count: count)
        }
        try file.write(output + writer.tail)
        try file.finish()
        bar.finish()
        Terminal.error.write("Exported \(count) \(Record.kind.plural).\n")
    }
}
