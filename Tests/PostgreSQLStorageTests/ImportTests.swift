import Model
import PostgreSQLSupport
import StorageSupport
import Testing

/// Imports whose records are sent together.
@Suite(.enabled(if: ThrowawayPostgreSQL.isInstalled, ThrowawayPostgreSQL.skipped))
struct ImportTests {
    private let fixture: PostgreSQLFixture

    init() throws {
        fixture = try PostgreSQLFixture()
    }

    private func store(_ ids: [Int64?], isStrict: Bool) throws -> [ImportResult] {
        let records = ids.map { id in
            SharedTaskRecord(id: id, task: SharedTask(taskID: 1, name: "a"), isCompleted: false)
        }
        return try fixture.storage.transfer.importRecords { session in
            try session.store(records, isStrict: isStrict)
        }
    }

    private func storeEvents(
        _ events: [(id: Int64?, owner: Int64)],
        isStrict: Bool = false
    ) throws -> [ImportResult] {
        let records = events.map { event in
            EventRecord(id: event.id, ownerID: event.owner, attributes: .at(1, 2))
        }
        return try fixture.storage.transfer.importRecords { session in
            try session.store(records, isStrict: isStrict)
        }
    }

    private func ids(of table: String = "shared_tasks") throws -> [Int64] {
        try fixture.database.database.run("SELECT id FROM \(table) ORDER BY id")
            .split(separator: "\n").compactMap { Int64($0) }
    }

    @Test func `a strict import ends at the first record, and leaves no gap in the ids`() throws {
        #expect(try store([500], isStrict: false) == [.imported(id: 500)])

        let results = try store([nil, nil, nil, 500, 600, 601, nil], isStrict: true)

        let ends: [ImportResult] = [501, 502, 503].map { .imported(id: $0) } + [.idIsTaken]
        #expect(results == ends)
        #expect(try ids() == [500, 501, 502, 503])
        #expect(try store([nil], isStrict: false) == [.imported(id: 504)])
    }

    @Test func `others are stored beside records that can't be, in their order`() throws {
        let ids: [Int64?] =
            [7, nil, 7, 0, 9, nil, nil, 8, -1, 9] + Array(repeating: nil, count: 600)

        let results = try store(ids, isStrict: false)

        let starts: [ImportResult] = [
            .imported(id: 7), .imported(id: 8), .idIsTaken, .idIsOutOfRange, .imported(id: 9),
            .imported(id: 10), .imported(id: 11), .idIsTaken, .idIsOutOfRange, .idIsTaken,
        ]
        #expect(Array(results.prefix(10)) == starts)
        #expect(results.dropFirst(10).elementsEqual((12...611).map { .imported(id: $0) }))
        #expect(try self.ids() == Array(7...611))
    }

    @Test func `one statement stores events in their order, with the owners of those it stores`()
        throws
    {
        #expect(try storeEvents([(500, 1)]) == [.imported(id: 500)])
        let events: [(id: Int64?, owner: Int64)] =
            [(7, 20), (500, 30), (7, 40), (0, 50), (9, 20)]
            + (0..<600).map { (nil, 60 + $0 % 2) } + [(1200, 1), (1201, 1)]

        let results = try storeEvents(events)

        let starts: [ImportResult] = [
            .imported(id: 7), .idIsTaken, .idIsTaken, .idIsOutOfRange, .imported(id: 9),
        ]
        #expect(Array(results.prefix(5)) == starts)
        #expect(
            results.dropFirst(5).elementsEqual(
                (Array(501...1100) + [1200, 1201]).map { .imported(id: $0) }
            )
        )
        #expect(try ids(of: "events") == [7, 9, 500] + Array(501...1100) + [1200, 1201])
        #expect(try ids(of: "users") == [1, 20, 60, 61])
        #expect(
            try fixture.database.database.run("SELECT owner_id FROM events WHERE id = 7") == "20"
        )
    }

    @Test func `a strict import of events stores those before the first that can't be`() throws {
        #expect(try storeEvents([(400, 1)]) == [.imported(id: 400)])

        let results = try storeEvents((1...700).map { ($0, $0 + 1000) }, isStrict: true)

        #expect(results == (1...399).map { .imported(id: $0) } + [.idIsTaken])
        #expect(try ids(of: "events") == Array(1...400))
        #expect(try ids(of: "users") == [1] + Array(1001...1399))
    }

    @Test func `no value that the database rejects keeps others of its statement out`() throws {
        let records = (1...300).map { id in
            EventRecord(
                id: id,
                ownerID: id,
                attributes: .at(1, 2, name: id == 200 ? "" : "a")
            )
        }

        for isStrict in [false, true] {
            let results = try fixture.storage.transfer.importRecords { session in
                try session.store(
                    isStrict ? records.map { $0.moved(by: 1000) } : records,
                    isStrict: isStrict
                )
            }
            let refused = results.indices.filter { index in
                if case .refused = results[index] { true } else { false }
            }
            #expect(refused == [199])
            #expect(results.count == (isStrict ? 200 : 300))
        }

        let stored: [Int64] = Array(1...199) + Array(201...300) + Array(1001...1199)
        #expect(try ids(of: "events") == stored)
        #expect(try ids(of: "users") == stored)
    }
}

extension EventRecord {
    fileprivate func moved(by distance: Int64) -> EventRecord {
        EventRecord(
            id: id.map { $0 + distance },
            ownerID: ownerID + distance,
            attributes: attributes
        )
    }
}
