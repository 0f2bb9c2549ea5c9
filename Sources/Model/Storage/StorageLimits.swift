/// The limits of a storage; each can be changed, but none can be turned off.
package struct StorageLimits: Equatable, Sendable {
    /// The number of writes that can wait for the storage.
    package var queuedWrites = 10_000
    /// Memory for events that are read often, of all threads together, in MB.
    package var eventCacheMegabytes = 256

    package init() {}
}
