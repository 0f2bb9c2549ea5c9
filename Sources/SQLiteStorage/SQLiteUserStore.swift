import Events
import Model
import Rules
import SQLite
import System
import Time

/// A store of users in SQLite.
struct SQLiteUserStore: UserStore {
    let database: SQLiteDatabase

    func find(token: TokenDigest) async throws -> User? {
        try database.read { connection in try connection.user(with: token) }
    }

    func summary(ofUserWith token: TokenDigest) async throws -> UserSummary? {
        let found = try database.read { connection -> (User, Int64, [String])? in
            guard let user = try connection.user(with: token) else { return nil }
            let count = try connection.first(
                "SELECT count(*) FROM attendances WHERE user_id = ?",
                .integer(user.id)
            ) { row in row.int64(0) }
            let issuers = try connection.all(
                "SELECT issuer FROM identities WHERE user_id = ? ORDER BY id",
                .integer(user.id)
            ) { row in row.text(0) }
            return (user, count ?? 0, issuers)
        }
        guard let (user, attendances, issuers) = found else { return nil }
        return UserSummary(
            id: user.id,
            eventCount: try await eventCount(of: user),
            attendanceCount: attendances,
            isBanned: user.isBanned,
            name: user.name,
            issuers: issuers
        )
    }

    private func eventCount(of user: User) async throws -> Int64 {
        Int64(try await database.events().eventCount(ofOwner: user.id))
    }

    func create(token: TokenDigest) async throws -> User {
        try await database.write { connection in
            guard try connection.user(with: token) == nil else {
                throw ModelError.invalid([AttributeError("Device token", "has already been taken")])
            }
            return try insert(token, on: connection)
        }
    }

    func findOrCreate(token: TokenDigest) async throws -> User {
        if let user = try await find(token: token) { return user }
        return try await database.write { connection in
            // Another call may have created the user since the lookup.
            if let user = try connection.user(with: token) { return user }
            return try insert(token, on: connection)
        }
    }

    private func insert(_ token: TokenDigest, on connection: Connection) throws -> User {
        let now = Timestamp.now().milliseconds
        try connection.run("INSERT INTO users (created_at) VALUES (?)", .integer(now))
        let id = connection.lastInsertRowID
        // A token that has ended can be used again.
        try connection.run(
            """
            INSERT OR REPLACE INTO user_tokens
                (user_id, digest, created_at, last_seen_on, scope_id)
            VALUES (?1, ?2, ?3, ?3 / 86400000, ?1)
            """,
            .integer(id),
            .blob(token.bytes),
            .integer(now)
        )
        return User(id: id)
    }
}

extension Connection {
    /// Returns the user whose token has this digest.
    func user(with token: TokenDigest) throws -> User? {
        try first(
            """
            SELECT id, banned_at, name FROM users
            WHERE id = (SELECT user_id FROM valid_tokens WHERE digest = ?)
            """,
            .blob(token.bytes)
        ) { row in
            User(id: row.int64(0), isBanned: !row.isNull(1), name: row.optionalText(2))
        }
    }
}
