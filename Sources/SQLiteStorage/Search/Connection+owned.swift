import EventIndex
import Model
import SQLite

extension Connection {
    /// Reads the events of an owner in the order of their ids, from segments.
    func matches(ofOwner owner: Int64, _ read: EventRead) throws -> EventBatch {
        var scan = EventScan(read)
        var ids = Int64.min...Int64.max
        if let start = read.start?.id {
            if read.isDescending {
                guard start > .min else { return scan.batch(key: \.id) }
                ids = .min...(start - 1)
            } else {
                guard start < .max else { return scan.batch(key: \.id) }
                ids = (start + 1)...(.max)
            }
        }
        _ = try readEvents(ofOwner: owner, ids, isDescending: read.isDescending, &scan)
        return scan.batch(key: \.id)
    }

    /// Reads the events of an owner in the order of their ids, from all events.
    ///
    /// O(n) for n events of all owners.
    func matches(inBlocksOf owner: Int64, _ read: EventRead) throws -> EventBatch {
        var scan = EventScan(read)
        let start = read.start?.id ?? (read.isDescending ? .max : .min)
        let sql = read.isDescending ? EventSQL.lastOwned : EventSQL.firstOwned
        try forEachBlock(after: start, isDescending: read.isDescending) { block in
            guard scan.continues() else { return false }
            var (first, last) = (block.firstID, block.lastID)
            if read.isDescending, start <= last {
                last = start - 1
            } else if !read.isDescending, start >= first {
                first = start + 1
            }
            try rows(
                sql,
                .integer(first),
                .integer(last),
                .integer(owner),
                .oneMore(than: scan.maximumRows)
            ) { row in
                scan.take(EventKeys(row)) ? .next : .stop
            }
            guard scan.isComplete else { return false }
            scan.skip(to: read.isDescending ? block.firstID : block.lastID, reads: IDBlock.cost)
            return true
        }
        return scan.batch(key: \.id)
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

    /// Returns the number of events of an owner; O(n) for n events of all owners.
    func eventCount(ofOwner owner: Int64) throws -> Int64 {
        try first(EventSQL.ownedCountOfAll, .integer(owner)) { row in row.int64(0) } ?? 0
    }
}
