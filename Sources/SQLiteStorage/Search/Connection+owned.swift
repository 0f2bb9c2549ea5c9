import EventIndex
import Model
import SQLite

extension Connection {
    /// The number of events in the first part of an owner's events.
    private static let firstPart = 64
    /// How much larger each next part is, up to `largestPart`.
    private static let growth = 4
    private static let largestPart = 4096
    /// The number of an owner's events that SQL excludes in the time to read a row.
    private static let exclusionsPerRow = 4

    /// Reads the events of an owner in the order of their ids, from the covering index.
    ///
    /// It reads them in parts, and first finds the id after each part. So the number of events is
    /// known, although SQL excludes most of those that don't match. To return such an event takes
    /// four times as long.
    func matches(ofOwner owner: Int64, _ read: EventRead) throws -> EventBatch {
        var scan = EventScan(read)
        var position = read.start?.id ?? (read.isDescending ? .max : .min)
        let idAt = read.isDescending ? EventSQL.ownedIDBefore : EventSQL.ownedIDAfter
        let events = read.isDescending ? EventSQL.lastOwned : EventSQL.firstOwned
        var size = Self.firstPart
        while scan.continues() {
            let part = min(size, read.maximumReads - scan.count)
            let next = try first(
                idAt,
                .integer(owner),
                .integer(position),
                .integer(Int64(part))
            ) { row in row.int64(0) }
            // The next id is beyond the position, so there is an id before it.
            let end = next.map { read.isDescending ? $0 + 1 : $0 - 1 }
            let last = end ?? (read.isDescending ? .min : .max)
            let (ids, count) = ([owner, position, last], scan.count)
            let values = (ids + scan.times).map(Value.integer) + scan.edges.map(Value.real)
            try rows(events, values: values) { row in scan.take(EventKeys(row)) ? .next : .stop }
            guard scan.isComplete, end != nil else { break }
            scan.exclude(part - (scan.count - count), perRow: Self.exclusionsPerRow)
            scan.skip(to: last)
            position = last
            size = min(part * Self.growth, Self.largestPart)
        }
        return scan.batch(key: \.id)
    }

    /// Reads the events of an owner in each block of ids; a block counts as a read.
    func matches(inBlocksOf owner: Int64, _ read: EventRead) throws -> EventBatch {
        var scan = EventScan(read)
        var position = read.start?.id ?? (read.isDescending ? .max : .min)
        let sql = read.isDescending ? EventSQL.lastOwnedInBlock : EventSQL.firstOwnedInBlock
        try forEachBlock(after: position, isDescending: read.isDescending) { block in
            guard scan.continues() else { return false }
            try rows(
                sql,
                .integer(block.number),
                .integer(owner),
                .integer(position),
                .oneMore(than: read.maximumReads - scan.count)
            ) { row in
                scan.take(EventKeys(row)) ? .next : .stop
            }
            guard scan.isComplete else { return false }
            position = read.isDescending ? block.firstID : block.lastID
            scan.skip(to: position, reads: 1)
            return true
        }
        return scan.batch(key: \.id)
    }
}
