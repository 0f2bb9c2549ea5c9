import Events
import Model
import PostgreSQL
import PostgreSQLSupport
import StorageSupport
import System
import Testing
import Time

@testable import PostgreSQLStorage

/// Tests events that are created at the same time, which one statement does.
@Suite(.enabled(if: ThrowawayPostgreSQL.isInstalled, ThrowawayPostgreSQL.skipped))
struct CreateTogetherTests {
    @Test func storesEachEventAsIfItWereAlone() async throws {
        let test = try MigratedDatabase()
        let options = PostgreSQLEngine.Options(
            url: test.urlText,
            migrations: try StorageFixture.migrations(of: "postgresql"),
            representation: .text
        )
        let storage = try PostgreSQLEngine(options).open(for: .administration) { _ in }
        defer { storage.close() }
        let stores = storage.stores
        let tokens = (1...3).map { TokenDigest($0) }
        var owners: [Int64] = []
        for token in tokens {
            owners.append(try await stores.users.create(token: token).id)
            // So the server doesn't look the token up later on.
            _ = try await stores.events.create(.at(0, 0), token: token)
        }
        let rival = try BlockingConnection(url: test.database.url)
        _ = try rival.perform(Command("DELETE FROM events"))
        _ = try rival.perform(
            Command("DELETE FROM user_tokens WHERE user_id = $1", [.bigint(owners[2])])
        )
        _ = try rival.perform(Command("DELETE FROM users WHERE id = $1", [.bigint(owners[2])]))
        let events = (0..<40).map(Self.attributes)

        let ids = try await withThrowingTaskGroup(of: (Int, Int64?).self) { group in
            for (index, event) in events.enumerated() {
                group.addTask {
                    (index, try await stores.events.create(event, token: tokens[index % 3]))
                }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }

        for (index, attributes) in events.enumerated() {
            guard index % 3 < 2 else {
                #expect(ids[index] == .some(nil))
                continue
            }
            let id = try #require(ids[index] ?? nil)
            let event = try #require(try await stores.events.findDated(id, for: nil))
            let owner = owners[index % 3]
            #expect(event.event == Event(id: id, ownerID: owner, attributes: attributes))
            #expect(event.createdAt == event.updatedAt)
            let near = try await stores.events.nearest(
                to: attributes.coordinate,
                within: 0.1,
                limit: 1
            )
            #expect(near.map(\.id) == [id])
        }
        let all = try await stores.events.nearest(
            to: Coordinate(latitude: 0, longitude: 0),
            within: 20_000,
            limit: 100
        )
        // None of the user who doesn't exist any more.
        #expect(all.count == 27)
    }

    @Test func givesIDsInTheOrderOfPositions() async throws {
        let test = try MigratedDatabase()
        let connection = try BlockingConnection(url: test.database.url)
        let tokens = (1...2).map { [UInt8](repeating: $0, count: 32) }
        for (index, token) in tokens.enumerated() {
            _ = try connection.perform(
                Command(
                    """
                    WITH owner AS (INSERT INTO users (id, created_at) VALUES ($1, 0))
                    INSERT INTO user_tokens (user_id, digest, created_at, scope_id)
                    VALUES ($1, $2, 0, $1)
                    """,
                    [.bigint(Int64(index) + 11), .bytes(token)]
                )
            )
        }
        // The last position comes first, and the owner of the second one doesn't exist.
        let owners = [tokens[1], [UInt8](repeating: 9, count: 32), tokens[0]]
        let values: [EventColumn: PostgreSQL.Value] = [
            .name: .array(["c", "b", "a"].map { .text($0) }),
            .address: .array([.text(nil), .text("2"), .text("1")]),
            .latitude: .array([3, 2, 1].map { .double($0) }),
            .longitude: .array([30, 20, 10].map { .double($0) }),
            .startedAt: .bigints([300, 200, 100]),
            .endedAt: .array([.bigint(nil), .bigint(201), .bigint(101)]),
            .allDay: .array([nil, true, true].map { .boolean($0) }),
            .hidden: .bigints([0, 0, 0]), .createdAt: .bigints([7, 8, 9]),
            .updatedAt: .bigints([7, 8, 9]),
        ]

        let rows = try connection.perform(
            Command(
                EventStatements.createTogether,
                [.array(owners.map { .bytes($0) })]
                    + EventStatements.created.map { values[$0] ?? .bigints([]) }
                    + [.bigints([2, 1, 0])]
            )
        )

        let ids = try rows.reduce(into: [:]) { $0[try $1.bigint(2)] = try $1.bigint(0) }
        let first = try #require(ids[0])
        #expect(ids == [0: first, 2: first + 1])
        let stored = try connection.perform(
            Command(
                """
                SELECT concat_ws(' ', id - $1, owner_id, name, coalesce(address, '-'), latitude,
                    longitude, started_at, coalesce(ended_at, -1),
                    coalesce(all_day::text, '-'), created_at, updated_at)
                FROM events ORDER BY id
                """,
                [.bigint(first)]
            )
        )
        #expect(
            try stored.map { try $0.text(0) } == [
                "0 11 a 1 1 10 100 101 true 9 9", "1 12 c - 3 30 300 -1 - 7 7",
            ]
        )
    }

    /// Events whose names and addresses need care, with and without an end.
    private static func attributes(_ number: Int) -> EventAttributes {
        let start = Timestamp(milliseconds: Int64(number) * 1000 - 5)
        return EventAttributes(
            name: "Évènement {\(number), \"NULL\"} \\ '",
            address: number.isMultiple(of: 3) ? nil : "\(number) Straße",
            coordinate: Coordinate(latitude: Double(number) - 20, longitude: -0.0 + Double(number)),
            startedAt: start,
            endedAt: number.isMultiple(of: 2) ? nil : Timestamp(milliseconds: 86_400_000)
        )
    }
}
