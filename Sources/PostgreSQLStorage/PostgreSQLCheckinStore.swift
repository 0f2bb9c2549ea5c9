import Model
import PostgreSQL
import Rules

/// A store of check-ins in PostgreSQL.
struct PostgreSQLCheckinStore: CheckinStore {
    let database: PostgreSQLDatabase

    func add(_ checkin: Checkin) async throws -> Int64 {
        let values = CheckinRecord(id: nil, checkin: checkin).values()
        let command = Command(
            CheckinStatements.add,
            Array(Table.checkins.bound(values).dropFirst())
        )
        guard let id = try await database.number(command) else {
            throw ModelError.storage(cause: "a new check-in has no id")
        }
        return id
    }

    func newest(limit: Int) async throws -> [CheckinRecord] {
        try await database.all(CheckinStatements.newest, .limit(limit)) { row in
            try CheckinRecord(row)
        }.reversed()
    }

    func categories(limit: Int) async throws -> [String] {
        try await database.all(CheckinStatements.categories, .limit(limit)) { row in
            try row.text(0)
        }
    }
}

extension Value {
    /// Returns a maximum number of rows, of which PostgreSQL accepts no negative one.
    static func limit(_ limit: Int) -> Value {
        .bigint(Int64(max(0, limit)))
    }
}
