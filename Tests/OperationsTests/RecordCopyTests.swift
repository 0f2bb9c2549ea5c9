import Model
import Testing

@testable import Operations

/// Copies to a target that stores something else than it was given.
@Suite struct RecordCopyTests {
    private let source = StubDatabase([1: 1, 2: 2, 1500: 3])

    private func copy(to target: StubDatabase) throws -> [MovedTable] {
        try RecordCopy(from: source, to: target, MoveCancellation()) { _ in }.run()
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
final class StubDatabase: MoveTarget {
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

    func rows(of table: Table, after id: Int64, limit: Int) -> MovedRows {
        var rows = MovedRows()
        guard table == .users else { return rows }
        for (key, number) in numbers.sorted(by: { $0.key < $1.key }) where key > id {
            rows.beginRow(columns: 2)
            rows.append(value: key)
            rows.append(value: number)
            rows.endRow(id: key)
        }
        return rows
    }

    func count(of table: Table) -> Int { table == .users ? numbers.count : 0 }
    func nextID(of table: Table) -> Int64 { table == .users ? next : 1 }
    func installation() -> String { uuid }

    func append(_ rows: MovedRows, to table: Table) {
        for row in 0..<rows.count {
            guard case .integer(let number) = rows.values(ofRow: row, [.integer, .integer])?.last
            else { continue }
            numbers[rows.ids[row]] = number
        }
    }

    func setNextID(_ id: Int64, of table: Table) {
        if table == .users { next = id }
    }

    func setInstallation(_ uuid: String) {
        self.uuid = uuid
        didWrite(self)
    }

    func finish() { isFinished = true }
}
