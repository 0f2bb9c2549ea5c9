import Cells
import EventIndex
import Model
import SQLite

extension Connection {
    /// Reads events in the order of their distances from the filter's point.
    func matchesByDistance(of read: EventRead) throws -> EventBatch {
        guard let origin = read.filter.origin else {
            return EventBatch([], EventReadEnd(count: 0, isComplete: true))
        }
        var search = NearestCells(read, around: origin.point)
        return try search.matches(on: self)
    }
}

/// A search for the nearest events from a position on, in the cells of an index.
///
/// The nearest cell is always the next to be opened: a crowded one becomes sixteen, and of others
/// the rows are read. So a cell is about as small as its events require, and an empty one takes one
/// or two reads, however large it is. Cells outside of the filter's region are not opened. See
/// `EventSnapshot.forEachNearestMatch` for the source.
private struct NearestCells {
    private let read: EventRead
    private let matcher: EventMatcher
    private let widest: Double
    private let region: [ClosedRange<CellKey>]?
    private var cells = NearCellQueue()
    private var best: BestMatches
    /// The ranges of keys that were found last to have few events.
    ///
    /// What are few events grows during the search, so earlier ranges have even fewer.
    private var sparse: [ClosedRange<CellKey>] = []
    /// The number of rows that take as long as what was read.
    private var count = 0

    /// The number of events up to which reading all is faster than dividing the cell, at least.
    private static let fewEvents = 24
    /// The part of what was read that a cell may have without being divided.
    ///
    /// A filter that few events match takes many cells, and larger ones take less time together.
    private static let shareOfCell = 16
    /// The number of rows that take as long as finding a cell in the index.
    private static let rowsPerCell = 2
    /// The number of entries that SQLite skips in the time to read a row.
    private static let skipsPerRow = 24
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
            guard count < read.maximumReads else { return part(before: nearest) }
            cells.removeFirst()
            if let region, !region.intersects(cell.keys) { continue }
            guard try open(cell, on: connection) else { return part(before: nearest) }
        }
        let end = EventReadEnd(count: count, isComplete: best.last == nil)
        return EventBatch(best.sorted(), end)
    }

    /// Returns the matches that are nearer than all that was not read.
    private func part(before distance: Int64) -> EventBatch {
        let matches = best.sorted().filter { $0.millimetres < distance }
        let last = EventPosition(key: distance - 1, id: .max)
        let isFurther = read.start.map { $0.precedes(last, isDescending: false) } ?? true
        return EventBatch(
            isFurther ? matches : [],
            EventReadEnd(count: count, isComplete: false, last: isFurther ? last : nil)
        )
    }

    /// Inserts a cell, unless all of it is nearer than the first event.
    private mutating func insert(_ cell: NearCell) {
        let farthest = EventSearch.millimetres(within: cell.farthest) + 2
        if let start = read.start, farthest < start.key { return }
        cells.insert(cell)
    }

    /// Divides a crowded cell, and reads the rows of others.
    ///
    /// Returns false if these exceed the maximum number of reads.
    private mutating func open(_ cell: NearCell, on connection: Connection) throws -> Bool {
        if !cell.isSmall, try isCrowded(cell.keys, on: connection) {
            for quarter in cell.quarters {
                // Most quarters of a crowded cell are crowded, and finding that out takes time.
                for part in quarter.isSmall ? [quarter] : quarter.quarters { insert(part) }
            }
            return true
        }
        count += Self.rowsPerCell
        let last = read.maximumReads
        let values: [Value] = [
            .integer(cell.keys.lowerBound.rawValue),
            .integer(cell.keys.upperBound.rawValue),
            .oneMore(than: max(last - count, 0)),
        ]
        try connection.rows(EventSQL.places, values: values) { row in
            consider(EventKeys(row))
            return .next
        }
        return count <= last
    }

    /// Returns whether keys have so many events that dividing their cell is faster.
    ///
    /// It looks only for the event that would be one too many, which is faster than counting. It
    /// remembers the keys before that event: other cells among them need no such search.
    private mutating func isCrowded(
        _ keys: ClosedRange<CellKey>,
        on connection: Connection
    ) throws -> Bool {
        if sparse.contains(where: { $0.contains(keys) }) { return false }
        let few = max(Self.fewEvents, count / Self.shareOfCell)
        count += Self.rowsPerCell + few / Self.skipsPerRow
        let next = try connection.first(
            EventSQL.placeAt,
            .integer(keys.lowerBound.rawValue),
            .integer(Int64(few))
        ) { row in row.int64(0) }
        let last = next.map { $0 - 1 } ?? .max
        if last >= keys.lowerBound.rawValue {
            sparse.append(keys.lowerBound...CellKey(rawValue: last))
            if sparse.count > Self.sparseRanges { sparse.removeFirst() }
        }
        return last < keys.upperBound.rawValue
    }

    private mutating func consider(_ keys: EventKeys) {
        count += 1
        guard matcher.mayMatch(keys.values) else { return }
        let point = keys.coordinate.unitVector
        guard let distance = matcher.distance(point, keys.values, { keys.coordinate }) else {
            return
        }
        best.consider(EventMatch(keys, point, millimetres: distance))
    }
}
