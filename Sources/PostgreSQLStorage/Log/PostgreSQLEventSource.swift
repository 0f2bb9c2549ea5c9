import Events
import Model
import PostgreSQL
import Time

/// The events and the log of a PostgreSQL database, as an `EventLoader` reads them.
struct PostgreSQLEventSource: EventSource {
    let connections: Database
    let log: PostgreSQLLog
    let representation: EventRepresentation

    var isReady: Bool { log.writing != nil }

    var lookMilliseconds: Int64? { 1000 }

    func bindThread() {}

    func unbindThread() {}

    func prepareLog() throws { try log.prepare() }

    func isOfDamagedLog(_ error: any Error) -> Bool {
        (error as? PostgreSQLError)?.state?.classCode == "42"
    }

    func position(since known: LogPosition?) throws -> LogPosition {
        while true {
            if let row = try connections.readAndWait(log.positionCommand).first {
                return try LogPosition(row)
            }
            _ = try connections.writeAndWait([PostgreSQLLog.identifyCommand])
        }
    }

    func greatestID() throws -> Int64 {
        let row = try connections.readAndWait(Command(LogStatements.lastEvent)).first
        return try row?.optionalBigint(0) ?? 0
    }

    func events(from id: Int64, limit: Int64, withContents: Bool) throws -> [EventChange] {
        try connections.readAndWait(
            Command(LogStatements.allEvents, [.bigint(id), .bigint(limit)])
        ).map { row in EventChange(try Event(row), representation, withContent: withContents) }
    }

    func users() throws -> [KnownUser] {
        try connections.readAndWait(Command(LogStatements.users)).map { row in
            try KnownUser(row, from: 0)
        }
    }

    func changes(
        after position: LogPosition,
        limit: Int,
        withContents: Bool
    ) throws -> LoggedEvents? {
        let command = log.eventsCommand(after: position.number, limit: limit)
        return try LoggedEvents(
            connections.readAndWait(command),
            after: position,
            limit: limit,
            representation,
            withContents: withContents
        )
    }

    func prune(_ retention: LogRetention) throws -> Bool {
        let now = Timestamp.now().milliseconds
        let rows = try connections.writeAndWait([PostgreSQLLog.pruneCommand(retention, now: now)])
        return try rows.first?.first?.bigint(0) ?? 0 >= retention.rowsAtOnce
    }
}
