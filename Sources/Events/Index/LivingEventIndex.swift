import System

/// All events in memory, kept equal to a database that one writer of this process changes.
///
/// The writer announces each transaction, and publishes its changes after the commit and before it
/// acknowledges them. Readers get a snapshot that no later change touches. They wait for a few
/// changes at most, and never for each other. If the database has another version than the index,
/// another process has changed it, and the index catches up with the log of changes.
package final class LivingEventIndex: Sendable {
    /// Identifies a state of the database: two states with different content have different
    /// versions.
    package struct Version: Equatable, Sendable {
        private let words: (UInt64, UInt64, UInt64, UInt64)
        /// The number of commits, which differs between two versions of different content.
        let commitCount: UInt32

        /// Creates a version; `words` are what distinguishes it.
        package init(_ words: (UInt64, UInt64, UInt64, UInt64), commitCount: UInt32) {
            self.words = words
            self.commitCount = commitCount
        }

        package static func == (one: Version, other: Version) -> Bool {
            one.words == other.words
        }
    }

    /// The work of the thread that loads.
    package enum Need: Sendable {
        /// Load the events without their contents.
        case events
        /// Load the events with their contents.
        case contents
        /// Catch up with the log of changes.
        case changes
    }

    /// The number of changes up to which readers wait for all of them, about 6 µs for each.
    static let maximumChangesInPlace = 64
    /// The memory of the changes during a load from which it begins anew.
    private static let maximumMissedBytes = 64_000_000

    private let state = Mutex(EventIndexState())
    private let contentBytes: Int
    private let need = Semaphore()
    private let waiters: EventWaiters

    /// Creates an empty index.
    ///
    /// - Parameters:
    ///   - contentBytes: The memory for the contents of all events. If they need more, the index
    ///     keeps none.
    ///   - waitMilliseconds: How long a request waits for the events.
    package init(contentBytes: Int, waitMilliseconds: Int = 10_000) {
        self.contentBytes = contentBytes
        waiters = EventWaiters(milliseconds: waitMilliseconds)
    }

    /// Returns all events as they are in the database, and waits until they are loaded.
    ///
    /// - Parameter current: Returns the events, once they are loaded and have caught up.
    /// - Returns: What `current` returned, or later events.
    /// - Throws: `ModelError.unavailable` if that takes too long, or the server shuts down.
    package func loaded(_ current: @Sendable () -> EventSnapshot?) async throws -> EventSnapshot {
        let begin = MonotonicClock.milliseconds()
        if let snapshot = current() { return snapshot }
        var deadline: (purpose: EventWaiters.Purpose, time: Int64)?
        while true {
            let moment = waiters.moment
            if let snapshot = snapshot(readAfter: begin) ?? current() { return snapshot }
            let purpose: EventWaiters.Purpose = isLoaded ? .changes : .events
            if deadline?.purpose != purpose { deadline = (purpose, waiters.deadline(for: purpose)) }
            try await waiters.wait(since: moment, until: deadline?.time ?? begin, for: purpose)
        }
    }

    private var isLoaded: Bool { state.withLock { $0.snapshot != nil } }

    /// Returns all events if they have the changes of a read that began after a time.
    private func snapshot(readAfter time: Int64) -> EventSnapshot? {
        state.withLock { $0.readAt > time ? $0.snapshot : nil }
    }

    /// Returns all events as they are in the database; nil if they are not loaded.
    ///
    /// `version` returns the current version of the database. It is called under a lock.
    package func current(_ version: () -> Version?) -> EventSnapshot? {
        let (snapshot, isOutdated) = state.withLock { state -> (EventSnapshot?, Bool) in
            guard let snapshot = state.snapshot else { return (nil, false) }
            guard let version = version() else { return (nil, false) }
            if state.isCurrent(version) { return (snapshot, false) }
            // If another process has committed beside the writer, the writer will notice it.
            guard state.expectedCommits == nil, state.position == nil else { return (nil, false) }
            return (nil, state.forget())
        }
        if isOutdated { need.signal() }
        return snapshot
    }

    // MARK: - The log

    /// The position of the log up to which the events have all changes; nil if it is unknown.
    package var position: LogPosition? { state.withLock { $0.position } }

    /// Whether another process has changed the database since the position.
    package var isOutdated: Bool { state.withLock { $0.version == nil } }

    /// The position from which the events can catch up with the log; nil if they are not loaded.
    package var outdatedPosition: LogPosition? {
        state.withLock { $0.snapshot == nil ? nil : $0.position }
    }

    /// Whether there are too many changes for a request to catch up.
    package var isBehind: Bool { state.withLock { $0.isBehind } }

    /// Notes that there are too many changes for a request to catch up, so that the thread that
    /// loads does it.
    package func noteBehind() {
        state.withLock { $0.isBehind = $0.snapshot != nil }
        need.signal()
    }

    /// Applies the changes between two positions, unless the index has another one meanwhile.
    ///
    /// - Parameters:
    ///   - changes: The changes.
    ///   - former: The position without them.
    ///   - position: The position with them.
    ///   - version: The version of the database with them, nil if it is unknown.
    ///   - time: When the read of the changes began, in ms of the monotonic clock; nil if there may
    ///     be more changes.
    /// - Returns: The events with them, or nil if the index had another position.
    package func catchUp(
        _ changes: [EventChange],
        from former: LogPosition,
        to position: LogPosition,
        _ version: Version?,
        readAt time: Int64?
    ) -> EventSnapshot? {
        // As in `didChange`.
        let base = state.withLock { $0.canChangeInPlace(changes) ? nil : $0.snapshot }
        var copy = base
        copy?.apply(changes)
        let events = state.withLock { state -> EventSnapshot? in
            guard state.position == former, state.snapshot != nil else { return nil }
            if let copy, state.snapshot?.identity == base?.identity {
                state.snapshot = copy
            } else if !changes.isEmpty {
                state.snapshot?.apply(changes)
            }
            state.note(changes, Self.maximumMissedBytes)
            // The writer may have committed, and not published its changes yet.
            state.position = position
            state.version = state.expectedCommits == nil ? version : nil
            if let time { (state.isBehind, state.readAt) = (false, max(time, state.readAt)) }
            return state.snapshot
        }
        waiters.resumeAll()
        return events
    }

    /// Forgets the events at a position, because the changes after it can't be known.
    package func forget(at position: LogPosition) {
        let isForgotten = state.withLock { $0.position == position ? $0.forget() : false }
        if isForgotten { need.signal() }
    }

    /// The part of the events that is loaded, in percent; nil once all are.
    package var loadingPercentage: Int? {
        state.withLock { $0.snapshot == nil ? $0.percentage : nil }
    }

    /// Whether all events and their contents are loaded, or the events without contents if these
    /// need too much memory.
    package var isSettled: Bool { nextNeed == nil }

    /// The memory of all events in bytes, with forgotten ones until they are freed.
    package var byteCount: Int {
        state.withLock { state in
            let forgotten = state.forgotten.snapshots.reduce(0) { $0 + $1.byteCount }
            return forgotten + (state.snapshot?.byteCount ?? 0)
        }
    }

    // MARK: - The writer

    /// Announces that the writer will change the database.
    ///
    /// - Parameters:
    ///   - version: The version of the database before the change, nil if it is unknown.
    ///   - commits: The number of commits that the change may make: 1 for a transaction, and 0 for
    ///     a truncation of the WAL. If there are more, another process has committed.
    package func willChange(_ version: Version?, commits: UInt32) {
        let isOutdated = state.withLock { state in
            let isCurrent = state.isCurrent(version)
            state.expectedCommits = commits
            if isCurrent { return false }
            state.version = nil
            return state.position == nil && state.forget()
        }
        if isOutdated { need.signal() }
    }

    /// Publishes the changes of the writer.
    ///
    /// - Parameters:
    ///   - changes: The changes since the position of the index.
    ///   - version: The version of the database with them, nil if it is unknown.
    ///   - position: The position of the log with them; nil if nothing was committed.
    package func didChange(
        _ changes: [EventChange],
        _ version: Version?,
        at position: LogPosition? = nil
    ) {
        // Readers wait while few changes are made in place. They don't wait for the changes of a
        // copy, which cost more.
        let former = state.withLock { $0.canChangeInPlace(changes) ? nil : $0.snapshot }
        var copy = former
        copy?.apply(changes)
        let isTooLarge = state.withLock { state in
            state.expectedCommits = nil
            if let position {
                (state.position, state.version) = (position, version)
            } else if state.position != nil, state.version == nil {
                // The log has these changes, with those of other processes before them.
                return false
            } else {
                state.version = version
            }
            state.note(changes, Self.maximumMissedBytes)
            // Readers may have found meanwhile that it is outdated.
            guard state.snapshot != nil else { return false }
            if let copy, state.snapshot?.identity == former?.identity {
                state.snapshot = copy
            } else if !changes.isEmpty {
                // Events that were loaded meanwhile may not have these changes.
                state.snapshot?.apply(changes)
            }
            guard state.contentsFit, (state.snapshot?.contentBytes ?? 0) > contentBytes else {
                return false
            }
            state.contentsFit = false
            return true
        }
        if isTooLarge { need.signal() }
        waiters.resumeAll()
    }

    /// Notes that it is unknown what the writer or another process has changed.
    package func didChangeInAnUnknownWay() {
        let isOutdated = state.withLock { state in
            state.expectedCommits = nil
            state.version = nil
            return state.forget()
        }
        if isOutdated { need.signal() }
    }

    // MARK: - Loading

    /// The work that is needed; nil if none is.
    package var nextNeed: Need? {
        state.withLock { state in
            guard let snapshot = state.snapshot else { return .events }
            if state.isBehind { return .changes }
            if snapshot.keepsContents { return state.contentsFit ? nil : .events }
            return state.contentsFit ? .contents : nil
        }
    }

    /// Begins to note the changes that loading may miss.
    ///
    /// - Parameters:
    ///   - position: The position of the log before anything is loaded.
    ///   - version: As in `current`, before the position was read.
    package func beginLoading(at position: LogPosition? = nil, _ version: () -> Version?) {
        state.withLock { state in
            state.stopNoting()
            state.missed = MissedChanges()
            state.percentage = 0
            guard state.snapshot == nil else { return }
            state.position = position
            if state.expectedCommits == nil { state.version = version() }
        }
    }

    /// Notes which part of the events is loaded, in percent.
    package func noteProgress(_ percentage: Int) {
        state.withLock { $0.percentage = min(max(percentage, 0), 99) }
    }

    /// Returns whether what has been loaded so far can be used; `version` is as in `current`.
    package func isLoading(_ version: () -> Version?) -> Bool {
        state.withLock { state in
            state.missed != nil && (state.position != nil || state.isCurrent(version()))
        }
    }

    /// Publishes the loaded events, together with the changes since loading began.
    ///
    /// - Parameters:
    ///   - loaded: All events, each as it was at some time since loading began.
    ///   - version: As in `current`.
    /// - Returns: Whether they are published. Otherwise another process has changed the database,
    ///   and all events must be loaded again.
    package func finishLoading(
        _ loaded: consuming EventSnapshot,
        _ version: () -> Version?
    ) -> Bool {
        var snapshot = loaded
        while true {
            let rest = state.withLock { state -> MissedChanges? in
                guard let missed = state.missed else { return nil }
                if !missed.isEmpty {
                    state.missed = MissedChanges()
                    return missed
                }
                state.missed = nil
                if !state.isCurrent(version()) {
                    guard state.position != nil else { return nil }
                    // Requests catch up with the log.
                    state.version = nil
                }
                if let former = state.snapshot { state.forgotten.snapshots.append(former) }
                state.snapshot = snapshot
                return missed
            }
            guard let rest else { return false }
            if rest.isEmpty {
                waiters.resumeAll()
                return true
            }
            snapshot.apply(rest.all)
        }
    }

    /// Stops loading without a result.
    package func cancelLoading() {
        state.withLock { $0.stopNoting() }
    }

    /// Notes that the contents of all events need more memory than allowed, and returns whether
    /// these do.
    package func noteContents(of events: borrowing EventSnapshot, adding bytes: Int = 0) -> Bool {
        guard events.contentBytes + bytes > contentBytes else { return false }
        state.withLock { $0.contentsFit = false }
        return true
    }

    /// Ends all waits of requests; blocks until that is done.
    package func stop() {
        waiters.stop()
    }

    /// Frees forgotten events; call it where no client waits.
    package func freeForgottenEvents() {
        let forgotten = state.withLock { state in
            defer { state.forgotten = ForgottenEvents() }
            return state.forgotten
        }
        withExtendedLifetime(forgotten) {}
    }

    /// Waits until events must be loaded or freed, or until `wake` is called.
    ///
    /// - Parameter milliseconds: The time limit; nil for none.
    /// - Returns: Whether it ended before the time limit.
    @discardableResult
    package func waitForNeed(atMostMilliseconds milliseconds: Int64? = nil) -> Bool {
        need.wait(atMostMilliseconds: milliseconds)
    }

    /// Ends a wait for the need to load.
    package func wake() {
        need.signal()
    }
}
