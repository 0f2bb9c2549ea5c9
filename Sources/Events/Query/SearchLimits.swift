/// The limits of searches that are too long for an event loop.
package struct SearchLimits: Equatable, Sendable {
    /// The maximum number of events in memory that a search may compare.
    package var entries = 2_000_000
    /// The part of it that a search may compare on an event loop: a few ms.
    package var quickEntries = 100_000
    /// The maximum number of long searches that can wait.
    package var queued = 32

    package init() {}
}
