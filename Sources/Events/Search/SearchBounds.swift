/// How much a search may read.
package struct SearchBounds: Sendable {
    /// The maximum number of events that are read with their neighbours.
    package let entries: Int
    /// Whether a page may be short if the search reaches its bounds.
    package let allowsPartialPages: Bool

    /// The maximum number of ids of a list that is read from the database.
    package var listedIDs: Int { max(1, entries / Self.entriesPerID) }

    /// The number of events that are read in the time of an id, and of its event on its own.
    private static let entriesPerID = 16

    package init(entries: Int, allowsPartialPages: Bool) {
        self.entries = entries
        self.allowsPartialPages = allowsPartialPages
    }

    /// The bounds on an event loop: a few ms, and no more than on the search thread.
    package static func quick(_ limits: SearchLimits) -> SearchBounds {
        SearchBounds(entries: min(limits.quickEntries, limits.entries), allowsPartialPages: false)
    }
}

/// The error for a search that needs more reads than its bounds allow.
package struct SearchExceeded: Error {
    package init() {}
}
