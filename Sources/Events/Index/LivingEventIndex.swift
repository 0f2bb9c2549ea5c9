import Rules
import System

/// All events in memory, kept equal to a database by its log of changes.
///
/// Each state has a position of the log. Requests and the writer read the changes since that
/// position and apply them, so a request sees every write that was acknowledged before it. They
/// wait for a few changes at most. If there are too many, an `EventLoader` applies them. Readers
/// get a snapshot that no later change touches.
package final class LivingEventIndex: Sendable {
    /// Identifies a state of the database: two states with different content have different
    /// versions.
    package struct Version: Equatable, Sendable {
        private let words: (UInt64, UInt64, UInt64, UInt64)
        /// The number of commits, which differs between two versions of different content.
        fileprivate let commitCount: UInt32

        /// Creates a version; `words` are what distinguishes it.
        package init(_ words: (UInt64, UInt64, UInt64, UInt64), commitCount: UInt32) {
            self.words = words
            self.commitCount = commitCount
        }

        package static func == (one: Version, other: Version) -> Bool {
            one.words == other.words
        }
    }

    /// The work of an `EventLoader`.
    package enum Need: Sendable {
        /// Load the events without their contents.
        case events
        /// Load the events with their contents.
        case contents
        /// Catch up with the log of changes.
        case changes
    }

    private struct State {
        /// The events, if all of them are loaded.
        var events: AllEvents?
        /// The position of the log up to which the events have all changes; nil without events.
        var position: LogPosition? {
            didSet { lastPosition = position ?? lastPosition }
        }
        /// The latest position, even if the events were forgotten.
        var lastPosition: LogPosition?
        /// The version of the database at this position, if it is known.
        var version: Version?
        /// Whether the writer is committing changes since this version.
        var isCommitting = false
        /// Whether there are too many changes for a request to catch up.
        var isBehind = false
        /// When the latest read of the log began whose changes the events have, in ms of the
        /// monotonic clock.
        var readAt: Int64 = 0
        /// When changes were last applied, in ms of the same clock.
        var changedAt: Int64 = 0
        /// Whether the contents of events fit into memory, as far as it is known.
        var contentsFit = true
        /// The part of the events that is loaded, in percent.
        var percentage = 0
        /// The events that an `EventLoader` frees, because that takes long.
        var forgotten: [AllEvents] = []
        var isStopped = false

        /// Returns whether these changes need no copy, and readers wait only microseconds for them.
        mutating func canChangeInPlace(_ changes: [EventChange]) -> Bool {
            guard !changes.isEmpty else { return true }
            guard events?.isApplyDue == false else { return false }
            let cost = changes.reduce(0) { $0 + $1.cost }
            return cost <= maximumCostInPlace && events?.isUnique() == true
        }

        mutating func forget() {
            if let events { forgotten.append(events) }
            (events, position, version, isBehind, readAt) = (nil, nil, nil, false, 0)
            percentage = 0
        }
    }

    /// The number of changes that a request applies, about 10 µs each.
    package static let fewChanges = 256
    /// The cost of changes up to which readers wait for all of them, about 6 µs for each.
    private static let maximumCostInPlace = 192
    /// The time without changes after which a change is unlikely, in ms.
    private static let quietMilliseconds: Int64 = 50
    /// The longest time that a request waits for changes, in ms.
    private static let catchUpMilliseconds: Int64 = 2000
    /// The longest pause of a waiting request, in ms; the first is 1 ms.
    private static let longestPause: Int64 = 16

    private let state = Mutex(State())
    private let contentBytes: Int
    private let waitMilliseconds: Int64
    private let need = Semaphore()
    /// Wakes the requests that wait for changes.
    package let signal = ChangeSignal()

    /// Creates an empty index.
    ///
    /// - Parameters:
    ///   - contentBytes: The memory for the contents of all events. If they need more, the index
    ///     keeps none.
    ///   - waitMilliseconds: How long a request waits for the events.
    package init(contentBytes: Int, waitMilliseconds: Int = 10_000) {
        self.contentBytes = contentBytes
        self.waitMilliseconds = Int64(clamping: max(0, waitMilliseconds))
    }

    // MARK: - Requests

    /// Returns all events as they are in the database, and waits until they are loaded.
    ///
    /// - Parameter current: Returns the events, once they are loaded and have caught up.
    /// - Returns: What `current` returned, or later events.
    /// - Throws: `ModelError.unavailable` if that takes too long or the server shuts down, and the
    ///   errors of `current`.
    package func loaded(
        _ current: () async throws -> AllEvents?
    ) async throws -> AllEvents {
        let begin = MonotonicClock.milliseconds()
        var deadline: Int64 = 0
        var wasLoaded: Bool?
        var pause: Int64 = 1
        while true {
            if let events = events(readAfter: begin) { return events }
            if let events = try await current() { return events }
            let (isLoaded, isStopped) = state.withLock { ($0.events != nil, $0.isStopped) }
            let now = MonotonicClock.milliseconds()
            if isLoaded != wasLoaded {
                wasLoaded = isLoaded
                deadline = now &+ (isLoaded ? Self.catchUpMilliseconds : waitMilliseconds)
            }
            let error = ModelError.unavailable(
                reason: isLoaded
                    ? "The storage is busy. Try again in a moment."
                    : "The events are being loaded. Try again in a moment."
            )
            guard now < deadline, !isStopped else { throw error }
            do {
                try await Task.sleep(for: .milliseconds(min(pause, deadline - now)))
            } catch {
                throw error
            }
            pause = min(2 * pause, Self.longestPause)
        }
    }

    /// Returns all events if they have the changes of a read that began after a time.
    private func events(readAfter time: Int64) -> AllEvents? {
        state.withLock { $0.readAt > time ? $0.events : nil }
    }

    /// Returns all events if the database has the version that they have.
    ///
    /// `version` returns the current version of the database. It is called under a lock.
    package func current(_ version: () -> Version?) -> AllEvents? {
        state.withLock { state in
            guard state.events != nil, let known = state.version, let found = version() else {
                return nil
            }
            // The writer's commit is not acknowledged yet. Another one would be.
            let isOfWriter =
                state.isCommitting && found.commitCount &- known.commitCount <= 1
            return found == known || isOfWriter ? state.events : nil
        }
    }

    /// Returns all events if they have the changes up to a position.
    package func current(at position: LogPosition) -> AllEvents? {
        state.withLock { $0.position?.includes(position) == true ? $0.events : nil }
    }

    /// The position of the events; nil if they are not loaded, or too far behind for a request.
    package var position: LogPosition? { state.withLock { $0.isBehind ? nil : $0.position } }

    /// Whether a change since the position is unlikely.
    package var isQuiet: Bool {
        let now = MonotonicClock.recentMilliseconds()
        return state.withLock { now - $0.changedAt > Self.quietMilliseconds }
    }

    /// Whether the contents of changed events are needed.
    package var keepsContents: Bool {
        state.withLock { $0.contentsFit || $0.events?.keepsContents == true }
    }

    /// Applies the changes that a request has read, and returns all events.
    ///
    /// - Parameters:
    ///   - read: At most `fewChanges` changes, or nil if they can't be known: then the events are
    ///     loaded again.
    ///   - position: The position after which they were read.
    ///   - version: The version of the database with them, nil if it is unknown.
    ///   - time: When the read began, in ms of the monotonic clock.
    /// - Returns: The events; nil if they must be waited for.
    package func follow(
        _ read: LoggedEvents?,
        since position: LogPosition,
        _ version: Version? = nil,
        readAt time: Int64
    ) -> AllEvents? {
        guard let read else {
            forget(at: position)
            return nil
        }
        guard read.areAll else {
            noteBehind()
            return nil
        }
        return apply(read, since: position, version, readAt: time)
    }

    /// Notes that there are too many changes for a request to catch up, so that an `EventLoader`
    /// does it.
    package func noteBehind() {
        state.withLock { $0.isBehind = $0.events != nil }
        need.signal()
    }

    /// Applies changes since a position, unless the events have been replaced meanwhile.
    private func apply(
        _ read: LoggedEvents,
        since former: LogPosition,
        _ version: Version?,
        readAt time: Int64?
    ) -> AllEvents? {
        let changes = read.changes
        // Readers wait while few changes are made in place. They don't wait for the changes of a
        // copy, which cost more.
        let base = state.withLock { $0.canChangeInPlace(changes) ? nil : $0.events }
        var copy = base
        copy?.apply(read)
        let (events, isTooLarge) = state.withLock { state -> (AllEvents?, Bool) in
            guard let known = state.position, known.includes(former) else { return (nil, false) }
            // Others may have applied more of the changes meanwhile.
            guard read.position.includes(known) else { return (state.events, false) }
            if known != read.position {
                if let copy, let base, state.events?.isSame(as: base) == true {
                    state.events = copy
                } else {
                    state.events?.apply(read)
                }
                state.changedAt = MonotonicClock.recentMilliseconds()
            }
            // They include those of the writer.
            (state.position, state.version, state.isCommitting) = (read.position, version, false)
            state.events?.position = read.position
            if let time { (state.isBehind, state.readAt) = (false, max(time, state.readAt)) }
            let bytes = state.events?.contentBytes ?? 0
            guard state.contentsFit, bytes > contentBytes else { return (state.events, false) }
            state.contentsFit = false
            return (state.events, true)
        }
        if isTooLarge { need.signal() }
        if read.position != former { signal.send() }
        return events
    }

    // MARK: - The writer

    /// Returns the latest position that the events have had; nil if the version of the database is
    /// known and is theirs.
    package func positionBeforeOthers(_ version: Version?) -> LogPosition? {
        state.withLock { state in
            version != nil && version == state.version ? nil : state.lastPosition
        }
    }

    /// Announces that the writer will commit a transaction.
    ///
    /// - Parameter version: The version of the database before, nil if it is unknown.
    /// - Returns: The position after which the writer reads the log; nil if it need not.
    package func beginCommit(_ version: Version?) -> LogPosition? {
        state.withLock { state in
            state.isCommitting = version != nil && version == state.version
            return state.isBehind ? nil : state.position
        }
    }

    /// Publishes the changes of the writer, if it has committed any.
    ///
    /// - Parameters:
    ///   - made: The changes, and the position after which they were read.
    ///   - version: The version of the database with them, nil if it is unknown.
    package func endCommit(_ made: (read: LoggedEvents, since: LogPosition)?, _ version: Version?) {
        if let made { _ = apply(made.read, since: made.since, version, readAt: nil) }
        state.withLock { $0.isCommitting = false }
    }

    /// Forgets the events, which may have changes that the database has lost.
    package func forget() {
        state.withLock { $0.forget() }
        need.signal()
    }

    /// Forgets the events at a position, because the changes after it can't be known.
    private func forget(at position: LogPosition) {
        state.withLock { if $0.position == position { $0.forget() } }
        need.signal()
    }

    // MARK: - Loading

    /// The part of the events that is loaded, in percent; nil once all are.
    package var loadingPercentage: Int? {
        state.withLock { $0.events == nil ? $0.percentage : nil }
    }

    /// The reason why searches must wait, such as `loading events: 42 %`; nil if they need not.
    package var problem: String? { loadingPercentage.map { "loading events: \($0) %" } }

    /// The memory of all events in bytes, with forgotten ones until they are freed.
    package var byteCount: Int {
        state.withLock { state in
            state.forgotten.reduce(state.events?.byteCount ?? 0) { $0 + $1.byteCount }
        }
    }

    /// The number of terms of all events, and their memory in bytes.
    package var terms: (count: Int, bytes: Int) {
        let events = state.withLock { $0.events }
        return (events?.termCount ?? 0, events?.termBytes ?? 0)
    }

    /// The number of private events.
    package var privateEventCount: Int {
        state.withLock { $0.events }?.privateEventCount ?? 0
    }

    /// The work that is needed; nil if none is.
    package var nextNeed: Need? {
        state.withLock { state in
            guard let events = state.events else { return .events }
            if state.isBehind { return .changes }
            if events.keepsContents { return state.contentsFit ? nil : .events }
            return state.contentsFit ? .contents : nil
        }
    }

    /// The position of the events if they are loaded, even if they are far behind.
    var loadedPosition: LogPosition? { state.withLock { $0.position } }

    /// The latest position that the events have had, even if they were forgotten.
    var lastPosition: LogPosition? { state.withLock { $0.lastPosition } }

    /// Notes which part of the events is loaded, in percent.
    func noteProgress(_ percentage: Int) {
        state.withLock { $0.percentage = min(max(percentage, 0), 99) }
    }

    /// Notes that the contents of all events need more memory than allowed, and returns whether
    /// these do.
    func noteContents(ofBytes bytes: Int) -> Bool {
        guard bytes > contentBytes else { return false }
        state.withLock { $0.contentsFit = false }
        return true
    }

    /// Applies changes of which there may be more, or forgets the events if they can't be known.
    func catchUp(_ read: LoggedEvents?, since position: LogPosition, readAt time: Int64) {
        guard let read else { return forget(at: position) }
        _ = apply(read, since: position, nil, readAt: read.areAll ? time : nil)
    }

    /// Publishes the loaded events, which have the changes up to a position.
    func publish(_ loaded: consuming AllEvents, at position: LogPosition) {
        state.withLock { [loaded] state in
            state.forget()
            (state.events, state.position) = (loaded, position)
            state.events?.position = position
        }
        signal.send()
    }

    /// Frees forgotten events; call it where no client waits.
    func freeForgottenEvents() {
        let forgotten = state.withLock { state in
            defer { state.forgotten = [] }
            return state.forgotten
        }
        withExtendedLifetime(forgotten) {}
    }

    /// Waits until there may be a need, or until `wake` is called.
    func waitForNeed(atMostMilliseconds milliseconds: Int64?) {
        need.wait(atMostMilliseconds: milliseconds)
    }

    /// Ends a wait for a need.
    func wake() { need.signal() }

    /// Ends all waits of requests.
    package func stop() { state.withLock { $0.isStopped = true } }
}
