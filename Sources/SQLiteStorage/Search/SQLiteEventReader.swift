import Cells
import EventIndex
import Model
import SQLite
import Time

/// Reads a database's events for a search: places from memory if they are loaded, and rows.
final class SQLiteEventReader: EventReader {
    private let memory: MemoryEventReader?
    private let database: SQLiteDatabase
    /// Whether a result depends on more than the snapshot.
    private var hasReadRows = false
    /// The version of the database from which all rows were read; nil if there is no single one.
    private var version: DatabaseVersion?

    init(_ database: SQLiteDatabase) {
        self.database = database
        memory = database.eventsInMemory.map { MemoryEventReader($0, database.representation) }
    }

    var snapshot: EventSnapshot? { memory?.snapshot }

    var hasPlacesInMemory: Bool { memory != nil }

    var rowCost: Int { memory?.rowCost ?? 1 }

    var readsDistances: Bool { true }

    func forEachMatch(
        of read: EventRead,
        _ takeGroup: (EventGroup) -> Void,
        _ body: (EventMatch) -> Void
    ) throws -> EventReadEnd {
        if let memory, hasInMemory(read.sequence) {
            return memory.forEachMatch(of: read, takeGroup, body)
        }
        let exclusions = database.hasCoveringIndexes ? EventScan.exclusionsPerRow : 1
        let batch = try readRows { connection in
            do {
                return try connection.matches(of: read, exclusions, isCovered: true)
            } catch let error as SQLiteError where error.isOfMissingIndex {
                return try connection.matches(of: read, 1, isCovered: false)
            }
        }
        for match in batch.matches { body(match) }
        return batch.end
    }

    /// Returns the events with these ids that exist.
    func datedEvents(_ ids: [Int64]) throws -> [Int64: DatedEvent] {
        try readRows { connection in try connection.datedEvents(ids) }
    }

    /// The state that all results are of; nil if they are of several or it is unknown.
    var state: EventsState? {
        if let snapshot { return hasReadRows ? nil : .memory(snapshot.identity) }
        return version.map(EventsState.init)
    }

    private func readRows<T: Sendable>(
        _ body: @Sendable (Connection) throws -> T
    ) throws -> T {
        let result = try database.read(body)
        let version = database.readers.snapshotVersion
        self.version = hasReadRows && self.version != version ? nil : version
        hasReadRows = true
        return result
    }
}

extension Connection {
    /// Returns the matching events of a sequence that is not in memory.
    ///
    /// - Parameters:
    ///   - read: The part of the sequence.
    ///   - exclusionsPerRow: The number of events that SQL excludes in the time to read a row.
    ///   - isCovered: Whether the covering indexes exist.
    /// - Returns: The matches, and how the read has ended.
    /// - Throws: `SQLiteError`.
    fileprivate func matches(
        of read: EventRead,
        _ exclusionsPerRow: Int,
        isCovered: Bool
    ) throws -> EventBatch {
        var count: Int?
        if read.needsAll || read.excludesPlacesInSQL {
            let most = read.maximumEntries(exclusionsPerRow)
            count = try self.count(of: read.sequence, limit: most, isCovered: isCovered)
            if let found = count, found > most {
                if read.needsAll { return EventBatch([], .unread) }
                count = nil
            }
        }
        switch read.sequence {
        case .region: return EventBatch([], .unread)
        case .distances: return try matchesByDistance(of: read)
        case .places(let ranges):
            return try matches(in: ranges, of: read, exclusionsPerRow, count: count)
        case .starts(let window): return try matches(by: window, of: read)
        case .ids:
            return try matches(of: read, read.isDescending ? EventSQL.lastIDs : EventSQL.firstIDs)
        case .owned(let owner):
            guard isCovered else { return try matches(inBlocksOf: owner, read) }
            return try matches(ofOwner: owner, read)
        case .attended(let user):
            return try matches(
                of: read,
                read.isDescending ? EventSQL.lastAttended : EventSQL.firstAttended,
                .integer(user)
            )
        }
    }

    /// Returns the number of events of a sequence, or one more than the limit if there are more; 0
    /// for a sequence that no index counts.
    ///
    /// Counting an entry of an index is much cheaper than comparing it.
    private func count(
        of sequence: EventSequence,
        limit: Int,
        isCovered: Bool
    ) throws -> Int {
        let limit = Int64(clamping: limit)
        var rest = limit
        func count(_ sql: StaticString, _ values: Value...) throws {
            guard rest >= 0 else { return }
            let (most, overflows) = rest.addingReportingOverflow(1)
            let limit = Value.integer(overflows ? .max : most)
            try rows(sql, values: values + [limit]) { row in
                rest -= row.int64(0)
                return .next
            }
        }
        switch sequence {
        case .region, .distances, .attended, .ids: break
        case .places(let ranges):
            for range in ranges {
                try count(
                    EventSQL.placeCount,
                    .integer(range.lowerBound.rawValue),
                    .integer(range.upperBound.rawValue)
                )
            }
        case .owned(let owner):
            guard !isCovered else {
                try count(EventSQL.ownedCount, .integer(owner))
                break
            }
            try forEachBlock(after: .min, isDescending: false) { block in
                rest -= 1
                try count(EventSQL.ownedCountInBlock, .integer(block.number), .integer(owner))
                return rest >= 0
            }
        case .starts(let window):
            for span in try usedSpans() {
                let starts = window.starts(of: span)
                try count(
                    EventSQL.startCount,
                    .integer(span),
                    .integer(starts.from),
                    .integer(starts.to)
                )
            }
        }
        return Int(clamping: limit.subtractingReportingOverflow(rest).partialValue)
    }

    /// Reads events in the order of their ids, with a statement whose last parameters are the id
    /// before them and the limit.
    private func matches(
        of read: EventRead,
        _ sql: StaticString,
        _ values: Value...
    ) throws -> EventBatch {
        var scan = EventScan(read)
        let start = read.start?.id ?? (read.isDescending ? .max : .min)
        let parameters = values + [.integer(start), .oneMore(than: read.maximumReads)]
        try rows(sql, values: parameters) { row in scan.take(EventKeys(row)) ? .next : .stop }
        return scan.batch(key: \.id)
    }

    /// Reads events by the keys of their places.
    ///
    /// `count` is their number. If it is nil, the number of rows limits the read, so SQL can't
    /// leave out any.
    private func matches(
        in ranges: [ClosedRange<CellKey>],
        of read: EventRead,
        _ exclusionsPerRow: Int,
        count: Int?
    ) throws -> EventBatch {
        var scan = EventScan(read)
        for range in ranges where scan.isComplete {
            let cells = [range.lowerBound, range.upperBound].map { Value.integer($0.rawValue) }
            let limit = Value.oneMore(than: read.maximumReads - scan.count)
            let times = count == nil ? nil : scan.timesIfAny
            try rows(
                times == nil ? EventSQL.places : EventSQL.placesInWindow,
                values: cells + (times ?? []).map(Value.integer) + [limit]
            ) { row in
                scan.take(EventKeys(row)) ? .next : .stop
            }
        }
        if let count { scan.exclude(count - scan.count, perRow: exclusionsPerRow) }
        return scan.batch(key: nil)
    }

    /// Reads events in the order of their starts: those of each span, merged.
    private func matches(by window: EventWindow, of read: EventRead) throws -> EventBatch {
        var scan = EventScan(read)
        if read.needsAll {
            // Any order will do.
            for span in try usedSpans() where scan.isComplete {
                let starts = window.starts(of: span)
                let values = [span, starts.from, starts.to].map(Value.integer)
                try rows(EventSQL.starts, values: values) { row in
                    scan.take(EventKeys(row)) ? .next : .stop
                }
            }
            return scan.batch(key: nil)
        }
        var spans = try usedSpans().map { SpanRows(span: $0, window, read) }
        while scan.isComplete {
            var first: Int?
            for index in spans.indices {
                try spans[index].fill(from: self)
                guard let candidate = spans[index].first else { continue }
                guard let best = first, let known = spans[best].first else {
                    first = index
                    continue
                }
                if candidate.start.precedes(known.start, isDescending: read.isDescending) {
                    first = index
                }
            }
            guard let first, let keys = spans[first].first else { break }
            spans[first].removeFirst()
            guard scan.take(keys) else { break }
        }
        return scan.batch(key: \.start.key)
    }

    fileprivate func datedEvents(_ ids: [Int64]) throws -> [Int64: DatedEvent] {
        var events: [Int64: DatedEvent] = [:]
        events.reserveCapacity(ids.count)
        for start in stride(from: 0, to: ids.count, by: EventSQL.datedAtOnce) {
            let part = ids[start...].prefix(EventSQL.datedAtOnce).map(Value.integer)
            let unused = repeatElement(Value.null, count: EventSQL.datedAtOnce - part.count)
            try rows(EventSQL.dated, values: part + unused) { row in
                let event = DatedEvent(row)
                events[event.event.id] = event
                return .next
            }
        }
        return events
    }
}

extension EventsState {
    /// Creates the state of a database in this version.
    init(_ version: DatabaseVersion) {
        let words = version.words
        self = .database(words.0, words.1, words.2, words.3)
    }
}

extension EventRead {
    /// Whether SQL excludes most of its places by their times.
    fileprivate var excludesPlacesInSQL: Bool {
        guard case .places = sequence else { return false }
        if needsAll { return needed?.isByStart == true }
        return filter.window.from != nil || filter.window.to != nil
    }

    /// Returns the maximum number of entries of an index that it may compare.
    fileprivate func maximumEntries(_ exclusionsPerRow: Int) -> Int {
        guard excludesPlacesInSQL else { return maximumReads }
        let (entries, overflows) = maximumReads.multipliedReportingOverflow(by: exclusionsPerRow)
        return overflows ? .max : entries
    }
}

extension Value {
    /// Returns one more than a limit, so that the rows tell whether there are more.
    static func oneMore(than limit: Int) -> Value {
        let (sum, overflows) = Int64(clamping: limit).addingReportingOverflow(1)
        return .integer(overflows ? .max : sum)
    }
}
