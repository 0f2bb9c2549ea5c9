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
/// The nearest cell is always the next to be opened: one with many segments becomes sixteen, and of
/// others the events are read. So a cell is about as small as its events require, and an empty one
/// takes one or two reads, however large it is. Cells outside of the filter's region are not
/// opened. See `EventSnapshot.forEachNearestMatch` for the source.
private struct NearestCells {
    private let read: EventRead
    private var matcher: EventMatcher
    private let widest: Double
    private let region: [ClosedRange<CellKey>]?
    private var cells = NearCellQueue()
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
    /// The number of segments that the present cell may still have.
    private var segmentsLeft = Int.max
    /// The events of the present cell that were read from outdated segments, if they can match.
    private var rows: [EventKeys] = []
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
        for face in NearCell.faces(around: point) { insert(face) }
    }

    mutating func matches(on connection: Connection) throws -> EventBatch {
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

    /// Inserts a cell, unless all of it is nearer than the first event.
    private mutating func insert(_ cell: NearCell) {
        let farthest = EventSearch.millimetres(within: cell.farthest) + 2
        if let start = read.start, farthest < start.key { return }
        cells.insert(cell)
    }

    /// Divides a crowded cell, and reads the events of others.
    ///
    /// Returns false if these exceed the maximum number of reads.
    private mutating func open(_ cell: NearCell, on connection: Connection) throws -> Bool {
        let place = known.partitionIndex { $0.upperBound < cell.keys.upperBound }
        if known.indices.contains(place), known[place].contains(cell.keys) { return true }
        let isDivided =
            try !cell.isSmall
            && (isSurelyCrowded(cell) || !isNarrow(cell) && isCrowded(cell.keys, on: connection))
        if isDivided {
            divide(cell)
            return true
        }
        segmentsLeft = cell.isSmall ? .max : fewSegments + 1
        rowsLeft = cell.isSmall ? .max : Self.fewRows
        rows = []
        let isComplete = try connection.readEvents(in: [cell.keys], EventSegment.Edges(), &self)
        if !isComplete, segmentsLeft == 0 || rowsLeft == 0 {
            // Its parts have the same rows again.
            divide(cell)
            return true
        }
        for keys in rows { note(keys, keys.coordinate.unitVector) }
        return isComplete
    }

    private mutating func divide(_ cell: NearCell) {
        for quarter in cell.quarters {
            // Most quarters of a crowded cell are crowded, and finding that out takes time.
            for part in quarter.isSmall ? [quarter] : quarter.quarters { insert(part) }
        }
    }

    /// Returns true for a cell that is wide compared with the distance of the first event, and that
    /// has nearer places: there probably are as many events as on the pages before.
    private func isSurelyCrowded(_ cell: NearCell) -> Bool {
        guard let start = read.start else { return false }
        return EventSearch.millimetres(within: cell.nearest) < start.key
            && EventSearch.millimetres(within: cell.farthest) / Self.wideness > start.key
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

    private mutating func note(_ keys: EventKeys, _ point: UnitVector) {
        if let match = matcher.match(keys, point) { best.consider(match) }
    }
}

extension NearestCells: SegmentVisitor {
    var maximumRows: Int { read.maximumReads - cost }

    /// Takes all of a segment, so that it is read once for all cells that it has events of.
    mutating func part(of segment: borrowing EventSegment, upTo end: EventPosition) -> SegmentPart {
        if ends.contains(end) {
            cost += 1
            return .nothing
        }
        guard segmentsLeft > 0 else { return .end }
        segmentsLeft -= 1
        cost += segment.cost
        guard cost <= read.maximumReads else { return .end }
        ends.insert(end)
        if segment.count > 0 {
            // Other segments can have events of the cells at both ends.
            let (first, last) = (segment.cell(at: 0).rawValue, end.key)
            if first < .max, first + 1 < last, known.count < Self.mostKnown {
                let keys = CellKey(rawValue: first + 1)...CellKey(rawValue: last - 1)
                known.insert(keys, at: known.partitionIndex { $0.upperBound < keys.upperBound })
            }
            let width = segment.cell(at: segment.count - 1).rawValue &- first
            keysOfSegment = keysOfSegment == 0 ? width : keysOfSegment / 2 &+ width / 2
        }
        return .everything
    }

    mutating func take(
        _ segment: borrowing EventSegment,
        _ indices: Range<Int>,
        isDescending: Bool
    ) -> Bool {
        count += indices.count
        if let last = best.last { matcher.exclude(beyondMillimetres: last.key) }
        for index in indices where matcher.mayMatch(segment.values(at: index)) {
            note(segment.keys(at: index), segment.point(at: index))
        }
        return true
    }

    mutating func takeRow(_ keys: EventKeys) -> Bool {
        guard rowsLeft > 0 else { return false }
        rowsLeft -= 1
        cost += 1
        guard cost <= read.maximumReads else { return false }
        count += 1
        if matcher.mayMatch(keys.values) { rows.append(keys) }
        return true
    }
}

extension NearCell {
    /// The number of keys in it.
    fileprivate var keyCount: Int64 { keys.upperBound.rawValue - keys.lowerBound.rawValue + 1 }
}
