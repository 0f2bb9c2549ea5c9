import Bytes

/// A step of a schema's history, which never changes after its release.
package struct Migration: Equatable, Sendable {
    /// The name, such as `0001_create_users`, which determines the order.
    package let name: String
    package let sql: String

    package init(name: String, sql: String) {
        self.name = name
        self.sql = sql
    }

    /// The `FNVHash` of the SQL in hexadecimal; O(n).
    package var checksum: String {
        var hash = FNVHash()
        hash.add(sql)
        return hash.digits
    }

    /// The part of the name before its first underscore; all have the same number of digits.
    fileprivate var number: Substring { name.prefix { $0 != "_" } }

    /// The beginning of the first line of a migration that replaces others.
    private static let replacementMark = "-- humon: replaces "

    /// The names of migrations that were in no release, and whose place it has taken.
    ///
    /// It must bring a database with and without them to the same schema.
    fileprivate var replacedNames: [Substring] {
        guard sql.hasPrefix(Self.replacementMark) else { return [] }
        return sql.prefix { $0 != "\n" }.dropFirst(Self.replacementMark.count)
            .split(separator: " ")
    }
}

/// A migration as a database records it once it is applied.
package struct AppliedMigration: Equatable, Sendable {
    package let name: String
    package let checksum: String
    /// The time in ms since 1970-01-01T00:00:00Z.
    package let appliedAt: Int64

    package init(name: String, checksum: String, appliedAt: Int64) {
        self.name = name
        self.checksum = checksum
        self.appliedAt = appliedAt
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

/// All migrations of a program, in order.
package struct MigrationList: Sendable {
    package let migrations: [Migration]
    /// The names of the migrations that others have replaced.
    private let replacedNames: Set<Substring>

    /// Creates a list; throws `MigrationError` unless the numbers of the names ascend.
    package init(_ migrations: [(name: String, sql: String)]) throws(MigrationError) {
        self.migrations = migrations.map { Migration(name: $0.name, sql: $0.sql) }
        replacedNames = Set(self.migrations.flatMap(\.replacedNames))
        for (earlier, later) in zip(self.migrations, self.migrations.dropFirst()) {
            if earlier.number < later.number { continue }
            throw MigrationError(
                "Migrations \(earlier.name) and \(later.name) need different, ascending numbers."
            )
        }
    }

    /// Returns every migration and when a database with this history has applied it.
    ///
    /// Throws `MigrationError` if the history can't be that of this program.
    package func status(
        after history: [AppliedMigration]
    ) throws(MigrationError) -> [MigrationStatus] {
        let pending = try pending(after: history)
        return known(history).map { MigrationStatus(name: $0.name, appliedAt: $0.appliedAt) }
            + pending.map { MigrationStatus(name: $0.name, appliedAt: nil) }
    }

    /// Returns the migrations that a database with this history lacks.
    ///
    /// Throws `MigrationError` if the history can't be that of this program.
    package func pending(
        after history: [AppliedMigration]
    ) throws(MigrationError) -> ArraySlice<Migration> {
        let history = known(history)
        for (index, applied) in history.enumerated() {
            guard index < migrations.count, migrations[index].name == applied.name else {
                throw unexpected(applied, at: index)
            }
            guard migrations[index].checksum == applied.checksum else {
                throw MigrationError(
                    """
                    Migration \(applied.name) was changed after it had been applied to this \
                    database. Restore its text, and make the change in a new migration.
                    """
                )
            }
        }
        return migrations[history.count...]
    }

    /// Returns a history without the migrations that others have replaced.
    private func known(_ history: [AppliedMigration]) -> [AppliedMigration] {
        history.filter { !replacedNames.contains($0.name[...]) }
    }

    private func unexpected(_ applied: AppliedMigration, at index: Int) -> MigrationError {
        if migrations.contains(where: { $0.name == applied.name }), index < migrations.count {
            return MigrationError(
                """
                Migration \(migrations[index].name) was never applied to this database, but \
                \(applied.name), which comes after it, was. Give the new migration a number \
                above all applied ones.
                """
            )
        }
        return MigrationError(
            """
            This program does not know migration \(applied.name), which was applied to this \
            database: a newer version of Humon has used it. Run that version, or restore an older \
            backup.
            """,
            isOfNewerDatabase: true
        )
    }
}

/// An error that keeps a database from being migrated, with advice.
package struct MigrationError: Error, Equatable, CustomStringConvertible {
    package let description: String
    /// Whether a newer version of Humon has migrated the database.
    package let isOfNewerDatabase: Bool

    package init(_ description: String, isOfNewerDatabase: Bool = false) {
        self.description = description
        self.isOfNewerDatabase = isOfNewerDatabase
    }
}
