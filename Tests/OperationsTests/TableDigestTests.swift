import Model
import Testing

@testable import Operations

@Suite struct TableDigestTests {
    @Test(
        arguments: [
            (0, 0), (999, 0), (1000, 1), (-1, -1), (-1000, -1), (-1001, -2),
            (Int64.max, 9_223_372_036_854_775),
        ] as [(Int64, Int64)]
    )
    func `a block is a thousand ids`(id: Int64, block: Int64) {
        #expect(TableDigest.block(of: id) == block)
        let ids = TableDigest.ids(ofBlock: block)
        #expect(ids.after < id && id <= ids.through)
    }

    @Test func `the blocks of the least and greatest ids end with them`() {
        #expect(TableDigest.ids(ofBlock: TableDigest.block(of: .max)).through == .max)
        #expect(TableDigest.ids(ofBlock: TableDigest.block(of: .min)).after == .min)
    }

    @Test func `differences are the blocks that one table lacks or has otherwise`() throws {
        let digest = RecordDigest { _ in }
        let one = try digest.digest(
            of: .users,
            in: StubReader([1: 1, 2: 2, 1500: 1, 2500: 1, 7000: 1]),
            through: .max
        )
        let other = try digest.digest(
            of: .users,
            in: StubReader([1: 1, 2: 2, 1500: 2, 3500: 1, 7000: 1]),
            through: .max
        )

        #expect(one.differences(from: other) == [1, 2, 3])
        #expect(other.differences(from: one) == [1, 2, 3])
        #expect(one.differences(from: one) == [])
        #expect(one.differences(from: TableDigest()) == [0, 1, 2, 7])
        #expect(one.count == 5)
        #expect(one.greatestID == 7000)
        #expect(one != other)
    }

    @Test func `rows of the same bytes in other blocks differ`() throws {
        let digest = RecordDigest { _ in }
        let one = try digest.digest(of: .users, in: StubReader([1: 1]), through: .max)
        let other = try digest.digest(of: .users, in: StubReader([1001: 1]), through: .max)

        #expect(one.differences(from: other) == [0, 1])
    }
}

/// A table of ids and numbers.
private final class StubReader: MoveReader {
    private let numbers: [Int64: Int64]

    init(_ numbers: [Int64: Int64]) {
        self.numbers = numbers
    }

    func rows(
        of table: MovedTable,
        after id: Int64,
        through last: Int64,
        limit: Int
    ) throws -> MovedRows {
        var rows = MovedRows()
        for (key, number) in numbers.sorted(by: { $0.key < $1.key })
        where key > id && key <= last && rows.count < limit {
            rows.beginRow(columns: 1)
            rows.append(value: number)
            rows.endRow(id: key)
        }
        return rows
    }

    func extent(of table: MovedTable) throws -> (count: Int64, greatestID: Int64) {
        (Int64(numbers.count), numbers.keys.max() ?? 0)
    }

    func nextID(of table: MovedTable) throws -> Int64 { (numbers.keys.max() ?? 0) + 1 }

    func installation() throws -> String { "" }
}
