import Model
import Sodium

/// The digests of a table's rows, by which two databases are compared.
struct TableDigest: Equatable, Sendable {
    /// The digest of the rows of each block that has any, in the order of the blocks.
    ///
    /// A block is a thousand ids.
    fileprivate(set) var blocks: [(number: Int64, digest: [UInt8])] = []
    fileprivate(set) var count: Int64 = 0
    fileprivate(set) var greatestID: Int64 = 0

    init() {}

    /// Creates the digests of two parts of a table, of which the second has the greater ids.
    init(joining first: TableDigest, _ second: TableDigest) {
        blocks = first.blocks + second.blocks
        count = first.count + second.count
        greatestID = second.count > 0 ? second.greatestID : first.greatestID
    }

    /// The number of ids in a block.
    static let blockSize: Int64 = 1000
    /// The number of rows that are read at once.
    static let pageRows = 10_000

    /// Returns the number of the block of an id.
    static func block(of id: Int64) -> Int64 {
        let (quotient, remainder) = id.quotientAndRemainder(dividingBy: blockSize)
        return remainder < 0 ? quotient - 1 : quotient
    }

    /// Returns the ids of a block, as a range that is open below.
    static func ids(ofBlock number: Int64) -> (after: Int64, through: Int64) {
        let (first, overflow) = number.multipliedReportingOverflow(by: blockSize)
        let after = overflow ? Int64.min : first == .min ? first : first - 1
        let (last, isBeyond) = after.addingReportingOverflow(blockSize)
        return (after, isBeyond ? .max : last)
    }

    static func == (left: TableDigest, right: TableDigest) -> Bool {
        left.count == right.count && left.greatestID == right.greatestID
            && left.differences(from: right).isEmpty
    }

    /// Returns the blocks that differ between this table and another.
    func differences(from other: TableDigest) -> [Int64] {
        var numbers: [Int64] = []
        var mine = blocks[...]
        var theirs = other.blocks[...]
        while let block = mine.first ?? theirs.first {
            let number = min(block.number, theirs.first?.number ?? block.number)
            let left = mine.first.flatMap { $0.number == number ? $0.digest : nil }
            let right = theirs.first.flatMap { $0.number == number ? $0.digest : nil }
            if left != right { numbers.append(number) }
            if left != nil { mine.removeFirst() }
            if right != nil { theirs.removeFirst() }
        }
        return numbers
    }

    /// Replaces the digests of some blocks by those of a table that has no others.
    mutating func replace(_ numbers: [Int64], by other: TableDigest) {
        let replaced = Set(numbers)
        blocks = (blocks.filter { !replaced.contains($0.number) } + other.blocks)
            .sorted { $0.number < $1.number }
    }

    /// SHA-256 of the digests of all blocks, in hexadecimal digits.
    var text: String {
        var hash = SHA256.Stream()
        for block in blocks { hash.update(block.digest) }
        return Hexadecimal.text(of: hash.digest())
    }
}

/// Computes the digests of tables.
struct RecordDigest {
    /// Called with each page of rows; it may throw to stop.
    let didRead: (Int) throws -> Void

    /// Returns the digests of the rows up to an id; O(rows).
    func digest(
        of table: MovedTable,
        in reader: any MoveReader,
        through last: Int64
    ) throws -> TableDigest {
        try digest(of: table, in: reader, after: .min, through: last)
    }

    /// Returns the digests of the rows with ids in a range that is open below.
    func digest(
        of table: MovedTable,
        in reader: any MoveReader,
        after first: Int64,
        through last: Int64
    ) throws -> TableDigest {
        var result = TableDigest()
        var hash = SHA256.Stream()
        var block: Int64?
        var id = first
        while true {
            let rows = try reader.rows(
                of: table,
                after: id,
                through: last,
                limit: TableDigest.pageRows
            )
            var begin = 0
            while begin < rows.count {
                let number = TableDigest.block(of: rows.ids[begin])
                if let block, block != number {
                    result.blocks.append((block, hash.digest()))
                    hash = SHA256.Stream()
                }
                block = number
                var end = begin + 1
                while end < rows.count, TableDigest.block(of: rows.ids[end]) == number { end += 1 }
                hash.update(Array(rows.bytes(of: begin..<end)))
                begin = end
            }
            result.count += Int64(rows.count)
            try didRead(rows.count)
            guard let lastID = rows.ids.last else { break }
            id = lastID
            result.greatestID = lastID
            if rows.count < TableDigest.pageRows { break }
        }
        if let block { result.blocks.append((block, hash.digest())) }
        return result
    }
}
