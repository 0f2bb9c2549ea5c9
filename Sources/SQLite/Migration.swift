/// One step of a schema's history; it is never changed once a release has contained it.
package struct Migration: Equatable, Sendable {
    /// Such as `0001_create_users`; migrations are applied in the order of their names.
    package let name: String
    package let sql: String

    package init(name: String, sql: String) {
        self.name = name
        self.sql = sql
    }

    /// The text's 64-bit FNV-1a hash in hexadecimal digits
    /// (<http://www.isthe.com/chongo/tech/comp/fnv/>): it shows that a file was changed by
    /// accident, and is no protection against someone who wants it to go unseen.
    ///
    /// O(length).
    package var checksum: String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in sql.utf8 {
            hash ^= UInt64(byte)
            hash &*= 0x0000_0100_0000_01b3
        }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

/// Whether a migration has been applied to a database.
package struct MigrationStatus: Equatable, Sendable {
    package let name: String
    /// In milliseconds since 1970-01-01T00:00:00Z; nil if it is still pending.
    package let appliedAt: Int64?

    package init(name: String, appliedAt: Int64?) {
        self.name = name
        self.appliedAt = appliedAt
    }
}

/// Why a database cannot be migrated, and what to do about it.
package struct MigrationError: Error, Equatable, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
