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
        let id = Value.bigint(user.id)
        let events = Value.bigints(try await database.events().eventIDs(ofOwner: user.id))
        let values = [id, .bytes(token.bytes)]
        let rows = try await database.write([
            // While it has the lock, nobody can revoke the token.
            Command(UserStatements.lock, values),
            Command(UserStatements.deleteAttendances, values)
                .noting(ChangeNote.attendances(at: nil)),
            Command(UserStatements.deleteEventAttendances, values + [events])
                .noting(ChangeNote.attendances(at: nil)),
            Command(UserStatements.deleteEvents, values + [events]).noting(ChangeNote.events()),
            Command(UserStatements.forget, values),
        ])
        guard rows.last?.isEmpty == false else { return false }
        // A request may have created one meanwhile.
        let late = try await database.events().eventIDs(ofOwner: user.id)
        if !late.isEmpty {
            _ = try await database.write([
                Command(UserStatements.deleteLateEvents, [id, .bigints(late)])
                    .noting(ChangeNote.events())
            ])
        }
        return true
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
