import Cells
import Testing

@testable import EventIndex

/// The order of keys, which are pairs of numbers.
@Suite struct KeyOrderTests {
    private static let numbers: [Int64] = [.min, .min + 1, -2, -1, 0, 1, 2, .max - 1, .max]
    private static let pairs = numbers.flatMap { first in numbers.map { (first, $0) } }

    @Test func ordersByTheFirstNumberAndThenTheSecond() {
        for one in Self.pairs {
            for other in Self.pairs {
                let isBefore = Int128(ordering: one.0, one.1) < Int128(ordering: other.0, other.1)
                #expect(isBefore == (one < other), "\(one) \(other)")
            }
        }
    }

    @Test func ordersPlacesByCellAndThenByID() {
        let keys = [(1, 2), (1, 3), (2, -1), (2, 1)].map { cell, id in
            PlaceKey(cell: CellKey(rawValue: cell), id: id)
        }

        #expect(keys.shuffled().sorted() == keys)
    }

    @Test func ordersOwnedEventsByOwnerAndThenByID() {
        let keys = [(1, 2), (1, 3), (2, -1), (2, 1)].map { OwnedKey(ownerID: $0, id: $1) }

        #expect(keys.shuffled().sorted() == keys)
    }
}
