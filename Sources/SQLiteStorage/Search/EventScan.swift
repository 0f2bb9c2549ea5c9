import Cells
import EventIndex
import Model
import SQLite
import Time

/// The columns of an event that a search compares.
struct EventKeys {
    let id: Int64
    let coordinate: Coordinate
    let values: FilterValues

    init(id: Int64, coordinate: Coordinate, values: FilterValues) {
        self.id = id
        self.coordinate = coordinate
        self.values = values
    }

    /// Reads a row of: id, owner_id, latitude, longitude, started_at, ended_at.
    init(_ row: borrowing Row) {
        id = row.int64(0)
        coordinate = Coordinate(latitude: row.double(2), longitude: row.double(3))
        values = FilterValues(
            startedAt: row.int64(4),
            endedAt: row.optionalInt64(5),
            ownerID: row.int64(1)
        )
    }

    /// Its position in the order of starts.
    var start: EventPosition { EventPosition(key: values.startedAt, id: id) }
}

/// The matches of a read's rows so far.
struct EventScan {
    private let read: EventRead
    private let matcher: EventMatcher
    private var matches: [EventMatch] = []
    /// The first matches in the order of starts, if no others are needed.
    private var best: BestMatches?
    private var last: EventKeys?
    /// The id up to which there are no more events, if it comes after `last`.
    private var lastSkipped: Int64?
    /// The number of events that were compared.
    private var count = 0
    /// What was read, in rows.
    private(set) var cost = 0
    /// Whether all rows were read.
    private(set) var isComplete = true

    init(_ read: EventRead) {
        self.read = read
        matcher = EventMatcher(read)
        if let needed = read.needed, needed.isByStart { best = BestMatches(needed) }
    }

    /// Ends the read if it has reached a limit, and returns whether it continues.
    mutating func continues() -> Bool {
        if cost < read.maximumReads, matches.count < read.maximumMatches { return true }
        isComplete = false
        return false
    }

    /// Compares a row with the filter, and returns whether the read continues.
    mutating func take(_ keys: EventKeys) -> Bool {
        guard continues() else { return false }
        cost += 1
        count += 1
        last = keys
        lastSkipped = nil
        // Most events match neither the window nor the owner, and a point takes four sines.
        if matcher.mayMatch(keys.values) {
            note(matcher.match(keys, keys.coordinate.unitVector))
        }
        return true
    }

    /// The starts of the events that are still needed.
    ///
    /// All starts, unless only the first matches by start are needed and enough have been found.
    private var neededStarts: ClosedRange<Int64> {
        guard let last = best?.last?.key, let order = read.needed?.order else {
            return .min ... .max
        }
        return order.isDescending ? last ... .max : .min...last
    }

    /// Notes an event if it matches.
    private mutating func note(_ match: EventMatch?) {
        guard let match else { return }
        if best == nil { matches.append(match) } else { best?.consider(match) }
    }

    /// Notes that there are no more events up to an id, which took so many reads to find out.
    mutating func skip(to id: Int64, reads: Int = 0) {
        lastSkipped = id
        cost += reads
    }

    /// Returns the matches of a read in the order of a key, or without an order.
    func batch(key: ((EventKeys) -> Int64)?) -> EventBatch {
        let position = key.flatMap { key in
            lastSkipped.map { EventPosition(key: $0, id: $0) }
                ?? last.map { EventPosition(key: key($0), id: $0.id) }
        }
        let end = EventReadEnd(
            count: count,
            cost: cost,
            isComplete: isComplete,
            last: position
        )
        if read.needsAll, !isComplete { return EventBatch([], end) }
        return EventBatch(best?.sorted() ?? matches, end)
    }
}

extension EventScan: SegmentVisitor {
    var maximumRows: Int { read.maximumReads - cost }

    mutating func begin(_ segment: borrowing EventSegment) -> Bool {
        guard continues() else { return false }
        cost += segment.cost
        return true
    }

    mutating func take(
        _ segment: borrowing EventSegment,
        _ indices: Range<Int>,
        isDescending: Bool
    ) -> Bool {
        if indices.isEmpty { return true }
        // Copying it for each event took 6% of a search for the clusters of a city.
        let matcher = matcher
        var starts = neededStarts
        var (index, rest) = (
            isDescending ? indices.upperBound - 1 : indices.lowerBound, indices.count
        )
        while rest > 0, matches.count < read.maximumMatches {
            let values = segment.values(at: index)
            if matcher.mayMatch(values), starts.contains(values.startedAt) {
                note(matcher.match(segment.keys(at: index), segment.point(at: index)))
                starts = neededStarts
            }
            index += isDescending ? -1 : 1
            rest -= 1
        }
        count += indices.count - rest
        if rest < indices.count {
            last = segment.keys(at: isDescending ? index + 1 : index - 1)
            lastSkipped = nil
        }
        isComplete = rest == 0
        return isComplete
    }

    mutating func takeRow(_ keys: EventKeys) -> Bool { take(keys) }
}

extension EventMatcher {
    /// Returns the match of an event whose values match, or nil if its place doesn't.
    func match(_ keys: EventKeys, _ point: UnitVector) -> EventMatch? {
        distance(point, keys.values, { keys.coordinate }).map { millimetres in
            EventMatch(keys, point, millimetres: millimetres)
        }
    }
}

extension EventMatch {
    /// Creates the match of an event.
    fileprivate init(_ keys: EventKeys, _ point: UnitVector, millimetres: Int64) {
        self.init(
            id: keys.id,
            point: point,
            startedAt: keys.values.startedAt,
            millimetres: millimetres,
            record: .id
        )
    }
}
