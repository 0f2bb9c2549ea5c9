import Model
import SQLite
import SQLiteStorage
import StorageSupport
import Testing

struct NearestTests {
    private let storage: StorageFixture

    init() throws {
        storage = try StorageFixture()
    }

    @Test(
        "reports a damaged tree",
        arguments: [
            // No node, a part of a head, a part of a cell, too high, and a root below itself.
            nil, [0, 0, 0], [0, 0, 0, 1, 0, 0], [0, 11, 0, 0],
            [0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 24),
        ] as [[UInt8]?]
    )
    func damage(node: [UInt8]?) async throws {
        try await storage.database.writer.write { connection in
            // A plain table in its place, because SQLite does not let anyone damage the real one.
            try connection.run("DROP TABLE events_rtree")
            try connection.run("CREATE TABLE events_rtree_node (nodeno INTEGER PRIMARY KEY, data)")
            guard let node else { return }
            try connection.run("INSERT INTO events_rtree_node VALUES (1, ?)", .blob(node))
        }

        let error = await #expect(throws: ModelError.self) {
            try await storage.events.nearest(
                to: Coordinate(latitude: 0, longitude: 0),
                within: .infinity,
                limit: 1000
            )
        }

        #expect(error == .storage(cause: "SQLite error 11: node 1 of events_rtree is damaged"))
    }
}
