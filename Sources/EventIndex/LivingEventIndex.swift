package import Model
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

    private struct State {
        /// The events, if all of them are loaded.
        var snapshot: EventSnapshot?
        /// The version of the database after the latest change that this process knows; nil if
        /// another process has changed it since.
        var version: Version?
        /// The position of the log up to which the events have all changes; nil if it is unknown.
        var position: LogPosition?
        /// The number of commits that the writer's present change may make, nil between changes.
        var expectedCommits: UInt32?
        /// The changes since loading began; nil if no events are being loaded.
        var missed: MissedChanges?
        /// What the thread that loads frees, because that takes long.
        var forgotten = Forgotten()
        /// Whether the contents of events fit into memory, as far as it is known.
        var contentsFit = true
        /// The part of the events that is loaded, in percent.
        var percentage = 0

        /// Returns whether the database has the version that this process knows.
        ///
        /// While the writer changes it, this is the version before the change or after it.
        func isCurrent(_ version: Version?) -> Bool {
            guard let version, let known = self.version else { return false }
            guard let expectedCommits else { return version == known }
            return version.commitCount &- known.commitCount <= expectedCommits
        }

        /// Returns whether these changes need no copy, and readers wait only microseconds for them.
        mutating func canChangeInPlace(_ changes: [EventChange]) -> Bool {
            guard !changes.isEmpty else { return true }
            return changes.count <= LivingEventIndex.maximumChangesInPlace
                && snapshot?.isUnique() == true
        }

        /// Notes changes that loading may miss, and stops it if they take too much memory.
        mutating func note(_ changes: [EventChange], _ maximumBytes: Int) {
            guard missed != nil else { return }
            missed?.append(changes)
            if let missed, missed.byteCount > maximumBytes { stopNoting() }
        }

        /// Stops noting changes, so that what was loaded so far can no longer be used.
        mutating func stopNoting() {
            if let missed, !missed.isEmpty { forgotten.changes.append(missed) }
            missed = nil
        }

        /// Forgets all events; returns whether the thread that loads has something to do.
        mutating func forget() -> Bool {
            let wasUsed = snapshot != nil || missed != nil
            if let snapshot { forgotten.snapshots.append(snapshot) }
            (snapshot, position) = (nil, nil)
            stopNoting()
            return wasUsed
        }
    }

    private struct Forgotten {
        var snapshots: [EventSnapshot] = []
        var changes: [MissedChanges] = []
    }

    /// What the thread that loads must do.
    package enum Need: Sendable {
        /// Load the events without their contents.
        case events
        /// Load the events with their contents.
        case contents
    }

    /// The number of changes up to which readers wait for all of them, about 6 µs for each.
    private static let maximumChangesInPlace = 64
    /// The memory of the changes during a load from which it begins anew.
    private static let maximumMissedBytes = 64_000_000

    private let state = Mutex(State())
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
    /// - Returns: What `current` returned.
    /// - Throws: `ModelError.unavailable` if that takes too long, or the server shuts down.
    package func loaded(_ current: @Sendable () -> EventSnapshot?) async throws -> EventSnapshot {
        if let snapshot = current() { return snapshot }
        let deadline = waiters.deadline()
        while true {
            let moment = waiters.moment
            if let snapshot = current() { return snapshot }
            try await waiters.wait(since: moment, until: deadline)
        }
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

    /// The position from which requests can catch up with the log.
    ///
    /// Nil if the events are not loaded, or while the writer catches up.
    package var outdatedPosition: LogPosition? {
        state.withLock { state in
            state.snapshot == nil || state.expectedCommits != nil ? nil : state.position
        }
    }

    /// Applies the changes between two positions, unless the index has another one meanwhile.
    ///
    /// - Parameters:
    ///   - changes: The changes; nil if they can't be known, so that the events are loaded again.
    ///   - former: The position without them.
    ///   - position: The position with them.
    ///   - version: The version of the database with them, nil if it is unknown.
    package func catchUp(
        _ changes: [EventChange]?,
        from former: LogPosition,
        to position: LogPosition?,
        _ version: Version?
    ) {
        let isForgotten = state.withLock { state in
            guard state.position == former, state.expectedCommits == nil else { return false }
            guard let changes, let position else { return state.forget() }
            if !changes.isEmpty { state.snapshot?.apply(changes) }
            state.note(changes, LivingEventIndex.maximumMissedBytes)
            (state.position, state.version) = (position, version)
            return false
        }
        if isForgotten { need.signal() }
        waiters.resumeAll()
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
            } else if state.position == nil || state.version != nil || version == nil {
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

    /// What must be loaded; nil if nothing must be.
    package var nextNeed: Need? {
        state.withLock { state in
            guard let snapshot = state.snapshot else { return .events }
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
            defer { state.forgotten = Forgotten() }
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
