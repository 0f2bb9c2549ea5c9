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
                .oneMore(than: scan.maximumRows)
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
