/// The state of a `LivingEventIndex`.
struct EventIndexState {
    /// The events, if all of them are loaded.
    var snapshot: EventSnapshot?
    /// The version of the database after the latest change that this process knows; nil if
    /// another process has changed it since.
    var version: LivingEventIndex.Version?
    /// The position of the log up to which the events have all changes; nil if it is unknown.
    var position: LogPosition?
    /// Whether there are too many changes for a request to catch up.
    var isBehind = false
    /// When the latest read of the log began whose changes the events have, in ms of the monotonic
    /// clock.
    var readAt: Int64 = 0
    /// The number of commits that the writer's present change may make, nil between changes.
    var expectedCommits: UInt32?
    /// The changes since loading began; nil if no events are being loaded.
    var missed: MissedChanges?
    /// The events that the thread that loads frees, because that takes long.
    var forgotten = ForgottenEvents()
    /// Whether the contents of events fit into memory, as far as it is known.
    var contentsFit = true
    /// The part of the events that is loaded, in percent.
    var percentage = 0

    /// Returns whether the database has the version that this process knows.
    ///
    /// While the writer changes it, this is the version before the change or after it.
    func isCurrent(_ version: LivingEventIndex.Version?) -> Bool {
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
        (snapshot, position, isBehind) = (nil, nil, false)
        stopNoting()
        return wasUsed
    }
}

/// The events that a `LivingEventIndex` no longer uses.
struct ForgottenEvents {
    var snapshots: [EventSnapshot] = []
    var changes: [MissedChanges] = []
}
