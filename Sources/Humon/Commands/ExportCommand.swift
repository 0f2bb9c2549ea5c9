import Model

/// `humon export`: writes all records of a kind to a file or standard output.
struct ExportCommand {
    private static let recordsAtOnce = 1000

    let configuration: Configuration

    /// Writes what is stored when it begins; the file system may be read-only.
    func run(_ kind: RecordKind, path: String?, format: RecordFormat) throws {
        switch kind {
        case .events: try run(EventRecord.self, path, format)
        case .attendances: try run(AttendanceRecord.self, path, format)
        case .tasks: try run(TodoTaskRecord.self, path, format)
        case .sharedTasks: try run(SharedTaskRecord.self, path, format)
        case .checkins: try run(CheckinRecord.self, path, format)
        }
    }

    private func run<Record: FileRecord>(
        _ type: Record.Type,
        _ path: String?,
        _ format: RecordFormat
    ) throws {
        let engine = try Databases.engine(for: configuration)
        try checkPlace(path, engine)
        try engine.check()
        try engine.requireDatabase()
        // It applies missing migrations, and cleans up after the connection that reads.
        let storage = engine.isReadOnly ? nil : try Databases.open(configuration)
        defer { storage?.close() }
        let file = try OutputFile(path: path)
        let count = try engine.exportRecords { session in
            try write(type, format, from: session, to: file)
        }
        try file.finish()
        let kind = Record.kind
        let exported = kind.noun.counted(count)
        Terminal.error.write("Exported \(exported).\n\(TransferHint.ofExport(kind))")
    }

    /// Writes the whole file and returns the number of records.
    private func write<Record: FileRecord>(
        _ type: Record.Type,
        _ format: RecordFormat,
        from session: RecordExport,
        to file: borrowing OutputFile
    ) throws -> Int {
        var writer = Record.writer(for: format)
        var bar = ProgressBar(total: nil, noun: Record.kind.noun)
        defer { bar.finish() }
        var count = 0
        var lastID: Int64 = 0
        var output = writer.head
        while true {
            let records = try session.records(type, after: lastID, limit: Self.recordsAtOnce)
            for record in records { writer.append(record, to: &output) }
            count += records.count
            guard let id = records.last?.id else { break }
            lastID = id
            try file.write(output)
            output.removeAll(keepingCapacity: true)
            bar.update(done: 0, count: count)
        }
        try file.write(output + writer.tail)
        return count
    }

    private func checkPlace(_ path: String?, _ engine: any StorageEngine) throws {
        // A shell may have opened the database as standard output.
        let place = path ?? "/dev/stdout"
        if path == nil, FilePath.status(place) == nil { return }
        try OutputPlace(configuration, engine.files).check(place)
    }
}
