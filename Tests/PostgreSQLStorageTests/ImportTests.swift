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

    private func ids() throws -> [Int64] {
        try fixture.database.database.run("SELECT id FROM shared_tasks ORDER BY id")
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
}
