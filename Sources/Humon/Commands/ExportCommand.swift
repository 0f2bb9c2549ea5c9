import Model
import SQLiteStorage

/// `humon export`: writes all events to a file or to standard output.
struct ExportCommand {
    private static let eventsAtOnce = 1000

    let configuration: Configuration

    func run(path: String?, format: RecordFormat) throws {
        let storage = try Storage(configuration, mustExist: true)
        defer { storage.close() }
        let file = try OutputFile(path: path)
        var writer = EventRecordWriter(format: format)
        var bar = ProgressBar(total: nil)
        var count = 0
        var lastID: Int64 = 0
        var output = writer.head
        while true {
            let events = try storage.events.export(after: lastID, limit: Self.eventsAtOnce)
            for event in events { writer.append(event, to: &output) }
            count += events.count
            guard let last = events.last else { break }
            lastID = last.id
            try file.write(output)
            output.removeAll(keepingCapacity: true)
            bar.update(done: 0, count: count)
        }
        try file.write(output + writer.tail)
        bar.finish()
        Terminal.error.write("Exported \(count) events.\n")
    }
}
