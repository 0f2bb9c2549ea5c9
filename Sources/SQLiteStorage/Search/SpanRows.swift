import EventIndex
import Model
import SQLite

/// The rows of a span, ordered by start, which are read in batches.
struct SpanRows {
    private let span: Int64
    /// The half-open range of starts to read.
    private var from: Int64
    private var to: Int64
    private let isDescending: Bool
    /// The position after which the next rows are.
    private var position: EventPosition
    private var rows: ArraySlice<EventKeys> = []
    private var hasMore = true
    private var rowCount: Int

    /// The number of rows that are read first.
    private static let firstRows = 8
    private static let mostRows = 512

    init(span: Int64, _ window: EventWindow, _ read: EventRead) {
        self.span = span
        isDescending = read.isDescending
        (from, to) = window.starts(of: span)
        let start = read.start
        position =
            start
            ?? EventPosition(
                key: isDescending ? .max : .min,
                id: isDescending ? .max : .min
            )
        rowCount = min(max(read.maximumMatches, Self.firstRows), 32)
    }

    var first: EventKeys? { rows.first }

    mutating func removeFirst() { rows = rows.dropFirst() }

    mutating func fill(from connection: Connection) throws {
        guard rows.isEmpty, hasMore else { return }
        var read: [EventKeys] = []
        try connection.rows(
            isDescending ? EventSQL.lastStarts : EventSQL.firstStarts,
            .integer(span),
            .integer(position.key),
            .integer(position.id),
            .integer(from),
            .integer(to),
            .integer(Int64(rowCount))
        ) { row in
            read.append(EventKeys(row))
            return .next
        }
        hasMore = read.count == rowCount
        rowCount = min(rowCount * 2, Self.mostRows)
        if let last = read.last { position = last.start }
        rows = read[...]
    }
}
