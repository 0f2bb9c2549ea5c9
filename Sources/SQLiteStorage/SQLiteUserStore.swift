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
            attendanceCount: attendances
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

    func delete(token: TokenDigest) async throws -> Bool {
        guard let user = try await find(token: token) else { return false }
        let events = try await database.events().eventIDs(ofOwner: user.id)
        let isDeleted = try await database.write { connection in
            guard try connection.user(with: token) == user else { return false }
            try connection.delete(events, ofOwner: user.id)
            try connection.run("DELETE FROM attendances WHERE user_id = ?", .integer(user.id))
            try connection.run(Self.revokeToken, .integer(user.id))
            return true
        }
        guard isDeleted else { return false }
        // A request may have created one meanwhile. Without the token, no more can follow.
        let late = try await database.events().eventIDs(ofOwner: user.id)
        if !late.isEmpty {
            try await database.write { try $0.delete(late, ofOwner: user.id) }
        }
        return true
    }

    private static let revokeToken: SQL = "UPDATE users SET token_digest = NULL WHERE id = ?"

    func revokeToken(of id: Int64) async throws {
        try await database.write { connection in
            try connection.run(Self.revokeToken, .integer(id))
            if connection.changes == 0 { throw ModelError.notFound }
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
    /// Deletes an owner's events with these ids; the schema deletes their attendances with them.
    fileprivate func delete(_ events: [Int64], ofOwner owner: Int64) throws {
        try run(
            "DELETE FROM events WHERE owner_id = ? AND id IN (SELECT value FROM json_each(?))",
            .integer(owner),
            .list(of: events)
        )
    }

    /// Returns the user whose token has this digest.
    func user(with token: TokenDigest) throws -> User? {
        try first(
            "SELECT id FROM users WHERE token_digest = ?",
            .blob(token.bytes)
        ) { row in User(id: row.int64(0)) }
    }
}
