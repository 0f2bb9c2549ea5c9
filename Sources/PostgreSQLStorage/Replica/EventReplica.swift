import Events
import PostgreSQL
import Rules
import System

/// All events in memory, kept equal to a database that any number of programs change.
///
/// Before each use, a statement reads the number of the log's latest change, and the changes since
/// the replica's number. So a request sees every write that any node has acknowledged. While there
/// are too many changes for that, or the events are not loaded yet, requests wait for the loader.
final class EventReplica: Sendable {
    /// A kind of load.
    enum Need: Sendable {
        /// All events, without their contents.
        case events
        /// The events that are in memory, again and with their contents.
        case contents
    }

    private struct State {
        /// The events, if all of them are loaded.
        var events: EventSnapshot?
        /// Their position, if they are loaded.
        var position: LogPosition?
        /// Whether there are too many changes for a request to catch up.
        var isBehind = false
        /// Whether the loader has taken the events, to apply changes to them.
        var isApplying = false
        /// Whether the events have their contents.
        var keepsContents = false
        /// Whether the contents of all events fit into memory, as far as it is known.
        var contentsFit = true
        /// The number of times that the loader has begun to read changes.
        var begunRounds: UInt64 = 0
        /// The latest of these times whose changes are in the events.
        var latestRound: UInt64 = 0
        /// How many of the events are loaded, in percent.
        var percentage = 0
        /// When the events were last known to be current, in ms of the monotonic clock.
        var checkedAt: Int64 = 0
        /// When the position was changed, in ms of the same clock.
        var changedAt: Int64 = 0
        /// Events that the background task frees, because that takes long.
        var forgotten: [EventSnapshot] = []

        /// Whether requests wait until all events are loaded.
        var isLoading: Bool { events == nil && !isApplying }

        /// Forgets all events.
        mutating func forget() {
            if let events { forgotten.append(events) }
            (events, position, isBehind, percentage) = (nil, nil, false, 0)
            keepsContents = false
        }

        /// Applies changes to the events, and notes whether their contents still fit into memory.
        mutating func apply(_ changes: [EventChange], _ contentBytes: Int) {
            if !changes.isEmpty { events?.apply(changes) }
            if let events, events.contentBytes > contentBytes { contentsFit = false }
        }
    }

    /// The greatest number of changes with which a request catches up, about 10 µs each.
    static let maximumChanges = 256
    /// The time in ms without changes after which a change is unlikely.
    private static let quietMilliseconds: Int64 = 50

    /// The time that a request waits until the events have caught up with the database, in ms.
    private static let catchUpMilliseconds: Int64 = 2000

    private let representation: EventRepresentation
    private let contentBytes: Int
    let log: PostgreSQLLog
    private let waiters: EventWaiters
    private let state = Mutex(State())

    /// Creates an empty replica.
    ///
    /// - Parameters:
    ///   - representation: How events are represented to clients.
    ///   - log: The log of changes.
    ///   - contentBytes: The memory for the contents of all events.
    ///   - milliseconds: The longest time that a request waits for the events.
    init(
        _ representation: EventRepresentation,
        _ log: PostgreSQLLog,
        contentBytes: Int,
        milliseconds: Int
    ) {
        self.representation = representation
        self.contentBytes = contentBytes
        self.log = log
        waiters = EventWaiters(milliseconds: milliseconds)
    }

    /// Returns all events, with every write that was acknowledged before.
    ///
    /// - Parameter current: Returns the events if they are loaded, and it takes few changes to make
    ///   them current.
    /// - Returns: The events.
    /// - Throws: `ModelError.unavailable` if that takes too long or can't be, and the errors of
    ///   `current`.
    func events(current: () async throws -> EventSnapshot?) async throws -> EventSnapshot {
        if let events = try await current() { return events }
        let round = state.withLock { $0.begunRounds + 1 }
        let deadline = waiters.deadline()
        let catchUpDeadline = MonotonicClock.milliseconds() + Self.catchUpMilliseconds
        while true {
            if let cause = log.cause {
                throw ModelError.unavailable(
                    reason: "The server can't follow the changes of events.",
                    cause: cause
                )
            }
            let moment = waiters.moment
            if let events = events(ofRound: round) { return events }
            if let events = try await current() { return events }
            if state.withLock({ $0.isLoading }) {
                try await waiters.wait(since: moment, until: deadline)
                continue
            }
            do {
                try await waiters.wait(since: moment, until: min(deadline, catchUpDeadline))
            } catch {
                throw ModelError.busy()
            }
        }
    }

    /// Returns the events if they have all changes that the loader has read since this round.
    private func events(ofRound round: UInt64) -> EventSnapshot? {
        state.withLock { $0.latestRound >= round ? $0.events : nil }
    }

    /// The reason why requests wait for the events; nil if they don't.
    var problem: String? {
        if let cause = log.cause { return "events can't be loaded: \(cause)" }
        return state.withLock { state in
            state.isLoading ? "loading events: \(state.percentage) %" : nil
        }
    }

    /// Ends all waits with an error.
    func stop() { waiters.stop() }

    /// The position of the events in memory; nil if they are not loaded, or too far behind.
    var position: LogPosition? {
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
    /// - Parameter row: The row of `PostgreSQLLog.positionCommand`.
    /// - Returns: The events, or nil if they lack changes.
    /// - Throws: `PostgreSQLError` if the row is malformed.
    func events(at row: Row?) throws -> EventSnapshot? {
        try row.map { try LogPosition($0) }.flatMap(events(at:))
    }

    /// Applies the changes that a statement has read, and returns all events.
    ///
    /// - Parameters:
    ///   - rows: The rows of `PostgreSQLLog.eventsCommand` with `maximumChanges`.
    ///   - position: The position for which they were requested.
    /// - Returns: The events, or nil if they must be read from the database.
    /// - Throws: `PostgreSQLError` if the rows are malformed.
    func events(after rows: Rows, since position: LogPosition) throws -> EventSnapshot? {
        let limit = Self.maximumChanges
        guard let changes = try EventChanges(rows, limit: limit),
            changes.position.follows(position)
        else {
            forget(at: position)
            return nil
        }
        if let events = events(at: changes.position) { return events }
        guard changes.areAll else {
            noteBehind()
            return nil
        }
        guard let made = try changes.all(representationToKeep) else {
            forget(at: position)
            return nil
        }
        return state.withLock { state in
            guard let known = state.position else { return nil }
            let now = MonotonicClock.recentMilliseconds()
            if !known.includes(changes.position) {
                // Another request may have applied some of the changes meanwhile.
                guard known.includes(position), changes.position.includes(known) else {
                    state.isBehind = true
                    return nil
                }
                state.apply(made, contentBytes)
                state.position = changes.position
                state.changedAt = now
            }
            state.checkedAt = now
            return state.events
        }
    }

    /// Returns the events if they are current as of this position.
    private func events(at position: LogPosition) -> EventSnapshot? {
        state.withLock { state in
            guard state.position?.includes(position) == true else { return nil }
            state.checkedAt = MonotonicClock.recentMilliseconds()
            return state.events
        }
    }

    /// Forgets the events if they still have this position, whose changes since can't be known.
    private func forget(at position: LogPosition) {
        state.withLock { state in
            if state.position == position { state.forget() }
        }
    }

    /// Lets the loader read the changes, instead of requests.
    func noteBehind() { state.withLock { $0.isBehind = true } }

    /// The memory of all events, in bytes.
    var byteCount: Int { state.withLock { $0.events?.byteCount ?? 0 } }

    // MARK: - Loading

    /// The load that is needed; nil if none is.
    var nextNeed: Need? {
        state.withLock { state in
            if state.events == nil { return .events }
            if state.keepsContents { return state.contentsFit ? nil : .events }
            return state.contentsFit ? .contents : nil
        }
    }

    /// How changed events are represented; nil if no contents are kept.
    var representationToKeep: EventRepresentation? {
        state.withLock { $0.contentsFit || $0.keepsContents ? representation : nil }
    }

    /// Returns whether the contents of all events need no more memory than allowed, as these do.
    func noteContents(ofBytes bytes: Int) -> Bool {
        if bytes <= contentBytes { return true }
        state.withLock { $0.contentsFit = false }
        return false
    }

    /// Notes how many of the events are loaded, in percent.
    func note(percentage: Int) { state.withLock { $0.percentage = percentage } }

    /// Returns the number of a read of changes that begins now.
    func beginRound() -> UInt64 {
        state.withLock { state in
            state.begunRounds += 1
            return state.begunRounds
        }
    }

    /// Returns the position of the events if they must catch up: there are too many changes for
    /// requests, or no request has asked for them for this time in ms.
    func outdatedPosition(afterMilliseconds age: Int64) -> LogPosition? {
        state.withLock { state in
            let isRecent = MonotonicClock.milliseconds() - state.checkedAt < age
            return isRecent && !state.isBehind ? nil : state.position
        }
    }

    /// Applies changes since a position, unless the events have another one meanwhile.
    ///
    /// Meanwhile requests wait. A copy of the former events for them would take nearly as much
    /// memory again if there are thousands of changes, and they need the changes anyway.
    ///
    /// - Parameters:
    ///   - changes: The changes.
    ///   - position: The position with them.
    ///   - former: The position without them.
    ///   - round: The number of the read of the changes; nil if there were more.
    func apply(
        _ changes: [EventChange],
        at position: LogPosition,
        since former: LogPosition,
        _ round: UInt64?
    ) {
        let taken = state.withLock { state -> EventSnapshot? in
            guard state.position == former else { return nil }
            guard !changes.isEmpty else {
                (state.position, state.isBehind) = (position, round == nil)
                state.latestRound = round ?? state.latestRound
                state.checkedAt = MonotonicClock.milliseconds()
                return nil
            }
            state.isApplying = true
            defer { (state.events, state.position) = (nil, nil) }
            return state.events
        }
        if var events = taken {
            events.apply(changes)
            let isBehind = round == nil || changes.count > Self.maximumChanges / 2
            publish(events, at: position, round: round ?? 0, isBehind: isBehind)
        } else {
            waiters.resumeAll()
        }
    }

    /// Publishes all events.
    ///
    /// - Parameters:
    ///   - events: The events.
    ///   - position: The position of the events.
    ///   - round: The number of the latest read of changes that they contain; 0 if they are new.
    ///   - isBehind: Whether there are too many changes since then for requests to catch up.
    func publish(
        _ events: consuming EventSnapshot,
        at position: LogPosition,
        round: UInt64 = 0,
        isBehind: Bool = false
    ) {
        state.withLock { [events] state in
            if let former = state.events { state.forgotten.append(former) }
            (state.events, state.position, state.isBehind) = (events, position, isBehind)
            (state.keepsContents, state.isApplying) = (events.keepsContents, false)
            state.apply([], contentBytes)
            state.latestRound = round
            state.checkedAt = MonotonicClock.milliseconds()
            state.changedAt = state.checkedAt
        }
        waiters.resumeAll()
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
