import Threads

/// All events in memory, kept equal to a database that one writer of this process changes.
///
/// The writer announces each transaction, and publishes its changes after the commit and before it
/// acknowledges them. Readers get a snapshot that no later change touches, so they neither wait
/// for the writer nor for each other. If the database has another version than the index, another
/// process has changed it, and the events are loaded anew.
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
        /// The version of the database after the latest change that this process knows.
        var version: Version?
        /// Whether the writer is changing the database, so that its version is in between.
        var isChanging = false
        /// The changes since loading began; nil if no events are being loaded.
        var missed: [EventChange]?
        var missedBytes = 0
        /// Events to be freed by the thread that loads, which takes long.
        var discarded: [EventSnapshot] = []
        /// Whether the events take more memory than allowed.
        var isTooLarge = false

        /// Notes changes that loading may miss, and stops it if they take too much memory.
        mutating func note(_ changes: [EventChange], _ maximumBytes: Int) {
            guard missed != nil else { return }
            missed?.append(contentsOf: changes)
            missedBytes += changes.reduce(0) { $0 + $1.byteCount }
            if missedBytes > maximumBytes { missed = nil }
        }

        /// Returns whether the database still has the version that this process knows.
        func isCurrent(_ version: Version?) -> Bool {
            version != nil && version == self.version
        }

        /// Forgets all events; returns whether they must be loaded anew.
        mutating func forget() -> Bool {
            let wasUsed = snapshot != nil || missed != nil
            if let snapshot { discarded.append(snapshot) }
            snapshot = nil
            missed = nil
            return wasUsed
        }

        /// Returns whether the database has the version before the writer's change or after it.
        func isCurrentDuringChange(_ version: Version) -> Bool {
            guard let known = self.version?.commitCount else { return false }
            return version.commitCount == known || version.commitCount == known &+ 1
        }
    }

    private let state = Mutex(State())
    private let maximumBytes: Int
    private let need = Semaphore()

    /// Creates an empty index, whose events may use at most `maximumBytes`.
    package init(maximumBytes: Int) {
        self.maximumBytes = maximumBytes
    }

    /// Returns all events as they are in the database; nil if they are not loaded.
    ///
    /// `version` returns the current version of the database. It is called under a lock.
    package func current(_ version: () -> Version?) -> EventSnapshot? {
        let (snapshot, isOutdated) = state.withLock { state -> (EventSnapshot?, Bool) in
            guard let snapshot = state.snapshot else { return (nil, false) }
            guard let version = version() else { return (nil, false) }
            if state.isChanging {
                // What the writer is changing is not acknowledged yet. If another process has
                // committed as well, the writer will notice it.
                return (state.isCurrentDuringChange(version) ? snapshot : nil, false)
            }
            return state.version == version ? (snapshot, false) : (nil, state.forget())
        }
        if isOutdated { need.signal() }
        return snapshot
    }

    /// Whether all events are loaded.
    package var isLoaded: Bool {
        state.withLock { $0.snapshot != nil }
    }

    /// The memory of all events, in bytes; 0 if they are not loaded.
    package var byteCount: Int {
        state.withLock { $0.snapshot?.byteCount ?? 0 }
    }

    /// Whether the events take more memory than allowed, so that they are not kept.
    package var isTooLarge: Bool {
        state.withLock { $0.isTooLarge }
    }

    // MARK: - The writer

    /// Announces that the writer will change the database, whose version is given.
    package func willChange(_ version: Version?) {
        let isOutdated = state.withLock { state in
            state.isChanging = true
            return state.isCurrent(version) ? false : state.forget()
        }
        if isOutdated { need.signal() }
    }

    /// Publishes the changes of the writer, after which the database has this version.
    package func didChange(_ changes: [EventChange], _ version: Version?) {
        let former = state.withLock { $0.snapshot }
        var changed = former
        if !changes.isEmpty { changed?.apply(changes) }
        state.withLock { state in
            state.isChanging = false
            state.version = version
            state.note(changes, maximumBytes)
            // Readers may have found meanwhile that it is outdated.
            guard state.snapshot != nil else { return }
            // Without a former one, events were loaded meanwhile, but without these changes.
            if former == nil { state.snapshot?.apply(changes) } else { state.snapshot = changed }
            state.isTooLarge = (state.snapshot?.byteCount ?? 0) > maximumBytes
            if state.isTooLarge { _ = state.forget() }
        }
    }

    /// Notes that it is unknown what the writer has changed.
    package func didChangeInAnUnknownWay() {
        let isOutdated = state.withLock { state in
            state.isChanging = false
            state.version = nil
            return state.forget()
        }
        if isOutdated { need.signal() }
    }

    // MARK: - Loading

    /// Begins to note the changes that loading may miss; `version` is as in `current`.
    ///
    /// - Parameter version: As in `current`.
    /// - Returns: False if all events are loaded.
    package func beginLoading(_ version: () -> Version?) -> Bool {
        let (begins, discarded) = state.withLock { state -> (Bool, [EventSnapshot]) in
            let discarded = state.discarded
            state.discarded = []
            guard state.snapshot == nil else { return (false, discarded) }
            state.missed = []
            state.missedBytes = 0
            state.isTooLarge = false
            if !state.isChanging { state.version = version() }
            return (true, discarded)
        }
        // Freed here, where no client waits.
        withExtendedLifetime(discarded) {}
        return begins
    }

    /// Returns whether what has been loaded so far can be used; `version` is as in `current`.
    package func isLoading(_ version: () -> Version?) -> Bool {
        state.withLock { state in
            guard state.missed != nil, let version = version() else { return false }
            return state.isChanging
                ? state.isCurrentDuringChange(version) : state.version == version
        }
    }

    /// Publishes the loaded events, together with the changes since loading began.
    ///
    /// - Parameters:
    ///   - loaded: All events, each as it was at some time since loading began.
    ///   - version: As in `current`.
    /// - Returns: Whether they are published or too large. Otherwise another process has changed
    ///   the database, and all events must be loaded again.
    package func finishLoading(
        _ loaded: consuming EventSnapshot,
        _ version: () -> Version?
    ) -> Bool {
        var snapshot = loaded
        while true {
            let rest = state.withLock { state -> [EventChange]? in
                guard let missed = state.missed else { return nil }
                if !missed.isEmpty {
                    state.missed = []
                    return missed
                }
                let isCurrent =
                    version().map { version in
                        state.isChanging
                            ? state.isCurrentDuringChange(version) : state.version == version
                    } ?? false
                guard isCurrent else {
                    state.missed = nil
                    return nil
                }
                state.missed = nil
                state.isTooLarge = snapshot.byteCount > maximumBytes
                state.snapshot = state.isTooLarge ? nil : snapshot
                return []
            }
            guard let rest else { return false }
            if rest.isEmpty { return true }
            snapshot.apply(rest)
        }
    }

    /// Stops loading without a result.
    ///
    /// - Parameter isTooLarge: Whether the events take more memory than allowed.
    package func cancelLoading(isTooLarge: Bool) {
        state.withLock { state in
            state.missed = nil
            state.isTooLarge = isTooLarge
        }
    }

    /// Waits until the events must be loaded, or `wake` is called.
    package func waitForNeed() {
        need.wait(atMostMilliseconds: nil)
    }

    /// Ends a wait for the need to load.
    package func wake() {
        need.signal()
    }
}
