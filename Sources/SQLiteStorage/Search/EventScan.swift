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

    /// Reads a row of: id, owner_id, latitude, longitude, started_at, ended_at.
    init(_ row: borrowing Row) {
        id = row.int64(0)
        coordinate = Coordinate(latitude: row.double(2), longitude: row.double(3))
        let startedAt = row.int64(4)
        values = FilterValues(
            startedAt: startedAt,
            end: max(row.optionalInt64(5) ?? startedAt, startedAt),
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
    private(set) var count = 0
    /// How much less the events cost than as many rows.
    private var savings = 0
    /// Whether all rows were read.
    private(set) var isComplete = true

    init(_ read: EventRead) {
        self.read = read
        matcher = EventMatcher(read)
        if let needed = read.needed, needed.isByStart { best = BestMatches(needed) }
    }

    /// The times of events that can match, or nil if they exclude no event.
    var timesIfAny: [Int64]? {
        let times = times
        return times == [.min, .max, .min] ? nil : times
    }

    /// The least and the greatest start, and the beginning of the window, in ms.
    var times: [Int64] {
        let window = read.filter.window
        var (least, greatest) = (Int64.min, Int64.max)
        let from = window.from?.milliseconds ?? .min
        if !window.includesOngoing { least = from }
        if let to = window.to { greatest = to.milliseconds }
        if let needed = read.needed, let best {
            let (first, last) = (needed.start?.key, best.last?.key)
            let (lower, upper) = needed.order.isDescending ? (last, first) : (first, last)
            least = max(least, lower ?? .min)
            greatest = min(greatest, upper ?? .max)
        }
        return [least, greatest, from]
    }

    /// The southern, northern, western and eastern edge in degrees, between which all matches are.
    var edges: [Double] {
        guard let box = read.filter.box else { return [-90, 90, -180, 180] }
        let (west, east) = box.isPlain ? (box.west, box.east) : (-180, 180)
        return [box.south, box.north, west, east]
    }

    /// Ends the read if it has reached a limit, and returns whether it continues.
    mutating func continues() -> Bool {
        if count < read.maximumReads, matches.count < read.maximumMatches { return true }
        isComplete = false
        return false
    }

    /// Compares a row with the filter, and returns whether the read continues.
    mutating func take(_ keys: EventKeys) -> Bool {
        guard continues() else { return false }
        count += 1
        last = keys
        lastSkipped = nil
        // Most rows match neither the window nor the owner, and a point takes four sines.
        guard matcher.mayMatch(keys.values) else { return true }
        let point = keys.coordinate.unitVector
        if let distance = matcher.distance(point, keys.values, { keys.coordinate }) {
            let match = EventMatch(keys, point, millimetres: distance)
            if best == nil { matches.append(match) } else { best?.consider(match) }
        }
        return true
    }

    /// Counts events that SQL has excluded, several of them in the time to read a row.
    mutating func exclude(_ events: Int, perRow: Int) {
        guard events > 0 else { return }
        count += events
        savings += events - events / max(perRow, 1)
    }

    /// The number of entries of a covering index that SQL excludes in the time to read a row.
    static let exclusionsPerRow = 8

    /// Notes that there are no more events up to an id, which took so many reads to find out.
    mutating func skip(to id: Int64, reads: Int = 0) {
        lastSkipped = id
        count += reads
    }

    /// Returns the matches of a read in the order of a key, or without an order.
    func batch(key: ((EventKeys) -> Int64)?) -> EventBatch {
        let position = key.flatMap { key in
            lastSkipped.map { EventPosition(key: $0, id: $0) }
                ?? last.map { EventPosition(key: key($0), id: $0.id) }
        }
        let end = EventReadEnd(
            count: count,
            savings: savings,
            isComplete: isComplete,
            last: position
        )
        return EventBatch(best?.sorted() ?? matches, end)
    }
}

extension EventMatch {
    /// Creates the match of a row.
    init(_ keys: EventKeys, _ point: UnitVector, millimetres: Int64) {
        self.init(
            id: keys.id,
            point: point,
            startedAt: keys.values.startedAt,
            millimetres: millimetres,
            record: .id
        )
    }
}
