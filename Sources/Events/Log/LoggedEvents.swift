/// Changes of events after a position of the log, as one transaction has read them.
package struct LoggedEvents: Sendable {
    package let changes: [EventChange]
    /// The users whose name or blocks have changed.
    package let users: [KnownUser]
    /// The position with these changes.
    package let position: LogPosition
    /// Whether these are all changes.
    package let areAll: Bool

    /// The number of changes from which it is quicker to load all events.
    private static let mostChanges: Int64 = 100_000

    /// Creates changes, whose order doesn't matter: each is what the event is now.
    package init(
        _ changes: [EventChange],
        users: [KnownUser] = [],
        at position: LogPosition,
        areAll: Bool
    ) {
        self.changes = changes
        self.users = users
        self.position = position
        self.areAll = areAll
    }

    /// Returns whether changes between two positions can be known, and it is quicker to read them
    /// than to load all events.
    package static func canBeRead(from known: LogPosition, to latest: LogPosition) -> Bool {
        latest.follows(known) && latest.number - known.number <= mostChanges
    }
}
