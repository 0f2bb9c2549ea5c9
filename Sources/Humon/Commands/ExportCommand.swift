import Formats
import Model
import Operations
import Settings
import System

/// `humon export`: writes all records of a kind to a file or standard output.
struct ExportCommand: ProgramCommand {
    static let description = CommandDescription(
        name: "export",
        arguments: "[FILE]",
        summary: "Write records to FILE, or to standard output.",
        notes: [TransferHelp.fields, TransferHelp.csv, leftOut],
        options: [
            .init(name: "format", value: "FORMAT", meaning: "Write ndjson, csv or geojson."),
            .init(
                name: "private",
                meaning: "Include private events in csv and geojson; ndjson always has them."
            ),
        ] + CommandDescription.Option.kinds
    )

    private static let leftOut = """
        An export contains records of one kind, without tokens, account names or passwords, and
        without the ids of deleted records, which a new database would use again. To move
        everything, use `humon backup FILE` and `humon restore FILE`.
        """
    private static let recordsAtOnce = 1000

    let kind: RecordKind
    /// The path of the file; nil is standard output.
    let path: String?
    let format: RecordFormat
    let includesPrivateRecords: Bool

    static func parse(_ arguments: Arguments) throws(UsageError) -> Self {
        try arguments.end(after: 1)
        // As in other programs, `-` is standard output; a file of that name is `./-`.
        let path = arguments.positional.first.flatMap { $0 == "-" ? nil : $0 }
        let kind = try arguments.kind()
        let format = try arguments.format(of: kind, path: path)
        return Self(
            kind: kind,
            path: path,
            format: format,
            includesPrivateRecords: format == .ndjson || arguments.has("private")
        )
    }

    /// Writes what is stored when it begins; the file system may be read-only.
    func run(in context: CommandContext) throws -> ExitCode {
        let configuration = try context.configuration(
            with: kind.system,
            for: "humon export --of \(kind.rawValue)"
        )
        switch kind {
        case .events: try run(EventRecord.self, configuration)
        case .attendances: try run(AttendanceRecord.self, configuration)
        case .tasks: try run(TodoTaskRecord.self, configuration)
        case .sharedTasks: try run(SharedTaskRecord.self, configuration)
        case .checkins: try run(CheckinRecord.self, configuration)
        }
        return .success
    }

    private func run<Record: FileRecord>(
        _ type: Record.Type,
        _ configuration: Configuration
    ) throws {
        let engine = try Databases.engine(for: configuration)
        try checkPlace(engine.files)
        try engine.check()
        try engine.requireDatabase()
        // It applies missing migrations, and cleans up after the connection that reads.
        let storage = engine.isReadOnly ? nil : try Databases.open(configuration)
        defer { storage?.close() }
        let file = try OutputFile(path: path)
        let (count, leftOut, hidden) = try engine.exportRecords { session in
            try write(type, format, from: session, to: file)
        }
        try file.finish()
        ReadOnlyNotice.show(of: engine, configuration)
        let kind = Record.kind
        let exported = kind.noun.counted(count)
        Terminal.error.write(
            """
            Exported \(exported).
            Only \(kind.plural) were exported, without users' tokens, names and passwords. `humon \
            backup FILE` copies everything.

            """
        )
        if leftOut > 0 {
            let records = Noun("private \(kind.noun.singular)").counted(leftOut)
            Terminal.error.write("Left out \(records). To include them, use --private.\n")
        }
        if hidden > 0 {
            let records = Noun("hidden \(kind.noun.singular)").counted(hidden)
            Terminal.error.write("Left out \(records), which only the format ndjson can have.\n")
        }
    }

    /// Writes the whole file, and returns the numbers of records in it and of those left out.
    private func write<Record: FileRecord>(
        _ type: Record.Type,
        _ format: RecordFormat,
        from session: RecordExport,
        to file: borrowing OutputFile
    ) throws -> (written: Int, leftOut: Int, hidden: Int) {
        var writer = Record.writer(for: format)
        var bar = ProgressBar(total: nil, noun: Record.kind.noun)
        defer { bar.finish() }
        var count = 0
        var leftOut = 0
        var hidden = 0
        var lastID: Int64 = 0
        var output = writer.head
        while true {
            let records = try session.records(type, after: lastID, limit: Self.recordsAtOnce)
            for record in records {
                guard format == .ndjson || !record.isHidden else {
                    hidden += 1
                    continue
                }
                guard includesPrivateRecords || !record.isPrivate else {
                    leftOut += 1
                    continue
                }
                writer.append(record, to: &output)
                count += 1
            }
            guard let id = records.last?.id else { break }
            lastID = id
            try file.write(output)
            output.removeAll(keepingCapacity: true)
            bar.update(done: 0, count: count)
        }
        try file.write(output + writer.tail)
        return (count, leftOut, hidden)
    }

    private func checkPlace(_ files: any DatabaseFiles) throws {
        // A shell may have opened the database as standard output.
        let place = path ?? "/dev/stdout"
        if path == nil, LocalFile.status(place) == nil { return }
        try OutputPlace(files).check(place)
    }
}
