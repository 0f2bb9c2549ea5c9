/// An installation of an app, identified by its token.
package struct User: Equatable, Sendable {
    package let id: Int64

    package init(id: Int64) {
        self.id = id
    }
}

/// The SHA-256 digest of a token; the token itself is never stored.
package struct TokenDigest: Hashable, Sendable {
    /// 32 bytes.
    package let bytes: [UInt8]

    package init(bytes: [UInt8]) {
        self.bytes = bytes
    }
}
