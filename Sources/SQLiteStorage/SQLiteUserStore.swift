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
        let found = try database.read { connection -> (User, Int64)? in
            guard let user = try connection.user(with: token) else { return nil }
            let count = try connection.first(
                "SELECT count(*) FROM attendances WHERE user_id = ?",
                .integer(user.id)
            ) { row in row.int64(0) }
            return (user, count ?? 0)
        }
        guard let (user, attendances) = found else { return nil }
        return UserSummary(
            id: user.id,
            eventCount: try await eventCount(of: user),
            attendanceCount: attendances,
            isBanned: user.isBanned
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

    private static let revokeToken: SQL = "UPDATE users SET token_digest = NULL WHERE id = ?"

    func revokeToken(of id: Int64) async throws {
        try await database.write { connection in
            try connection.run(Self.revokeToken, .integer(id))
            if connection.changes == 0 { throw ModelError.notFound }
            // The log then tells that the token no longer belongs to the user's blocks.
            try connection.run(
                "UPDATE blocks SET created_at = created_at WHERE user_id = ?",
                .integer(id)
            )
        }
    }

    private func insert(_ token: TokenDigest, on connection: Connection) throws -> User {
        try connection.run(
            "INSERT INTO users (token_digest, created_at) VALUES (?, ?)",
            .blob(token.bytes),
            .integer(Timestamp.now().milliseconds)
        )
        return User(id: connection.lastInsertRowID)
    }
}

extension Connection {
    /// Returns the user whose token has this digest.
    func user(with token: TokenDigest) throws -> User? {
        try first(
            "SELECT id, banned_at FROM users WHERE token_digest = ?",
            .blob(token.bytes)
        ) { row in User(id: row.int64(0), isBanned: !row.isNull(1)) }
    }
}
