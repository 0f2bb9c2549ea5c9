import System
package import Events
import Model
package import SQLite
import Time

/// The events and the log of a SQLite database, as an `EventLoader` reads them.
package struct SQLiteEventSource: EventSource {
    private let writer: Writer
    private let readers: ReaderPool
    private let representation: EventRepresentation

    package init(_ writer: Writer, _ readers: ReaderPool, _ representation: EventRepresentation) {
        self.writer = writer
        self.readers = readers
        self.representation = representation
    }

    package var isReady: Bool { true }

    package var lookMilliseconds: Int64? { nil }

    package func bindThread() {
        // A reader of its own; without it, the shared one is used, which is only slower.
        try? readers.bindThread()
    }

    package func unbindThread() { readers.unbindThread() }

    /// Does nothing: `humon doctor` reports missing triggers.
    package func prepareLog() {}

    package func isOfDamagedLog(_ error: any Error) -> Bool { false }

    package func position(since known: LogPosition?) throws -> LogPosition {
        while true {
            if let position = try read({ try SQLiteLog($0).position() }),
                !position.hasLostNumbers(since: known)
            {
                return position
            }
            try writer.writeAndWait { connection in
                let log = SQLiteLog(connection)
                // The writer may have noticed it first.
                if try log.position()?.hasLostNumbers(since: known) != false {
                    try log.renewAfterLoss()
                }
            }
        }
    }

    package func greatestID() throws -> Int64 {
        try read { connection in
            try connection.first("SELECT max(id) FROM events") { $0.int64(0) } ?? 0
        }
    }

    package func events(from id: Int64, limit: Int64, withContents: Bool) throws -> [EventChange] {
        try read { connection in
            try connection.all(Self.page, .integer(id), .integer(limit)) { row in
                EventChange(Event(row), representation, withContent: withContents)
            }
        }
    }

    private static let page = SQL(selectingFrom: .events, "WHERE id >= ? ORDER BY id LIMIT ?")

    package func users() throws -> [KnownUser] {
        try read { connection in try SQLiteLog(connection).users() }
    }

    package func changes(
        after position: LogPosition,
        limit: Int,
        withContents: Bool
    ) throws -> LoggedEvents? {
        try read { connection in
            try SQLiteLog(connection).events(
                after: position,
                limit: limit,
                representation,
                withContents: withContents
            )
        }
    }

    package func prune(_ retention: LogRetention) throws -> Bool {
        try writer.writeAndWait { connection in
            try SQLiteLog(connection).prune(retention, now: Timestamp.now().milliseconds)
        }
    }

    /// Reads in a transaction of its own.
    private func read<T: Sendable>(_ body: @Sendable (Connection) throws -> T) throws -> T {
        defer { readers.threadDidSettle() }
        return try readers.read(body)
    }
}
