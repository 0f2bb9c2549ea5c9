/// A person who uses an app, on one device or several, each with a token.
package struct User: Equatable, Sendable {
    package let id: Int64
    /// Whether an operator has banned the user from publishing.
    package let isBanned: Bool
    /// The name that others see; nil without one.
    package let name: String?

    package init(id: Int64, isBanned: Bool = false, name: String? = nil) {
        self.id = id
        self.isBanned = isBanned
        self.name = name
    }
}

/// The SHA-256 digest of a token; the token itself is never stored.
package struct TokenDigest: Hashable, Sendable {
    /// 32 bytes.
    package let bytes: [UInt8]

    package init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    package func hash(into hasher: inout Hasher) {
        // The bytes of a digest are as random as a hash, so eight of them suffice.
        hasher.combine(bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }
}
