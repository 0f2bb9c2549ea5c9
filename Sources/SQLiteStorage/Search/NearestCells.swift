import Cells
import EventIndex
import Model
import SQLite

extension Connection {
    /// Reads events in the order of their distances from the filter's point, from segments.
    func matchesByDistance(of read: EventRead) throws -> EventBatch {
        guard let origin = read.filter.origin else {
            return EventBatch([], EventReadEnd(count: 0, isComplete: true))
        }
        var search = NearestCells(read, around: origin.point)
        return try search.matches(on: self)
    }
}

/// A search for the nearest events from a position on, in the segments of cells.
///
/// First come the cells at the distance of the position, in the order of their keys: all of them
/// are needed. Then the nearest cell is always the next to be opened: one with many segments
/// becomes sixteen, and of others the events are read. So a cell is about as small as its events
/// require, and an empty one takes one or two reads, however large it is. Cells outside of the
/// filter's region are not opened. See `EventSnapshot.forEachNearestMatch` for the source.
private struct NearestCells {
    private let read: EventRead
    private var matcher: EventMatcher
    private let widest: Double
    private let region: [ClosedRange<CellKey>]?
    private var cells = NearCellQueue()
    /// The cells at the distance of the read's position that were not read, the last one first.
    private var circle: [NearCell] = []
    private var best: BestMatches
    /// The ranges of keys that were found last to have few segments.
    ///
    /// What are few segments grows during the search, so earlier ranges have even fewer.
    private var sparse: [ClosedRange<CellKey>] = []
    /// The ends of the segments that were read.
    private var ends: Set<EventPosition> = []
    /// The keys of which all events were read, in rising order.
    private var known: [ClosedRange<CellKey>] = []
    /// About the number of keys from the first event of a segment to the last one.
    private var keysOfSegment: Int64 = 0
    /// The events of the present cell that were read from outdated segments, if they can match.
    private var rows: [EventKeys] = []
    /// The ids of those that were noted, because a cell can be divided after a part was read.
    private var rowIDs: Set<Int64> = []
    /// The number of rows that the present cell may still have.
    private var rowsLeft = Int.max
    /// The number of events that were compared.
    private var count = 0
    /// What was read, in rows.
    private var cost = 0

    /// The cost of what was read, divided by the number of segments that a cell may have without
    /// being divided.
    ///
    /// A filter that few events match takes many cells, and larger ones take less time together.
    private static let costPerSegment = 256
    /// How much farther than the first event a wide cell reaches.
    private static let wideness: Int64 = 4
    /// A cell on the circle is divided until a segment is this many times as wide.
    private static let narrowness: Int64 = 4
    /// If the next cell is nearer than the keys of a segment divided by this, it takes less time to
    /// read the next segment than to look for that of the cell.
    private static let fewKeys: Int64 = 2
    /// The number of rows of outdated segments that a cell may have without being divided.
    private static let fewRows = 512
    /// The maximum number of ranges of keys to remember.
    private static let mostKnown = 4096
    /// The number of rows that take as long as finding a segment.
    private static let rowsPerCell = 2
    /// The number of segments that SQLite skips in the time to read a row.
    private static let skipsPerRow = 4
    /// The number of sparse ranges to remember.
    private static let sparseRanges = 32

    init(_ read: EventRead, around point: UnitVector) {
        self.read = read
        matcher = EventMatcher(read)
        widest = read.filter.radiusAngle
        region = read.filter.keyRanges
        best = BestMatches(in: .distance, after: read.start, limit: read.maximumMatches)
        for face in NearCell.faces(around: point).reversed() { insertOnCircle(face) }
    }

    mutating func matches(on connection: Connection) throws -> EventBatch {
        guard try readCircle(on: connection) else { return part(before: 0) }
        while let cell = cells.first, cell.nearest <= widest {
            // No event of this cell or of the others is nearer.
            let nearest = EventSearch.millimetres(within: cell.nearest) - 1
            if let last = best.last, last.key < nearest { break }
            guard cost < read.maximumReads else { return part(before: nearest) }
            cells.removeFirst()
            if let region, !region.intersects(cell.keys) { continue }
            guard try open(cell, on: connection) else { return part(before: nearest) }
        }
        let end = EventReadEnd(count: count, cost: cost, isComplete: best.last == nil)
        return EventBatch(best.sorted(), end)
    }

    /// Returns the matches that are nearer than all that was not read.
    private func part(before distance: Int64) -> EventBatch {
        let matches = best.sorted().filter { $0.millimetres < distance }
        let last = EventPosition(key: distance - 1, id: .max)
        let isFurther =
            distance > 0 && read.start.map { $0.precedes(last, isDescending: false) } ?? true
        return EventBatch(
            isFurther ? matches : [],
            EventReadEnd(
                count: count,
                cost: cost,
                isComplete: false,
                last: isFurther ? last : nil
            )
        )
    }

    /// Reads the cells at the distance of the read's position.
    ///
    /// Returns false if these exceed the maximum number of reads.
    private mutating func readCircle(on connection: Connection) throws -> Bool {
        guard let first = nextOnCircle(after: .first) else { return circle.isEmpty }
        try connection.forEachSegment(after: first, EventSegment.Edges()) { former, row in
            guard let cell = circle.last else { return nil }
            var position = row.segmentEnd
            let isTaken = unsafe row.withUnsafeBlob(2) { bytes in
                take(unsafe EventSegment(.cells, bytes), upTo: position)
            }
            if isTaken == nil {
                position = try readRowsOnCircle(of: cell, after: former, upTo: position, connection)
            }
            return nextOnCircle(after: position)
        }
        return circle.isEmpty
    }

    /// Reads the events of a cell from an outdated segment, and returns the position up to which
    /// the circle was read.
    private mutating func readRowsOnCircle(
        of cell: NearCell,
        after former: EventPosition,
        upTo end: EventPosition,
        _ connection: Connection
    ) throws -> EventPosition {
        rowsLeft = cell.isSmall ? .max : Self.fewRows
        let costBefore = cost
        guard try readRows(of: cell, after: former, through: end, on: connection) else {
            rows = []
            divideOnCircle(cell)
            return former
        }
        noteRows()
        if cost > costBefore {
            let density = Double(cost - costBefore) / Double(cell.keyCount)
            noteWidth(Double(EventSegment.capacity(of: .cells)) / density)
        }
        return cell.lastPosition.precedes(end, isDescending: false) ? cell.lastPosition : end
    }

    /// Returns the position after which the circle has events next, when those up to a position
    /// were read; nil if it has none, or exceeds the maximum number of reads.
    private mutating func nextOnCircle(after position: EventPosition) -> EventPosition? {
        while let cell = circle.last, cost <= read.maximumReads {
            if !position.precedes(cell.lastPosition, isDescending: false) {
                circle.removeLast()
            } else if !cell.isSmall, isWideOnCircle(cell) {
                divideOnCircle(cell)
            } else {
                let start = cell.startPosition
                let isNear = start.key <= position.key &+ keysOfSegment / Self.fewKeys
                return isNear && position != .first ? position : start
            }
        }
        return nil
    }

    /// Whether a cell is wide compared with the circle, or with a segment: then it probably has
    /// segments of other distances.
    private func isWideOnCircle(_ cell: NearCell) -> Bool {
        if let start = read.start,
            EventSearch.millimetres(within: cell.farthest) / Self.wideness > start.key
        {
            return true
        }
        return keysOfSegment > 0 && cell.keyCount > keysOfSegment / Self.narrowness
    }

    private mutating func divideOnCircle(_ cell: NearCell) {
        cost += 1
        circle.removeLast()
        for quarter in cell.quarters.reversed() { insertOnCircle(quarter) }
    }

    /// Inserts a cell among those of the circle if it has places there.
    private mutating func insertOnCircle(_ cell: NearCell) {
        let nearest = EventSearch.millimetres(within: cell.nearest) - 1
        guard let start = read.start, nearest <= start.key else { return cells.insert(cell) }
        let isNeeded =
            reaches(start, cell) && cell.nearest <= widest
            && region.map { $0.intersects(cell.keys) } ?? true
        if isNeeded { circle.append(cell) }
    }

    /// Returns false if all of a cell is nearer than a position.
    private func reaches(_ start: EventPosition, _ cell: NearCell) -> Bool {
        EventSearch.millimetres(within: cell.farthest) + 2 >= start.key
    }

    /// Inserts a cell, unless all of it is nearer than the first event.
    private mutating func insert(_ cell: NearCell) {
        if let start = read.start, !reaches(start, cell) { return }
        cells.insert(cell)
    }

    /// Divides a crowded cell, and reads the events of others.
    ///
    /// Returns false if these exceed the maximum number of reads.
    private mutating func open(_ cell: NearCell, on connection: Connection) throws -> Bool {
        let place = known.partitionIndex { $0.upperBound < cell.keys.upperBound }
        if known.indices.contains(place), known[place].contains(cell.keys) { return true }
        let isDivided =
            try !cell.isSmall && !isNarrow(cell) && isCrowded(cell.keys, on: connection)
        if isDivided {
            divide(cell)
            return true
        }
        var segmentsLeft = cell.isSmall ? .max : fewSegments + 1
        rowsLeft = cell.isSmall ? .max : Self.fewRows
        var isComplete = true
        try connection.forEachSegment(after: cell.startPosition, EventSegment.Edges()) {
            former,
            row in
            let end = row.segmentEnd
            isComplete =
                try unsafe row.withUnsafeBlob(2) { bytes in
                    if ends.contains(end) {
                        cost += 1
                        return true
                    }
                    guard segmentsLeft > 0 else { return false }
                    segmentsLeft -= 1
                    return take(unsafe EventSegment(.cells, bytes), upTo: end)
                } ?? readRows(of: cell, after: former, through: end, on: connection)
            return isComplete && end.key <= cell.keys.upperBound.rawValue ? end : nil
        }
        if !isComplete, segmentsLeft == 0 || rowsLeft == 0 {
            // Its parts have the same rows again.
            rows = []
            divide(cell)
            return true
        }
        noteRows()
        return isComplete
    }

    private mutating func divide(_ cell: NearCell) {
        for quarter in cell.quarters {
            // Most quarters of a crowded cell are crowded, and finding that out takes time.
            for part in quarter.isSmall ? [quarter] : quarter.quarters { insert(part) }
        }
    }

    /// Returns whether keys have so many segments that dividing their cell is faster.
    ///
    /// It looks only for the segment that would be one too many. It remembers the keys up to that
    /// segment: other cells among them need no such search.
    private mutating func isCrowded(
        _ keys: ClosedRange<CellKey>,
        on connection: Connection
    ) throws -> Bool {
        if sparse.contains(where: { $0.contains(keys) }) { return false }
        let few = fewSegments
        cost += Self.rowsPerCell + few / Self.skipsPerRow
        let last = try connection.segmentKey(at: few, from: keys.lowerBound) ?? .max
        if last >= keys.lowerBound.rawValue {
            sparse.append(keys.lowerBound...CellKey(rawValue: last))
            if sparse.count > Self.sparseRanges { sparse.removeFirst() }
        }
        return last < keys.upperBound.rawValue
    }

    /// Whether keys probably have few segments, because the latest ones had about as many keys.
    ///
    /// If not, the read of the cell ends soon, and what it has read is not read again.
    private func isNarrow(_ cell: NearCell) -> Bool {
        cell.keyCount < keysOfSegment
    }

    /// The number of segments that a cell may have without being divided.
    private var fewSegments: Int { 1 + cost / Self.costPerSegment }

    /// Notes the number of keys from the first event of a segment to the last one.
    private mutating func noteWidth(_ width: Double) {
        let keys = Int64(min(width, Double(CellKey.all.upperBound.rawValue)))
        keysOfSegment = keysOfSegment == 0 ? keys : keysOfSegment / 2 + keys / 2
    }

    /// Takes all of a segment, so that it is read once for all cells that it has events of.
    ///
    /// Returns false if it exceeds the maximum number of reads.
    private mutating func take(
        _ segment: borrowing EventSegment,
        upTo end: EventPosition
    ) -> Bool {
        cost += segment.cost
        guard cost <= read.maximumReads else { return false }
        ends.insert(end)
        if segment.count > 0 {
            // Other segments can have events of the cells at both ends.
            let (first, last) = (segment.cell(at: 0).rawValue, end.key)
            if first < .max, first + 1 < last, known.count < Self.mostKnown {
                let keys = CellKey(rawValue: first + 1)...CellKey(rawValue: last - 1)
                known.insert(keys, at: known.partitionIndex { $0.upperBound < keys.upperBound })
            }
            noteWidth(Double(segment.cell(at: segment.count - 1).rawValue) - Double(first))
        }
        count += segment.count
        if let last = best.last { matcher.exclude(beyondMillimetres: last.key) }
        let matcher = matcher
        for index in 0..<segment.count {
            let point = segment.point(at: index)
            // The distance excludes most events.
            if matcher.mayMatch(point), matcher.mayMatch(segment.values(at: index)) {
                note(matcher.match(segment.keys(at: index), point))
            }
        }
        return true
    }

    /// Reads the events of a cell between two positions from the table.
    ///
    /// Returns false if these exceed the number of rows that the cell may still have, or the
    /// maximum number of reads.
    private mutating func readRows(
        of cell: NearCell,
        after former: EventPosition,
        through end: EventPosition,
        on connection: Connection
    ) throws -> Bool {
        var isComplete = true
        let limit = min(rowsLeft, max(read.maximumReads - cost, 0), .max - 1) + 1
        try connection.forEachEvent(in: cell.keys, after: former, through: end, limit: limit) {
            row in
            isComplete = rowsLeft > 0
            guard isComplete else { return .stop }
            rowsLeft -= 1
            cost += 1
            isComplete = cost <= read.maximumReads
            guard isComplete else { return .stop }
            count += 1
            let keys = EventKeys(row)
            if matcher.mayMatch(keys.values) { rows.append(keys) }
            return .next
        }
        return isComplete
    }

    /// Notes the events that were read from outdated segments.
    private mutating func noteRows() {
        for keys in rows where rowIDs.insert(keys.id).inserted {
            note(matcher.match(keys, keys.coordinate.unitVector))
        }
        rows = []
    }

    /// Notes an event if it matches.
    private mutating func note(_ match: EventMatch?) {
        if let match { best.consider(match) }
    }
}

extension NearCell {
    /// The number of keys in it.
    fileprivate var keyCount: Int64 { keys.upperBound.rawValue - keys.lowerBound.rawValue + 1 }

    /// The position before its first event.
    fileprivate var startPosition: EventPosition { EventPosition(before: keys.lowerBound) }

    /// The position of the last event that it can have.
    fileprivate var lastPosition: EventPosition { EventPosition(lastOf: keys.upperBound) }
}
