/// The stored response to a write with an idempotency key.
package struct StoredResponse: Equatable, Sendable {
    /// SHA-256 of the content of the request.
    package let fingerprint: [UInt8]
    package let status: Int
    /// The header fields that are stored, one in a line.
    package let fields: String
    /// At most 64 KiB.
    package let body: [UInt8]

    package init(fingerprint: [UInt8], status: Int, fields: String, body: [UInt8]) {
        self.fingerprint = fingerprint
        self.status = status
        self.fields = fields
        self.body = body
    }
}

/// A store of the responses to writes with idempotency keys.
///
/// Failures are as in `UserStore`.
package protocol ResponseStore: Sendable {
    /// Returns the scope of the keys of a user's token, which a merge doesn't change; nil if no
    /// user has the token.
    func scope(of token: TokenDigest) async throws -> Int64?

    /// Claims a key for the transaction, or returns the response that was stored with it.
    ///
    /// It waits for another transaction that has claimed the key. The digest of the key has 16
    /// bytes, and the fingerprint is SHA-256 of the content of the request.
    func claim(_ digest: [UInt8], fingerprint: [UInt8]) async throws -> StoredResponse?

    /// Stores the response of a key that the transaction has claimed, as its last part.
    ///
    /// Now and then it also deletes some of the oldest responses that need not be kept.
    func store(_ response: StoredResponse, of digest: [UInt8]) async throws
}

/// The performer of several operations on stores as one transaction.
package protocol StoreTransactions: Sendable {
    /// Runs `body` with stores whose reads and writes are one transaction, and returns its result
    /// once that is durable.
    ///
    /// The body may run several times; the changes of earlier times are undone. It must use no
    /// other stores, and wait for nothing else, because a thread waits for it. These stores can't
    /// search. If it throws, nothing is changed, and its error is thrown.
    func atomically<T: Sendable>(
        _ body: @escaping @Sendable (Stores) async throws -> T
    ) async throws -> T
}
