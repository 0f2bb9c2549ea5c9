import Model
import Rules
import System
import Testing

@testable import Operations

/// Copies to a target that stores something else than it was given.
@Suite struct RecordCopyTests {
    private let source = StubDatabase([1: 1, 2: 2, 1500: 3])

    private func copy(to target: StubDatabase) throws -> [MovedTable] {
        try RecordCopy(cancellation: Cancellation()) { _ in }.run(from: source, to: target)
    }

    @Test func `all rows, the next ids and the installation are copied`() throws {
        let target = StubDatabase()

        let tables = try copy(to: target)

        #expect(target.numbers == source.numbers)
        #expect(target.uuid == source.uuid)
        #expect(tables.map(\.name) == Table.records.map(\.name))
        #expect(tables.first?.count == 3)
        #expect(tables.first?.greatestID == 1500)
        #expect(tables.first?.nextID == 2000)
        #expect(tables.first?.digest != tables.last?.digest)
        #expect(!target.isFinished)
    }

    @Test(
        arguments: [
            { $0.numbers[2] = nil }, { $0.numbers[2] = 3 }, { $0.numbers[3] = 3 },
            { $0.next = 1999 }, { $0.uuid = "other" },
        ] as [@Sendable (StubDatabase) -> Void]
    )
    func `a difference is found`(change: @escaping @Sendable (StubDatabase) -> Void) {
        let target = StubDatabase()
        target.didWrite = change

        #expect(throws: OperatorError.self) { try copy(to: target) }
        #expect(!target.isFinished)
    }
}

/// A table `users` of ids and numbers; the others are empty.
final class StubDatabase: MovedRecords {
    var numbers: [Int64: Int64]
    var next: Int64
    var uuid: String
    var isFinished = false
    /// Called after the last change.
    var didWrite: (StubDatabase) -> Void = { _ in }

    init(_ numbers: [Int64: Int64] = [:]) {
        self.numbers = numbers
        next = numbers.isEmpty ? 1 : 2000
        uuid = numbers.isEmpty ? "target" : "source"
    }

    func rows(of table: Table, after id: Int64, limit: Int) -> [[ColumnValue]] {
        if table == .installation { return [[.integer(1), .text(uuid)]] }
        guard table == .users else { return [] }
        return numbers.sorted { $0.key < $1.key }.filter { $0.key > id }.map { key, number in
            [.integer(key), .integer(number)]
        }
    }

    func count() -> Int { numbers.count }
    func nextID(of table: Table) -> Int64 { table == .users ? next : 1 }

    func append(_ rows: [[ColumnValue]], to table: Table) {
        if table == .installation, case .text(let text) = rows.first?.last {
            uuid = text
            didWrite(self)
        }
        guard table == .users else { return }
        for row in rows {
            guard case .integer(let id) = row.first, case .integer(let number) = row.last else {
                continue
            }
            numbers[id] = number
        }
    }

    func setNextID(_ id: Int64, of table: Table) {
        if table == .users { next = id }
    }

    func finish() { isFinished = true }
}
