import SQLite

/// A range of 1,024 ids, whose events are next to each other in the index of owners.
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

    /// Returns the number of events of an owner, or nil if there are no segments.
    ///
    /// O(n) for n events of the owner.
    func eventCountInIndex(ofOwner owner: Int64) throws -> Int64? {
        do {
            return try first(EventSQL.ownedCount, .integer(owner)) { row in row.int64(0) }
        } catch let error as SQLiteError where error.isOfMissingSegments {
            return nil
        }
    }

    /// Returns the number of events of an owner; a seek for each block of all events.
    func eventCountInBlocks(ofOwner owner: Int64) throws -> Int64 {
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
