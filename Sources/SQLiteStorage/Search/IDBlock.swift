import SQLite

/// The 1,024 ids that the index of owners has next to each other.
///
/// The index has the blocks in their order, and in each block the events by their owners.
struct IDBlock {
    static let size: Int64 = 1024

    /// The number of the block: `id >> 10` of its ids, as in the index.
    let number: Int64

    init(of id: Int64) { number = id >> 10 }

    var firstID: Int64 { number << 10 }

    var lastID: Int64 { number << 10 | (Self.size - 1) }
}

extension Connection {
    /// Calls `body` with each block that has events after an id, or before it in descending order,
    /// until it returns false.
    func forEachBlock(
        after id: Int64,
        isDescending: Bool,
        _ body: (IDBlock) throws -> Bool
    ) throws {
        var position = id
        let next = isDescending ? EventSQL.formerID : EventSQL.nextID
        while let id = try first(next, .integer(position), row: { $0.optionalInt64(0) }) ?? nil {
            let block = IDBlock(of: id)
            guard try body(block) else { return }
            position = isDescending ? block.firstID : block.lastID
        }
    }

    /// Returns the number of events of an owner.
    ///
    /// O(n) for n events of the owner if the covering indexes exist, and otherwise a seek for each
    /// block of all events.
    func eventCount(ofOwner owner: Int64, isCovered: Bool) throws -> Int64 {
        guard !isCovered else {
            return try first(EventSQL.ownedCount, .integer(owner), .integer(.max)) { row in
                row.int64(0)
            } ?? 0
        }
        var count: Int64 = 0
        try forEachBlock(after: .min, isDescending: false) { block in
            let values = [block.number, owner, IDBlock.size].map(Value.integer)
            try rows(EventSQL.ownedCountInBlock, values: values) { row in
                count += row.int64(0)
                return .next
            }
            return true
        }
        return count
    }
}
