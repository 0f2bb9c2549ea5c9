package import Events

/// An open storage: its stores, and the functions that commands and the server need to run it.
package protocol Storage: Sendable {
    var stores: Stores { get }
    var transfer: any RecordTransfer { get }

    /// Prepares the calling thread, which serves requests, for reading.
    ///
    /// - Throws: The reason why the thread must share resources with other threads to read.
    func bindThread() throws
    /// Tells the storage that a bound thread has finished a batch of requests.
    func threadDidPause()
    /// Tells the storage that a bound thread is about to wait for requests.
    func threadDidSettle()
    /// Undoes `bindThread`, on the same thread.
    func unbindThread()

    /// Makes a write that changes nothing, and calls `completion` once it is durable or has failed.
    ///
    /// `completion` is called on any thread. Its error is usually a `ModelError`.
    func checkWritable(completion: @escaping @Sendable ((any Error)?) -> Void)
    /// The number of queued writes.
    var queuedWrites: Int { get }
    /// The time since a write failed because the disk was full, in ms.
    ///
    /// Nil if no write has failed for that reason, as far as the storage knows.
    var millisecondsSinceFullDisk: Int64? { get }
    /// Returns the number of pending migrations, and throws if it can't be determined.
    func pendingMigrationCount() throws -> Int
    /// The reason why searches must wait, such as `loading events: 42 %`; nil if they need not.
    var eventsProblem: String? { get }
    /// The values for monitoring, in a fixed order.
    var measurements: [StorageMeasurement] { get }

    /// Finishes the writes in progress and closes the storage; blocks until that is done.
    func close()
}

/// A change in the state of an open storage.
package enum StorageEvent: Equatable, Sendable {
    /// Files were moved, deleted or replaced, and all writes are rejected from now on.
    case filesLost(cause: String)
    /// All files are back in place.
    case filesFound
    /// The database can't be reached, so reads and writes are rejected.
    case unreachable(cause: String)
    /// The database can be reached again.
    case reachable
    /// The database rejects settings of connections; `advice` is what to do instead.
    case settingsRejected(advice: String)
    /// All events are in memory, and take this many bytes.
    case eventsLoaded(bytes: Int)
    /// The events can't be kept in memory, so searches are rejected.
    case eventsNotKept(cause: String)
    /// A backup begins that lets the operator go back to the version before the pending migrations.
    case backingUp(path: String)
    /// That backup is complete and verified.
    case backedUp(path: String)
    /// A migration begins that takes long, because it changes this many events.
    case migrating(name: String, events: Int64)
}

/// The limits of a storage; each can be changed, but none can be turned off.
package struct StorageLimits: Equatable, Sendable {
    /// The number of writes that can wait for the storage.
    package var queuedWrites = 10_000
    /// Memory for the contents of all events, in MB.
    package var eventCacheMegabytes = 400
    /// The maximum number of events in memory that a search may compare.
    package var searchEntries = SearchLimits().entries
    /// The maximum number of long searches that can wait.
    package var queuedSearches = SearchLimits().queued
    /// The maximum number of words of an event by which searches find it.
    package var searchWords = TermRules.usualWords
    /// The maximum time that a search waits until all events are in memory, in ms.
    package var indexMilliseconds = 10_000
    /// The maximum number of open reports.
    package var openReports = 100_000
    /// The maximum number of users that one user can block.
    package var blocks = 1000
    /// The number of users whose reports hide an event; 0 if reports hide none.
    package var hidingReports = 0
    /// The maximum number of devices of a user.
    package var devices = 50
    /// How long the responses to writes with idempotency keys are kept, in hours.
    package var responseHours = 7 * 24
    /// How long the log of changes is kept, in hours.
    package var changeHours = 30 * 24
    /// The maximum number of changes in the log.
    package var changes = 5_000_000
    /// The maximum number of changes that a client can catch up with.
    package var changesBehind = 65_536

    package init() {}

    /// Which changes the log retains.
    package var retention: LogRetention {
        var retention = LogRetention()
        retention.milliseconds = Int64(changeHours) * 3_600_000
        retention.leastRows = Int64(changesBehind)
        retention.mostRows = Int64(changes)
        return retention
    }

    /// The limits of reports, blocks and devices.
    package var users: UserLimits {
        var limits = UserLimits()
        limits.openReports = Int64(openReports)
        limits.blocks = Int64(blocks)
        limits.hidingReports = Int64(hidingReports)
        limits.devices = Int64(devices)
        limits.changesBehind = Int64(changesBehind)
        limits.responseMilliseconds = Int64(responseHours) * 3_600_000
        return limits
    }

    /// The limits of searches for events.
    package var searches: SearchLimits {
        var limits = SearchLimits()
        limits.entries = searchEntries
        limits.queued = queuedSearches
        return limits
    }
}
