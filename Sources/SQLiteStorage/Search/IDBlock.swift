import SQLite

/// A range of 1,024 ids, whose events of one owner are read with one statement.
struct IDBlock {
    private static let size: Int64 = 1024
    /// The cost of a block in rows of a search's limit: SQLite compares only the owners.
    ///
    /// All blocks of a million events cost less than one step of a search may.
    static let cost = 16

    let firstID: Int64

    init(of id: Int64) { firstID = id & -Self.size }

    var lastID: Int64 { firstID | (Self.size - 1) }
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
}
