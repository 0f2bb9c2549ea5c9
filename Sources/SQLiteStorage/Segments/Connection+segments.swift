import Cells
import EventIndex
import Model
import SQLite

/// What reads events from segments.
protocol SegmentVisitor {
    /// The maximum number of rows that it takes.
    var maximumRows: Int { get }

    /// Notes that a segment was read, and returns whether its events are to be taken.
    mutating func begin(_ segment: borrowing EventSegment) -> Bool

    /// Takes events of a segment, and returns whether the read continues.
    mutating func take(
        _ segment: borrowing EventSegment,
        _ indices: Range<Int>,
        isDescending: Bool
    ) -> Bool

    /// Takes an event of an outdated segment, and returns whether the read continues.
    mutating func takeRow(_ keys: EventKeys) -> Bool
}

extension Connection {
    /// Calls a visitor with the events whose cells are in ranges, in rising order, until it ends
    /// the read.
    ///
    /// It may leave out events outside of the edges. A segment in which several ranges begin is
    /// read once. O(log n + m) for n segments and m of them in the ranges.
    ///
    /// - Returns: Whether the visitor has got all of them.
    /// - Throws: `SQLiteError`, and `SegmentsMissing` if another program has removed the last
    ///   segment.
    func readEvents(
        in ranges: ArraySlice<ClosedRange<CellKey>>,
        _ edges: EventSegment.Edges,
        _ visitor: inout some SegmentVisitor
    ) throws -> Bool {
        guard let first = ranges.first else { return true }
        var isComplete = true
        var next = ranges.startIndex
        try forEachSegment(after: EventPosition(before: first.lowerBound), edges) { former, row in
            let end = row.segmentEnd
            var index = next
            while index < ranges.endIndex, ranges[index].lowerBound.rawValue <= end.key {
                index += 1
            }
            let begun = ranges[next..<index]
            isComplete =
                try unsafe row.withUnsafeBlob(2) { bytes in
                    let segment = unsafe EventSegment(.cells, bytes)
                    return visitor.take(segment, in: begun)
                } ?? readRows(in: begun, after: former, through: end, &visitor)
            guard isComplete else { return nil }
            // The next segment can have events of the same cell.
            while next < index, ranges[next].upperBound.rawValue < end.key { next += 1 }
            if next < index { return end }
            return next < ranges.endIndex ? EventPosition(before: ranges[next].lowerBound) : nil
        }
        return isComplete
    }

    /// Calls `body` with segments of cells until it returns nil.
    ///
    /// The first segment is the one with the next event after a position. `body` gets the position
    /// after which the segment's events are needed, and returns the position after which it needs
    /// events next. Segments that end before that position are skipped. If the position is within
    /// the same segment, `body` gets that segment again.
    ///
    /// - Throws: `SQLiteError`, what `body` throws, and `SegmentsMissing` if another program has
    ///   removed the last segment.
    func forEachSegment(
        after first: EventPosition,
        _ edges: EventSegment.Edges,
        _ body: (_ former: EventPosition, _ row: borrowing Row) throws -> EventPosition?
    ) throws {
        var next: EventPosition? = first
        while var former = next {
            var isFound = false
            guard let start = former.next else { return }
            try segments(.cells, from: start, edges) { row in
                isFound = true
                next = try body(former, row)
                former = row.segmentEnd
                return next == former ? .next : .stop
            }
            // The last segment ends after every cell, unless another program has removed it.
            if !isFound { throw SegmentsMissing() }
        }
    }

    /// Calls `body` with the rows of the events of cells between two positions, at most `limit`.
    func forEachEvent(
        in cells: ClosedRange<CellKey>,
        after former: EventPosition,
        through end: EventPosition,
        limit: Int,
        _ body: (borrowing Row) throws -> Continuation
    ) throws {
        let lower = EventPosition(before: cells.lowerBound)
        let upper = EventPosition(lastOf: cells.upperBound)
        let start = lower.precedes(former, isDescending: false) ? former : lower
        let last = upper.precedes(end, isDescending: false) ? upper : end
        guard start.precedes(last, isDescending: false) else { return }
        try forEachEvent(.cells, after: start, through: last, limit: limit, body)
    }

    /// Calls a visitor with the events of an owner that have ids in a range, in the order of their
    /// ids, until it ends the read.
    ///
    /// - Returns: Whether the visitor has got all of them.
    /// - Throws: `SQLiteError`.
    func readEvents(
        ofOwner owner: Int64,
        _ ids: ClosedRange<Int64>,
        isDescending: Bool,
        _ visitor: inout some SegmentVisitor
    ) throws -> Bool {
        var isComplete = true
        var last: EventPosition?
        func take(_ row: borrowing Row) throws -> Bool {
            let end = row.segmentEnd
            let isCurrent: Void? = unsafe row.withUnsafeBlob(2) { bytes in
                let segment = unsafe EventSegment(.owners, bytes)
                let indices = segment.indices(ofOwner: owner, ids)
                isComplete =
                    visitor.begin(segment)
                    && visitor.take(segment, indices, isDescending: isDescending)
            }
            if isCurrent == nil {
                let former = try self.segment(before: end, .owners)
                let first =
                    former.key == owner ? former.id.addingReportingOverflow(1) : (.min, false)
                let greatest = end.key == owner ? end.id : .max
                if !first.overflow {
                    isComplete = try readRows(
                        ofOwner: owner,
                        max(ids.lowerBound, first.partialValue),
                        min(ids.upperBound, greatest),
                        isDescending: isDescending,
                        &visitor
                    )
                }
            }
            last = end
            return isComplete
        }
        let start = isDescending ? ids.upperBound : ids.lowerBound
        let edges = EventSegment.Edges()
        try segments(.owners, from: EventPosition(key: owner, id: start), edges) { row in
            guard try take(row), !isDescending, row.int64(0) == owner else { return .stop }
            return .next
        }
        guard isDescending, isComplete, let last else { return isComplete }
        try rows(
            SegmentSQL.before,
            .integer(EventSegment.Order.owners.rawValue),
            .integer(owner),
            .integer(last.key == owner ? last.id : ids.upperBound)
        ) { row in
            try take(row) ? .next : .stop
        }
        return isComplete
    }

    /// Returns the end key of the segment that comes `offset` segments after the one with a cell's
    /// first event; nil after the last segment.
    func segmentKey(at offset: Int, from cell: CellKey) throws -> Int64? {
        try first(
            SegmentSQL.keyAt,
            .integer(EventSegment.Order.cells.rawValue),
            .integer(cell.rawValue),
            .integer(.min),
            .integer(Int64(offset))
        ) { row in row.int64(0) }
    }

    private func segments(
        _ order: EventSegment.Order,
        from position: EventPosition,
        _ edges: EventSegment.Edges,
        _ body: (borrowing Row) throws -> Continuation
    ) throws {
        try rows(
            SegmentSQL.from,
            .integer(order.rawValue),
            .integer(position.key),
            .integer(position.id),
            .real(edges.south),
            .real(edges.north),
            .real(edges.west),
            .real(edges.east),
            row: body
        )
    }

    /// Reads the events of an outdated segment from the table.
    private func readRows(
        in ranges: ArraySlice<ClosedRange<CellKey>>,
        after former: EventPosition,
        through end: EventPosition,
        _ visitor: inout some SegmentVisitor
    ) throws -> Bool {
        var isComplete = true
        for range in ranges where isComplete {
            try forEachEvent(in: range, after: former, through: end, limit: visitor.rowLimit) {
                row in
                isComplete = visitor.takeRow(EventKeys(row))
                return isComplete ? .next : .stop
            }
        }
        return isComplete
    }

    private func readRows(
        ofOwner owner: Int64,
        _ first: Int64,
        _ last: Int64,
        isDescending: Bool,
        _ visitor: inout some SegmentVisitor
    ) throws -> Bool {
        var isComplete = true
        try rows(
            isDescending ? SegmentSQL.lastEventsOfOwner : SegmentSQL.events(ofKeyIn: .owners),
            .integer(owner),
            .integer(first),
            .integer(last),
            .integer(Int64(clamping: visitor.rowLimit))
        ) { row in
            isComplete = visitor.takeRow(EventKeys(row))
            return isComplete ? .next : .stop
        }
        return isComplete
    }
}

extension SegmentVisitor {
    /// One more than the maximum, so that the rows tell whether there are more.
    fileprivate var rowLimit: Int { maximumRows < .max ? max(maximumRows, 0) + 1 : .max }

    /// Takes the events of a segment whose cells are in ranges, and returns whether the read
    /// continues.
    fileprivate mutating func take(
        _ segment: borrowing EventSegment,
        in ranges: ArraySlice<ClosedRange<CellKey>>
    ) -> Bool {
        guard begin(segment) else { return false }
        for range in ranges {
            guard take(segment, segment.indices(in: range), isDescending: false) else {
                return false
            }
        }
        return true
    }
}

extension Row {
    /// The position at which a segment ends.
    var segmentEnd: EventPosition { EventPosition(key: int64(0), id: int64(1)) }
}

extension EventPosition {
    /// The position before the first event of a cell.
    init(before cell: CellKey) {
        // A cell that doesn't exist can have any number.
        let key = cell.rawValue == .min ? .min : cell.rawValue - 1
        self.init(key: key, id: .max)
    }

    /// The position of the last event that a cell can have.
    init(lastOf cell: CellKey) { self.init(key: cell.rawValue, id: .max) }

    /// The least position after this one; nil after the last one.
    fileprivate var next: EventPosition? {
        if id < .max { return EventPosition(key: key, id: id + 1) }
        return key < .max ? EventPosition(key: key + 1, id: .min) : nil
    }
}
