/// One installation of an app, known by its token alone.
package struct User: Equatable, Sendable {
    package let id: Int64

    package init(id: Int64) {
        self.id = id
    }
}

/// The SHA-256 digest of a token: all that is ever stored of one.
package struct TokenDigest: Hashable, Sendable {
    /// 32 bytes.
    package let bytes: [UInt8]

    package init(bytes: [UInt8]) {
        self.bytes = bytes
    }
}
