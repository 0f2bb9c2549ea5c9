import Model
import SQLite
import SQLiteStorage
import Testing
import Threads

struct ImportTests {
    private let storage: StorageFixture

    init() throws {
        storage = try StorageFixture()
    }

    private func event(id: Int64?, owner: Int64, name: String = "event") -> EventRecord {
        EventRecord(id: id, ownerID: owner, attributes: .at(1, 2, name: name))
    }

    @Test func `stores events under their ids and makes owners without tokens`() async throws {
        let results = try storage.store([
            event(id: 7, owner: 3), event(id: nil, owner: 3), event(id: 5, owner: 9),
        ])

        #expect(results == [.imported(id: 7), .imported(id: 8), .imported(id: 5)])
        #expect(
            try await storage.events.find(8)
                == Event(id: 8, ownerID: 3, attributes: .at(1, 2))
        )
        #expect(
            try storage.number("SELECT sum(id * 100) + count(token_digest) FROM users") == 1200
        )
        #expect(try await storage.user().id == 10)
    }

    @Test func `leaves existing owners as they are`() async throws {
        let owner = try await storage.user()

        _ = try storage.store([event(id: nil, owner: owner.id)])

        #expect(try await storage.users.find(token: TokenDigest(1)) == owner)
    }

    @Test func `stores the others when some cannot be stored`() async throws {
        let tooLong = String(repeating: "x", count: 256)
        let past = ImportResult.largestID + 1

        let results = try storage.store([
            event(id: 1, owner: 1),
            event(id: 1, owner: 2),
            event(id: 0, owner: 1),
            event(id: past, owner: 1),
            event(id: 2, owner: 0),
            event(id: 2, owner: past),
            event(id: 2, owner: 1, name: tooLong),
            event(id: 3, owner: 1),
        ])

        #expect(
            results[0...5] == [.imported(id: 1), .idIsTaken]
                + Array(repeating: .idIsOutOfRange, count: 4)
        )
        guard case .refused(let reason) = results[6] else {
            Issue.record("\(results[6])")
            return
        }
        #expect(reason.hasPrefix("CHECK constraint failed"))
        #expect(results[7] == .imported(id: 3))
        #expect(try storage.number("SELECT count(*) FROM events") == 2)
        #expect(try storage.number("SELECT count(*) FROM events_rtree") == 2)
        #expect(try storage.number("SELECT count(*) FROM users") == 1)
    }

    @Test func `stores nothing behind the first that cannot be stored, if strict`() async throws {
        let batch = [
            event(id: 4, owner: 1), event(id: nil, owner: 1), event(id: 4, owner: 2),
            event(id: 9, owner: 3),
        ]

        let results = try storage.store(batch, isStrict: true)

        #expect(results == [.imported(id: 4), .imported(id: 5), .idIsTaken])
        #expect(try storage.number("SELECT count(*) FROM events") == 2)
        #expect(try storage.number("SELECT count(*) FROM users") == 1)
    }

    @Test func `still makes new events after the largest id that can be imported`() async throws {
        let largest = ImportResult.largestID
        _ = try storage.store([event(id: largest, owner: 1)])

        #expect(try storage.store(.at(0, 0), ownerID: 1) == largest + 1)
    }

    @Test func `exports by ids, page by page`() async throws {
        _ = try storage.store(
            [9, 2, 4, 30].map { event(id: $0, owner: 1) }
        )

        let pages = [
            try storage.events(after: 0, limit: 3).map(\.id),
            try storage.events(after: 9, limit: 3).map(\.id),
            try storage.events(after: 30, limit: 3).map(\.id),
            try storage.events(after: Int64.max, limit: 3).map(\.id),
            try storage.events(after: 0, limit: -1).map(\.id),
        ]

        #expect(pages == [[2, 4, 9], [30], [], [], []])
    }

    @Test(arguments: [true, false])
    func `performs a job again on a full disk only if it can be`(isRepeatable: Bool) throws {
        let transfer = storage.transfer
        let performances = Mutex(0)
        let run = {
            try transfer.importRecords(isRepeatable: isRepeatable) { _ in
                try performances.withLock { count in
                    count += 1
                    if count == 1 { throw SQLiteError(code: .full, message: "test") }
                    return count
                }
            }
        }

        if isRepeatable {
            #expect(try run() == 2)
        } else {
            #expect(throws: SQLiteError(code: .full, message: "test")) { try run() }
        }
        #expect(performances.withLock { $0 } == (isRepeatable ? 2 : 1))
    }
}
