/// The names and the blocks of all users at one moment.
///
/// A value that is copied when a shared copy changes.
package struct UserDirectory: Sendable {
    /// The users who block others.
    private var blockers: [Int64: KnownUser] = [:]
    /// The blockers by the digests of their tokens.
    private var ids: [[UInt8]: Int64] = [:]
    /// The names of the users who have one.
    package private(set) var names: [Int64: OwnerName] = [:]
    package init() {}

    /// Whether there are no blocks.
    var hasNoBlocks: Bool { blockers.isEmpty }
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

    /// Applies a change; O(n) for n users here if there is another copy.
    mutating func apply(_ user: KnownUser) {
        version += 1
        for token in blockers[user.id]?.tokens ?? [] where ids[token] == user.id {
            ids[token] = nil
        }
        names[user.id] = user.name.map(OwnerName.init)
        guard !user.blocked.isEmpty else { return blockers[user.id] = nil }
        blockers[user.id] = user
        for token in user.tokens { ids[token] = user.id }
    }

    /// Returns the JSON of an event with the name of its owner, if the owner has one; O(n).
    ///
    /// A name is not part of the JSON in memory, because a rename would change all events of a
    /// user.
    func naming(_ owner: Int64, in json: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard !names.isEmpty, let name = names[owner]?.member,
            let end = Self.endOfOwnerID(in: json)
        else { return json }
        var named: [UInt8] = []
        named.reserveCapacity(json.count + name.count)
        named += json[..<end]
        named += name
        named += json[end...]
        return named[...]
    }

    /// The bytes before the id of the owner.
    ///
    /// A text has no such bytes, because its quotes are escaped, and members with data follow.
    private static let ownerKey = Array("\"owner\":{\"id\":".utf8)

    /// Returns the index after the owner's id; a loop, because `firstRange` takes 50 us.
    private static func endOfOwnerID(in json: ArraySlice<UInt8>) -> Int? {
        let (bytes, key) = (json.span, ownerKey.span)
        var start = 0
        while start + key.count < bytes.count {
            var length = 0
            while length < key.count, bytes[start + length] == key[length] { length += 1 }
            if length == key.count {
                var end = start + length
                while end < bytes.count, bytes[end] != UInt8(ascii: "}") { end += 1 }
                return json.startIndex + end
            }
            start += 1
        }
        return nil
    }
}

extension UserDirectory {
    /// Returns an event with the name of its owner, if the owner has one.
    package func naming(_ dated: DatedEvent) -> DatedEvent {
        if names.isEmpty { return dated }
        var dated = dated
        dated.event.ownerName = names[dated.event.ownerID]?.text
        return dated
    }
}

/// The name of a user as events show it.
package struct OwnerName: Sendable {
    package let text: String
    /// The member of the owner's JSON, which follows the id.
    fileprivate let member: [UInt8]

    fileprivate init(_ text: String) {
        self.text = text
        let escaped = text.utf8.flatMap { byte in
            byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
                ? [UInt8(ascii: "\\"), byte] : [byte]
        }
        member = Array(",\"name\":\"".utf8) + escaped + [UInt8(ascii: "\"")]
    }
}

/// The owners that a user blocks.
package struct BlockedOwners: Equatable, Sendable {
    /// In rising order.
    private var ids: [Int64] = []

    package init(_ ids: [Int64] = []) {
        self.ids = ids.sorted()
    }

    package var isEmpty: Bool { ids.isEmpty }

    /// Returns whether an owner is blocked; O(log n) for n of them.
    package func contains(_ owner: Int64) -> Bool {
        let index = ids.partitionIndex { $0 < owner }
        return index < ids.count && ids[index] == owner
    }
}

/// A user who has a name or blocks others, as the database has the user now.
package struct KnownUser: Sendable {
    package let id: Int64
    fileprivate let name: String?
    /// The digests of the user's tokens, if the user blocks others.
    fileprivate let tokens: [[UInt8]]
    fileprivate let blocked: BlockedOwners

    /// Creates a user from lists as statements return them, with commas.
    ///
    /// - Parameters:
    ///   - id: The id.
    ///   - name: The name; nil for none. A control character in it means that another program
    ///     stored it, and it is not shown.
    ///   - tokens: The digests of all tokens in hexadecimal digits; nil for none.
    ///   - blocked: The ids of the owners that the user blocks; nil for none.
    package init(id: Int64, name: String?, tokens: String?, blocked: String?) {
        self.id = id
        self.name = name.flatMap { $0.utf8.contains { $0 < 0x20 } ? nil : $0 }
        self.tokens = tokens?.split(separator: ",").map { Self.bytes(of: $0) } ?? []
        self.blocked = BlockedOwners(
            blocked?.split(separator: ",").compactMap { Int64($0) } ?? []
        )
    }

    /// Returns the bytes of hexadecimal digits.
    private static func bytes(of digits: Substring) -> [UInt8] {
        let values = digits.compactMap { $0.hexDigitValue }
        return stride(from: 0, to: values.count - 1, by: 2).map { index in
            UInt8(truncatingIfNeeded: values[index] << 4 | values[index + 1])
        }
    }
}
