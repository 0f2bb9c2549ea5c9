import Events
import Model
import PostgreSQL
import Rules
import System
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
                isBanned: try !row.isNull(3),
                name: try row.optionalText(4),
                issuers: try row.optionalText(5)?.split(separator: " ").map(String.init) ?? []
            )
        }
    }

    func create(token: TokenDigest) async throws -> User {
        guard let id = try await store(token, UserStatements.create) else {
            throw ModelError.invalid([AttributeError("Device token", "has already been taken")])
        }
        return User(id: id)
    }

    func findOrCreate(token: TokenDigest) async throws -> User {
        if let user = try await find(token: token) { return user }
        guard let id = try await store(token, UserStatements.findOrCreate) else {
            throw ModelError.storage(cause: "a new user has no id")
        }
        return User(id: id)
    }

    /// Performs the statement that creates the user of a token, and returns the user's id.
    private func store(_ token: TokenDigest, _ creation: SQL) async throws -> Int64? {
        let digest = Value.bytes(token.bytes)
        return try await database.number([
            Command(UserStatements.deleteEnded, [digest]),
            Command(creation, [digest, .bigint(Timestamp.now().milliseconds)]),
        ])
    }
}

extension PostgreSQLDatabase {
    /// Returns the user whose token has this digest.
    func user(with token: TokenDigest) async throws -> User? {
        try await first(UserStatements.find, .bytes(token.bytes)) { row in
            User(
                id: try row.bigint(0),
                isBanned: try !row.isNull(1),
                name: try row.optionalText(2)
            )
        }
    }
}
