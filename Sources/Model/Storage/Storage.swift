/// An open storage: its stores, and what commands and the server need to run it.
package protocol Storage: Sendable {
    var stores: Stores { get }
    var accountAdministration: any AccountAdministration { get }
    var transfer: any RecordTransfer { get }

    /// Prepares the calling thread, which serves requests, for reading.
    ///
    /// - Throws: Why the thread must read with resources that it shares with others.
    func bindThread() throws
    /// Called by a bound thread after each batch of requests.
    func threadDidPause()
    /// Called by a bound thread before it waits for requests.
    func threadDidSettle()
    /// Ends what `bindThread` began, on the same thread.
    func unbindThread()

    /// Makes a write that changes nothing, and calls `completion` on any thread once it is durable,
    /// or with the error, usually a `ModelError`, if the storage can't be written to.
    func checkWritable(completion: @escaping @Sendable ((any Error)?) -> Void)
    /// The number of writes that wait.
    var queuedWrites: Int { get }
    /// The time since a write failed because the disk was full, in ms; nil if the latest failure
    /// had another reason, or there was none.
    var millisecondsSinceFullDisk: Int64? { get }
    /// Returns the number of migrations that are not applied; throws why it can't be determined.
    func pendingMigrationCount() throws -> Int
    /// The measurements for monitoring, in a fixed order.
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
}

/// A measurement of a storage for monitoring.
package struct StorageMeasurement: Equatable, Sendable {
    package enum Value: Equatable, Sendable {
        case counter(UInt64)
        /// A counter of seconds.
        case seconds(Double)
        case gauge(Int)
        /// Counts of the values up to 1, 2, 4 and so on, and the sum of all values.
        case histogram(counts: [UInt64], sum: UInt64)
    }

    /// The name of the metric in the format of Prometheus.
    package let name: String
    /// One line that explains it.
    package let help: String
    package let value: Value

    package init(_ name: String, _ help: String, _ value: Value) {
        self.name = name
        self.help = help
        self.value = value
    }
}
