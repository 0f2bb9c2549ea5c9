import Events
import SQLite
import System

/// Applies the changes of other processes to the events in memory.
struct LogFollower {
    /// The number of changes that a request or a write applies, about 10 µs each.
    static let fewChanges = 256
    /// The number of changes that the thread applies at once.
    static let manyChanges = 30_000

    let index: LivingEventIndex
    let readers: ReaderPool
    let representation: EventRepresentation

    /// Applies few changes and returns the events with them; nil if there are more, or they can't
    /// be known.
    func catchUp() -> EventSnapshot? {
        guard !index.isBehind, let former = index.outdatedPosition else { return nil }
        // Readers use the database and report its errors.
        guard let (read, version, time) = try? read(after: former, limit: Self.fewChanges) else {
            return nil
        }
        guard let read else {
            index.forget(at: former)
            return nil
        }
        guard read.areAll else {
            index.noteBehind()
            return nil
        }
        return index.catchUp(
            read.changes,
            from: former,
            to: read.position,
            version,
            readAt: time
        )
    }

    /// Applies all changes, many at a time; the events are forgotten if they can't be known.
    ///
    /// - Parameter isStopping: Whether to end early.
    /// - Throws: `SQLiteError`.
    func catchUpAll(isStopping: () -> Bool) throws {
        while index.isBehind, !isStopping(), let former = index.outdatedPosition {
            let (read, version, time) = try read(after: former, limit: Self.manyChanges)
            guard let read else { return index.forget(at: former) }
            _ = index.catchUp(
                read.changes,
                from: former,
                to: read.position,
                version,
                readAt: read.areAll ? time : nil
            )
        }
    }

    /// Reads changes, with the version of the database that has them, nil if it is unknown or there
    /// are more, and the time in ms of the monotonic clock when the read began.
    private func read(
        after position: LogPosition,
        limit: Int
    ) throws -> (LoggedEvents?, LivingEventIndex.Version?, Int64) {
        let time = MonotonicClock.milliseconds()
        // Ends a transaction that does not see what other processes have committed.
        readers.threadDidSettle()
        let version = readers.indexVersion
        let read = try readers.read { connection in
            try SQLiteLog(connection).events(after: position, limit: limit, representation)
        }
        let isSame = read?.areAll == true && version != nil && readers.indexVersion == version
        return (read, isSame ? version : nil, time)
    }
}
