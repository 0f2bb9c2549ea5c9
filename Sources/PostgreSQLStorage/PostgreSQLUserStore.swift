import Model
import PostgreSQL
import Rules
import Time

/// A store of users in PostgreSQL.
struct PostgreSQLUserStore: UserStore {
    let database: PostgreSQLDatabase

    func find(token: TokenDigest) async throws -> User? {
        try await database.user(with: token)
    }

    func summary(ofUserWith token: TokenDigest) async throws -> UserSummary? {
        try await database.first(UserStatements.summary, .bytes(token.bytes)) { row in
            UserSummary(
                id: try row.bigint(0),
                eventCount: try row.bigint(1),
                attendanceCount: try row.bigint(2)
            )
        }
    }

    func create(token: TokenDigest) async throws -> User {
        let id = try await database.write(
            UserStatements.create,
            .bytes(token.bytes),
            .bigint(Timestamp.now().milliseconds)
        )
        guard let id else {
            throw ModelError.invalid([AttributeError("Device token", "has already been taken")])
        }
        return User(id: id)
    }

    func findOrCreate(token: TokenDigest) async throws -> User {
        if let user = try await find(token: token) { return user }
        let id = try await database.write(
            UserStatements.findOrCreate,
            .bytes(token.bytes),
            .bigint(Timestamp.now().milliseconds)
        )
        guard let id else { throw ModelError.storage(cause: "a new user has no id") }
        return User(id: id)
    }

    func delete(token: TokenDigest) async throws -> Bool {
        guard let user = try await find(token: token) else { return false }
        let owned = try await database.eventIDs(ofOwner: user.id)
        let (id, ids) = (Value.bigint(user.id), Value.bigints(owned.ids))
        let rows = try await database.write([
            // First, because the lock of the row makes writes with the token wait.
            Command(UserStatements.forget, [id, .bytes(token.bytes)]),
            Command(UserStatements.deleteAttendances, [id, ids])
                .noting(ChangeNote.attendances(at: nil)),
            Command(UserStatements.deleteEvents, [id, ids, .bigint(owned.position)])
                .noting(ChangeNote.events()),
        ])
        return rows.first?.isEmpty == false
    }

    func revokeToken(of id: Int64) async throws {
        guard try await database.write(UserStatements.revokeToken, .bigint(id)) != nil else {
            throw ModelError.notFound
        }
    }
}

extension PostgreSQLDatabase {
    /// Returns the user whose token has this digest.
    func user(with token: TokenDigest) async throws -> User? {
        try await first(UserStatements.find, .bytes(token.bytes)) { row in
            User(id: try row.bigint(0))
        }
    }
}
