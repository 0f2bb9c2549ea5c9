package import Model
import PostgreSQL
import Time

/// A store of check-ins in PostgreSQL.
package struct PostgreSQLCheckinStore: CheckinStore {
    private let database: PostgreSQLDatabase

    package init(_ database: PostgreSQLDatabase) {
        self.database = database
    }

    package func add(_ checkin: Checkin) async throws {
        _ = try await database.write([Command(CheckinStatements.add, checkin.values)])
    }

    package func newest(limit: Int) async throws -> [StoredCheckin] {
        try await database.all(CheckinStatements.newest, .limit(limit)) { row in
            try StoredCheckin(row)
        }
    }

    package func categories(limit: Int) async throws -> [String] {
        try await database.all(CheckinStatements.categories, .limit(limit)) { row in
            try row.text(0)
        }
    }
}

extension Checkin {
    /// The values of: name, category, rating, latitude, longitude, user_name, local_time,
    /// created_at.
    var values: [Value] {
        [
            .text(name),
            .text(category),
            .number(orNull: rating),
            .number(orNull: latitude),
            .number(orNull: longitude),
            .text(userName),
            .bigint(localTime.milliseconds),
            .bigint(Timestamp.now().milliseconds),
        ]
    }
}

extension StoredCheckin {
    /// Reads a row of: id, name, category, rating, latitude, longitude, user_name, local_time.
    init(_ row: Row) throws {
        self.init(
            id: try row.bigint(0),
            checkin: Checkin(
                name: try row.optionalText(1),
                category: try row.optionalText(2),
                rating: try row.optionalDouble(3),
                latitude: try row.optionalDouble(4),
                longitude: try row.optionalDouble(5),
                userName: try row.optionalText(6),
                localTime: Timestamp(milliseconds: try row.bigint(7))
            )
        )
    }
}

extension Value {
    /// Returns a maximum number of rows, of which PostgreSQL accepts no negative one.
    static func limit(_ limit: Int) -> Value {
        .bigint(Int64(max(0, limit)))
    }
}
