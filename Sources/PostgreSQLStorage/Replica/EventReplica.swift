import EventIndex
import Model
import PostgreSQL
import System

/// All events in memory, kept equal to a database that any number of programs change.
///
/// Before each use, a statement reads the database's snapshot and the changes since the replica's
/// snapshot. So a request sees every write that any node has acknowledged before it.
final class EventReplica: Sendable {
    private struct State {
        /// The events, if all of them are loaded.
        var events: EventSnapshot?
        /// Their position, if they are loaded.
        var position: ReplicaPosition?
        /// Whether there are too many changes for a request to catch up.
        var isBehind = false
        /// Whether the events take more memory than allowed.
        var isTooLarge = false
        /// When the events were last known to be current, in ms of the monotonic clock.
        var checkedAt: Int64 = 0
        /// When the position was changed, in ms of the same clock.
        var changedAt: Int64 = 0
        /// Events that the background task frees, because that takes long.
        var forgotten: [EventSnapshot] = []

        /// Forgets all events.
        mutating func forget() {
            if let events { forgotten.append(events) }
            (events, position, isBehind) = (nil, nil, false)
        }
    }

    /// The greatest number of changes with which a request catches up, about 10 µs each.
    static let maximumChanges = 256
    /// The time in ms without changes after which a change is unlikely.
    private static let quietMilliseconds: Int64 = 50

    let representation: EventRepresentation
    private let maximumBytes: Int
    private let state = Mutex(State())

    /// Creates an empty replica, whose events may use at most `maximumBytes`; with 0, nothing is
    /// loaded.
    init(_ representation: EventRepresentation, maximumBytes: Int) {
        self.representation = representation
        self.maximumBytes = maximumBytes
        if maximumBytes == 0 { giveUp() }
    }

    /// The position of the events in memory; nil if they are not loaded, or too far behind.
    var position: ReplicaPosition? {
        state.withLock { $0.isBehind ? nil : $0.position }
    }

    /// Whether a change since the latest position is unlikely.
    ///
    /// In this case, it is quicker to read only the database's position first, and to read the
    /// changes only if the position differs.
    var isQuiet: Bool {
        let now = MonotonicClock.recentMilliseconds()
        return state.withLock { now - $0.changedAt > Self.quietMilliseconds }
    }

    /// Returns the events if they are current as of a position of the database.
    ///
    /// - Parameters:
    ///   - row: The row of `ReplicaPosition.command`.
    ///   - position: The latest position.
    /// - Returns: The events, or nil if they lack changes.
    /// - Throws: `ModelError` or `PostgreSQLError` if the row is malformed.
    func events(at row: Row?, near position: ReplicaPosition) throws -> EventSnapshot? {
        try ReplicaPosition(row, near: position.snapshot).flatMap(events(at:))
    }

    /// Applies the changes that a statement has read, and returns all events.
    ///
    /// - Parameters:
    ///   - rows: The rows of `EventChanges.command(since:limit:)` with `maximumChanges`.
    ///   - position: The position for which they were requested.
    /// - Returns: The events, or nil if they must be read from the database.
    /// - Throws: `ModelError` or `PostgreSQLError` if the rows are malformed.
    func events(after rows: Rows, since position: ReplicaPosition) throws -> EventSnapshot? {
        let limit = Self.maximumChanges
        guard let changes = try EventChanges(rows, limit: limit, near: position.snapshot),
            changes.position.follows(position)
        else {
            forget(at: position)
            return nil
        }
        if let events = events(at: changes.position) { return events }
        guard changes.areAll else {
            state.withLock { $0.isBehind = true }
            return nil
        }
        guard let made = try changes.all(representation) else {
            forget(at: position)
            return nil
        }
        return state.withLock { state in
            guard let known = state.position else { return nil }
            let now = MonotonicClock.recentMilliseconds()
            if !known.includes(changes.position) {
                // Another request may have applied some of the changes meanwhile.
                guard known.includes(position), changes.position.includes(known) else {
                    return nil
                }
                if !made.isEmpty { state.events?.apply(made) }
                state.position = changes.position
                state.changedAt = now
                if isTooLarge(state.events?.byteCount ?? 0) {
                    state.forget()
                    state.isTooLarge = true
                }
            }
            state.checkedAt = now
            return state.events
        }
    }

    /// Returns the events if they are current as of this position.
    private func events(at position: ReplicaPosition) -> EventSnapshot? {
        state.withLock { state in
            guard state.position?.includes(position) == true else { return nil }
            state.checkedAt = MonotonicClock.recentMilliseconds()
            return state.events
        }
    }

    /// Forgets the events if they still have this position, whose changes since can't be known.
    private func forget(at position: ReplicaPosition) {
        state.withLock { state in
            if state.position == position { state.forget() }
        }
    }

    /// Returns whether events take more memory than allowed.
    func isTooLarge(_ byteCount: Int) -> Bool { byteCount > maximumBytes }

    /// The memory of all events, in bytes.
    var byteCount: Int { state.withLock { $0.events?.byteCount ?? 0 } }

    // MARK: - Loading

    /// Whether the events must be loaded: they are not, and do not take too much memory.
    var needsLoading: Bool { state.withLock { $0.events == nil && !$0.isTooLarge } }

    /// Returns the position of the events if they must catch up: there are too many changes for
    /// requests, or no request has asked for them for this time in ms.
    func outdatedPosition(afterMilliseconds age: Int64) -> ReplicaPosition? {
        state.withLock { state in
            let isRecent = MonotonicClock.milliseconds() - state.checkedAt < age
            return isRecent && !state.isBehind ? nil : state.position
        }
    }

    /// Applies changes since a position, unless the events have another one meanwhile.
    ///
    /// Meanwhile requests use the database. A copy of the former events for them would take nearly
    /// as much memory again if there are thousands of changes.
    ///
    /// - Parameters:
    ///   - changes: The changes.
    ///   - position: The position with them.
    ///   - former: The position without them.
    func apply(
        _ changes: [EventChange],
        at position: ReplicaPosition,
        since former: ReplicaPosition
    ) {
        let taken = state.withLock { state -> EventSnapshot? in
            guard state.position == former else { return nil }
            guard !changes.isEmpty else {
                (state.position, state.isBehind) = (position, false)
                state.checkedAt = MonotonicClock.milliseconds()
                return nil
            }
            defer { (state.events, state.position) = (nil, nil) }
            return state.events
        }
        guard var events = taken else { return }
        events.apply(changes)
        publish(events, at: position, isBehind: changes.count > Self.maximumChanges / 2)
    }

    /// Publishes all events.
    ///
    /// - Parameters:
    ///   - events: The events.
    ///   - position: The position of the events.
    ///   - isBehind: Whether there are too many changes since then for requests to catch up.
    func publish(
        _ events: consuming EventSnapshot,
        at position: ReplicaPosition,
        isBehind: Bool
    ) {
        guard !isTooLarge(events.byteCount) else { return giveUp() }
        state.withLock { [events] state in
            (state.events, state.position, state.isBehind) = (events, position, isBehind)
            state.checkedAt = MonotonicClock.milliseconds()
            state.changedAt = state.checkedAt
        }
    }

    /// Notes that the events take more memory than allowed, so that they are not loaded any more.
    func giveUp() {
        state.withLock { state in
            state.forget()
            state.isTooLarge = true
        }
    }

    /// Forgets the events, so that they are loaded again.
    func forget() {
        state.withLock { $0.forget() }
    }

    /// Frees forgotten events; call it where no client waits.
    func freeForgottenEvents() {
        let forgotten = state.withLock { state in
            defer { state.forgotten = [] }
            return state.forgotten
        }
        withExtendedLifetime(forgotten) {}
    }
}
