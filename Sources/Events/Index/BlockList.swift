/// The blocks of all users at one moment.
///
/// A value that is copied when a shared copy changes.
package struct BlockList: Sendable {
    private struct Blocker {
        let token: [UInt8]?
        var blocked: BlockedOwners
    }

    private var blockers: [Int64: Blocker] = [:]
    /// The blockers by the digests of their tokens.
    private var ids: [[UInt8]: Int64] = [:]
    /// Whether there are no blocks.
    var isEmpty: Bool { blockers.isEmpty }
    /// The number of changes, which identifies the content.
    private(set) var version = 0

    /// Returns the owners that the user with a token blocks.
    ///
    /// - Parameter token: The digest of the token; nil for nobody.
    /// - Returns: The owners; none for an unknown token.
    package func owners(blockedBy token: [UInt8]?) -> BlockedOwners {
        guard !ids.isEmpty, let token, let id = ids[token] else { return BlockedOwners() }
        return blockers[id]?.blocked ?? BlockedOwners()
    }

    /// Applies a change; O(n) for n users with blocks if there is another copy.
    mutating func apply(_ change: BlockChange) {
        version += 1
        let former = blockers[change.userID]
        if let token = former?.token, ids[token] == change.userID { ids[token] = nil }
        var blocked = former?.blocked ?? BlockedOwners()
        blocked.set(change.blockedID, isBlocked: change.isBlocked)
        guard !blocked.isEmpty else { return blockers[change.userID] = nil }
        blockers[change.userID] = Blocker(token: change.token, blocked: blocked)
        if let token = change.token { ids[token] = change.userID }
    }
}

/// The owners that a user blocks.
package struct BlockedOwners: Equatable, Sendable {
    /// In rising order.
    private var ids: [Int64] = []

    package init() {}

    package var isEmpty: Bool { ids.isEmpty }

    /// Returns whether an owner is blocked; O(log n) for n of them.
    package func contains(_ owner: Int64) -> Bool {
        let index = ids.partitionIndex { $0 < owner }
        return index < ids.count && ids[index] == owner
    }

    mutating func set(_ owner: Int64, isBlocked: Bool) {
        let index = ids.partitionIndex { $0 < owner }
        let isKnown = index < ids.count && ids[index] == owner
        if isBlocked, !isKnown { ids.insert(owner, at: index) }
        if !isBlocked, isKnown { ids.remove(at: index) }
    }
}

/// A change of whether a user blocks an owner, with the state that it has led to.
package struct BlockChange: Sendable {
    package let userID: Int64
    package let blockedID: Int64
    /// Whether the user blocks the owner now.
    package let isBlocked: Bool
    /// The digest of the user's token; nil if it is revoked.
    package let token: [UInt8]?

    package init(userID: Int64, blockedID: Int64, isBlocked: Bool, token: [UInt8]?) {
        self.userID = userID
        self.blockedID = blockedID
        self.isBlocked = isBlocked
        self.token = token
    }
}
