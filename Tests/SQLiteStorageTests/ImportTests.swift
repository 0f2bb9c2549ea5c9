import Events
import Model
import SQLite
import SQLiteStorage
import StorageSupport
import System
import Testing

struct ImportTests {
    private let storage: StorageFixture

    init() throws {
        storage = try StorageFixture()
    }

    @Test func `makes owners without tokens`() throws {
        let results = try storage.store([
            EventRecord(id: 7, ownerID: 3, attributes: .at(1, 2)),
            EventRecord(id: 5, ownerID: 9, attributes: .at(1, 2)),
        ])

        #expect(results == [.imported(id: 7), .imported(id: 5)])
        #expect(
            try storage.number(
                "SELECT sum(id * 100) + (SELECT count(*) FROM user_tokens) FROM users"
            ) == 1200
        )
    }

    @Test func `reports the constraint that a record violates`() throws {
        let tooLong = EventAttributes.at(1, 2, name: String(repeating: "x", count: 256))

        let results = try storage.store([EventRecord(id: 1, ownerID: 1, attributes: tooLong)])

        guard case .refused(let reason)? = results.first else {
            Issue.record("\(results)")
            return
        }
        #expect(reason.hasPrefix("CHECK constraint failed"))
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
