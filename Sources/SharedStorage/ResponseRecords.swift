import Model
import Rules
package import System
import Time

/// The stored responses to writes with idempotency keys, the same for all engines.
struct ResponseRecords: ResponseStore {
    /// One of this many writes deletes old responses.
    private static let writesForOneDeletion: UInt8 = 64
    /// The number of responses that are deleted at once.
    private static let deletedAtOnce: Int64 = 256

    let database: any SharedDatabase
    let limits: UserLimits

    func scope(of token: TokenDigest) async throws -> Int64? {
        try await database.read { session in
            try session.integer(.keyScope, token)
        }
    }

    func claim(_ digest: [UInt8], fingerprint: [UInt8]) async throws -> StoredResponse? {
        let now = Timestamp.now().milliseconds
        return try await database.transaction { session in
            let claimed = try session.integers(
                .claimKey,
                digest,
                fingerprint,
                now,
                [UInt8](),
                now - limits.responseMilliseconds
            )
            guard claimed.isEmpty else { return nil }
            let kinds: [ColumnKind] = [.bytes, .integer, .text, .bytes]
            return try session.rows(.storedResponse, digest, kinds: kinds).first.map {
                StoredResponse(
                    fingerprint: $0.bytes(0),
                    status: Int(clamping: $0.integer(1)),
                    fields: $0.text(2),
                    body: $0.bytes(3)
                )
            }
        }
    }

    func store(_ response: StoredResponse, of digest: [UInt8]) async throws {
        let now = Timestamp.now().milliseconds
        let oldest = now - limits.responseMilliseconds
        try await database.transaction { session in
            try session.run(
                .storeResponse,
                digest,
                Int64(response.status),
                response.fields,
                response.body,
                response.fingerprint,
                now
            )
            // Digests are random.
            guard let last = digest.last, last.isMultiple(of: Self.writesForOneDeletion) else {
                return
            }
            try session.run(.deleteOldResponses, oldest, Self.deletedAtOnce)
        }
    }
}

/// The statements about stored responses.
extension SharedSQL {
    static let keyScope: SharedSQL = """
        SELECT scope_id FROM user_tokens
        WHERE digest = $1 AND EXISTS (SELECT 1 FROM valid_tokens WHERE digest = $1)
        """
    static let storedResponse: SharedSQL = """
        SELECT fingerprint, status, fields, body FROM idempotency_keys WHERE digest = $1
        """
    /// Returns no row if another transaction has stored the key, and waits for those in progress.
    ///
    /// SQLite has one writer, so that it is enough to store the key with the response.
    static let claimKey = SharedSQL(
        postgresql: """
            INSERT INTO idempotency_keys (digest, fingerprint, created_at, status, fields, body)
            VALUES ($1, $2, $3, 200, '', $4) ON CONFLICT (digest) DO UPDATE
            SET fingerprint = excluded.fingerprint, created_at = excluded.created_at
            WHERE idempotency_keys.created_at < $5 RETURNING id
            """,
        sqlite: """
            SELECT 1 WHERE NOT EXISTS (
                SELECT 1 FROM idempotency_keys WHERE digest = ?1 AND created_at >= ?5
            )
            """
    )
    static let storeResponse = SharedSQL(
        postgresql: """
            UPDATE idempotency_keys
            SET status = $2, fields = $3, body = $4, fingerprint = $5, created_at = $6
            WHERE digest = $1
            """,
        sqlite: """
            INSERT OR REPLACE INTO idempotency_keys
                (digest, status, fields, body, fingerprint, created_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            """
    )
    /// Deletes those of the $2 oldest responses that are from before $1.
    static let deleteOldResponses: SharedSQL = """
        DELETE FROM idempotency_keys
        WHERE id IN (SELECT id FROM idempotency_keys ORDER BY id LIMIT $2) AND created_at < $1
        """
}

/// The statements of stored responses as PostgreSQL takes them, which tests check.
package enum ResponseStatements {
    package static let all = [
        SharedSQL.keyScope, .storedResponse, .claimKey, .storeResponse, .deleteOldResponses,
    ].map(\.postgresql)
}
