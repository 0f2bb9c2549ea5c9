/// A step of a schema's history, which never changes after its release.
package struct Migration: Equatable, Sendable {
    /// The name, such as `0001_create_users`, which determines the order.
    package let name: String
    package let sql: String

    /// The first line of a migration whose statements are not part of a transaction.
    private static let aloneMark = "-- humon: each statement alone"

    package init(name: String, sql: String) {
        self.name = name
        self.sql = sql
    }

    /// The text's 64-bit FNV-1a hash in hexadecimal; O(length).
    ///
    /// It detects accidental changes of a file, but not deliberate ones
    /// (<http://www.isthe.com/chongo/tech/comp/fnv/>).
    package var checksum: String {
        var hash = FNV()
        hash.add(sql.utf8)
        let digits = String(hash.value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Whether its statements can't be part of a transaction, such as CREATE INDEX CONCURRENTLY.
    var isAlone: Bool { sql.hasPrefix(Self.aloneMark) }

    /// The statements, each of which ends with a semicolon at the end of a line.
    var statements: [String] {
        var statements: [String] = []
        var statement = ""
        for line in sql.split(separator: "\n") where !line.hasPrefix("--") {
            statement += line + "\n"
            guard line.hasSuffix(";") else { continue }
            statements.append(statement)
            statement = ""
        }
        return statement.isEmpty ? statements : statements + [statement]
    }
}

/// A migration and the time when it was applied.
package struct MigrationStatus: Equatable, Sendable {
    package let name: String
    /// The time in ms since 1970-01-01T00:00:00Z; nil if it is pending.
    package let appliedAt: Int64?

    package init(name: String, appliedAt: Int64?) {
        self.name = name
        self.appliedAt = appliedAt
    }
}

/// An error that keeps a database from being migrated, with advice.
package struct MigrationError: Error, Equatable, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
