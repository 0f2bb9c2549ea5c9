import Model
import SQLite
import SQLiteStorage
import StorageSupport
import Testing

/// The cells that are stored with events.
struct EventCellTests {
    private let storage: StorageFixture

    init() throws {
        storage = try StorageFixture()
    }

    /// Places with their cells, which an implementation in another language has computed.
    static let places: [(latitude: Double, longitude: Double, cell: Int64)] = [
        (37.759705, -122.427103, 1_257_962_798_958_431_966),
        (1, 2, 216_343_674_593_704_965),
        (-3, 4.5, 168_558_252_892_063_431),
        (89.9, 45, 792_633_793_138_642_163),
        (10, 179.9999, 1_082_342_015_062_537_765),
        (10, -179.9999, 986_265_223_010_901_135),
        (0, 0, 216_172_782_113_783_808),
        (90, 0, 792_633_534_417_207_296),
        (-90, 77, 1_657_324_662_872_342_528),
    ]

    private func cells() throws -> [Int64] {
        try storage.database.readers.read { connection in
            try connection.all("SELECT cell FROM events ORDER BY id") { row in row.int64(0) }
        }
    }

    @Test func `are stored by an import`() throws {
        for place in Self.places {
            _ = try storage.store(.at(place.latitude, place.longitude), ownerID: 1)
        }

        #expect(try cells() == Self.places.map(\.cell))
    }

    @Test func `are stored by a creation, and again by a change`() async throws {
        let owner = try await storage.user()
        let id = try #require(try await storage.events.create(.at(1, 2), token: TokenDigest(1)))
        #expect(try cells() == [216_343_674_593_704_965])

        try await storage.events.update(id, ownerID: owner.id) { _ in .at(-3, 4.5) }

        #expect(try cells() == [168_558_252_892_063_431])
    }

    @Test func `are repaired by a change that leaves the place alone`() async throws {
        let owner = try await storage.user()
        let id = try #require(try await storage.events.create(.at(1, 2), token: TokenDigest(1)))
        try await storage.database.writer.write { connection in
            try connection.run("UPDATE events SET cell = 7")
        }

        try await storage.events.update(id, ownerID: owner.id) { $0 }

        #expect(try cells() == [216_343_674_593_704_965])
    }

    @Test(arguments: [Int64(-1), 6 << 58])
    func `can't be outside of the sphere`(cell: Int64) async throws {
        _ = try storage.store(.at(1, 2), ownerID: 1)

        let error = await #expect(throws: SQLiteError.self) {
            try await storage.database.writer.write { connection in
                try connection.run("UPDATE events SET cell = ?", .integer(cell))
            }
        }

        #expect(error?.code.primary == .constraint)
    }

    @Test func `are compared with the places`() async throws {
        for place in Self.places {
            _ = try storage.store(.at(place.latitude, place.longitude), ownerID: 1)
        }
        #expect(try misplaced().count == 0)

        try await storage.database.writer.write { connection in
            try connection.run("UPDATE events SET latitude = latitude + 0.000001 WHERE id = 2")
            try connection.run("UPDATE events SET cell = 7 WHERE id > 4")
        }

        let misplaced = try misplaced()
        #expect(misplaced.count == 6)
        #expect(misplaced.first.map(\.id) == [2, 5, 6])
        #expect(
            misplaced.first.map(\.repair).dropFirst() == [
                "UPDATE events SET cell = 1082342015062537765 WHERE id = 5",
                "UPDATE events SET cell = 986265223010901135 WHERE id = 6",
            ]
        )
    }

    private func misplaced() throws -> MisplacedEvents {
        try storage.database.readers.read { try $0.misplacedEvents() }
    }
}
