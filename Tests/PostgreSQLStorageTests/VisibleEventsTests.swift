import PostgreSQL
import PostgreSQLSupport
import StorageSupport
import System
import Testing

@testable import PostgreSQLStorage

/// A search reads the rows of its matches later, when an event may have become private.
@Suite(.enabled(if: ThrowawayPostgreSQL.isInstalled, ThrowawayPostgreSQL.skipped))
struct VisibleEventsTests {
    @Test(arguments: [(nil, "2"), (1, "1,2"), (2, "1,2"), (3, "2")] as [(Int64?, String)])
    func areReadByIDOnlyIfTheViewerCanSeeThem(viewer: Int64?, ids: String) throws {
        let test = try MigratedDatabase()
        try test.database.run(
            """
            INSERT INTO users (id, created_at) VALUES (1, 0), (2, 0), (3, 0);
            INSERT INTO events (id, owner_id, name, latitude, longitude, started_at, created_at,
                updated_at, visibility)
            VALUES (1, 1, 'a', 0, 0, 0, 0, 0, 'private'), (2, 1, 'b', 0, 0, 0, 0, 0, NULL);
            INSERT INTO attendances (user_id, event_id, created_at) VALUES (2, 1, 0)
            """
        )
        let connection = try BlockingConnection(url: test.database.url)

        let rows = try connection.perform(
            Command(
                EventStatements.findAllVisible,
                [.bigints([1, 2, 3]), .bigint(viewer)]
            )
        )

        let found = try rows.map { try $0.bigint(0) }.sorted()
        #expect(found.map(String.init).joined(separator: ",") == ids)
    }
}
