import Events
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
                attendanceCount: try row.bigint(2),
                isBanned: try !row.isNull(3)
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

    func revokeToken(of id: Int64) async throws {
        let rows = try await database.write([
            Command(UserStatements.revokeToken, [.bigint(id)]),
            Command(UserStatements.touchBlocks, [.bigint(id)]).noting(ChangeNote.blocks()),
        ])
        if rows.first?.isEmpty != false { throw ModelError.notFound }
    }
}

extension PostgreSQLDatabase {
    /// Returns the user whose token has this digest.
    func user(with token: TokenDigest) async throws -> User? {
        try await first(UserStatements.find, .bytes(token.bytes)) { row in
            User(id: try row.bigint(0), isBanned: try !row.isNull(1))
        }
    }
}
