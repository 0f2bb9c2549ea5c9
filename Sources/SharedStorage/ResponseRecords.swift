package import Model
import Rules
package import System
import Time

/// The stored responses to writes with idempotency keys, the same for all engines.
package struct ResponseRecords: ResponseStore {
    /// One of this many writes deletes old responses.
    private static let writesForOneDeletion: UInt8 = 64
    /// The number of responses that are deleted at once.
    private static let deletedAtOnce: Int64 = 256

    private let database: any SharedDatabase
    private let limits: UserLimits

    package init(_ database: any SharedDatabase, _ limits: UserLimits) {
        self.database = database
        self.limits = limits
    }

    package func scope(of token: TokenDigest) async throws -> Int64? {
        try await database.read { session in
            try session.integers(ResponseStatements.scope, .bytes(token.bytes)).first?.integer(0)
        }
    }

    package func find(_ digest: [UInt8]) async throws -> StoredResponse? {
        try await database.read { session in
            let kinds: [ColumnKind] = [.bytes, .integer, .text, .bytes]
            return try session.rows(ResponseStatements.find, [.bytes(digest)], kinds).first.map {
                StoredResponse(
                    fingerprint: $0.bytes(0),
                    status: Int(clamping: $0.integer(1)),
                    fields: $0.text(2),
                    body: $0.bytes(3)
                )
            }
        }
    }

    package func add(_ response: StoredResponse, of digest: [UInt8]) async throws {
        let now = Timestamp.now().milliseconds
        try await database.transaction { session in
            let added = try session.rows(
                ResponseStatements.add,
                [
                    .bytes(digest), .bytes(response.fingerprint), .integer(now),
                    .integer(Int64(response.status)), .text(response.fields),
                    .bytes(response.body),
                ],
                [.integer]
            )
            // Another node has stored the response since this transaction looked for it.
            if added.isEmpty { throw TransactionConflict() }
            // A digest is as random as a die.
            guard let last = digest.last, last.isMultiple(of: Self.writesForOneDeletion) else {
                return
            }
            try session.run(
                ResponseStatements.deleteOld,
                .integer(now - limits.responseMilliseconds),
                .integer(Self.deletedAtOnce)
            )
        }
    }
}

/// A transaction has met another one, and has to be repeated.
package struct TransactionConflict: Error {}

/// The statements about stored responses, which both engines understand.
package enum ResponseStatements {
    static let scope: SharedSQL = """
        SELECT scope_id FROM user_tokens
        WHERE digest = $1 AND EXISTS (SELECT 1 FROM valid_tokens WHERE digest = $1)
        """
    static let find: SharedSQL = """
        SELECT fingerprint, status, fields, body FROM idempotency_keys WHERE digest = $1
        """
    static let add: SharedSQL = """
        INSERT INTO idempotency_keys (digest, fingerprint, created_at, status, fields, body)
        VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (digest) DO NOTHING RETURNING id
        """
    /// Deletes those of the $2 oldest responses that are from before $1.
    static let deleteOld: SharedSQL = """
        DELETE FROM idempotency_keys
        WHERE id IN (SELECT id FROM idempotency_keys ORDER BY id LIMIT $2) AND created_at < $1
        """

    package static let all = [scope, find, add, deleteOld].map(\.postgresql)
}
