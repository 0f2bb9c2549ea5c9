import Cells
import EventIndex
import Model
import SQLite

/// What a search compares of events that are next to each other in an order.
///
/// The database has it as a BLOB of columns, each with a value of 8 bytes per event, in little
/// endian. A search compares such an event in 3 to 8 ns, and an entry of an index in 45.
@safe
struct EventSegment: ~Copyable {
    /// The orders of which the database has segments.
    ///
    /// Within a key, events are ordered by id.
    enum Order: Int64, CaseIterable {
        /// By the cells of their places.
        case cells = 1
        /// By the ids of their owners.
        case owners = 2

        /// The number of columns: those of `Column` from the first one on.
        fileprivate var columnCount: Int {
            switch self {
            case .cells: 10
            case .owners: 6
            }
        }
    }

    private enum Column: Int {
        case id, ownerID, startedAt, end, latitude, longitude
        case cell, x, y, z
    }

    /// The number of events that fit into a page of the database.
    static func capacity(of order: Order) -> Int {
        contentBytes / (order.columnCount * MemoryLayout<Int64>.size)
    }

    /// What a row can have without a page of overflow, whose content SQLite would copy: 4,061 bytes
    /// with pages of 4,096 (<https://sqlite.org/fileformat2.html>), less the other columns.
    private static let contentBytes = 4_032

    /// The time to read it and to compare its events, in rows.
    var cost: Int { 1 + count / 32 }

    private let order: Order
    // Valid for as long as the segment.
    private let bytes: UnsafeRawBufferPointer
    /// The number of events.
    let count: Int

    /// Creates the segment of these bytes, which must exist for as long as the segment.
    @unsafe
    init(_ order: Order, _ bytes: UnsafeRawBufferPointer) {
        self.order = order
        unsafe self.bytes = bytes
        count = bytes.count / (order.columnCount * MemoryLayout<Int64>.size)
    }

    /// Returns the events whose cells are in a range; O(log n).
    borrowing func indices(in range: ClosedRange<CellKey>) -> Range<Int> {
        let all = 0..<count
        let first = all.partitionIndex { integer(.cell, $0) < range.lowerBound.rawValue }
        let rest = first..<count
        return first..<rest.partitionIndex { integer(.cell, $0) <= range.upperBound.rawValue }
    }

    /// Returns the events of an owner whose ids are in a range; O(log n).
    borrowing func indices(ofOwner owner: Int64, _ ids: ClosedRange<Int64>) -> Range<Int> {
        func position(_ index: Int) -> (Int64, Int64) {
            (integer(.ownerID, index), integer(.id, index))
        }
        let all = 0..<count
        let first = all.partitionIndex { position($0) < (owner, ids.lowerBound) }
        let rest = first..<count
        return first..<rest.partitionIndex { position($0) <= (owner, ids.upperBound) }
    }

    /// Returns the cell of an event in the order of cells.
    borrowing func cell(at index: Int) -> CellKey { CellKey(rawValue: integer(.cell, index)) }

    /// Returns the id of an event.
    borrowing func id(at index: Int) -> Int64 { integer(.id, index) }

    /// Returns what a search compares besides the place.
    borrowing func values(at index: Int) -> FilterValues {
        FilterValues(
            startedAt: integer(.startedAt, index),
            end: integer(.end, index),
            ownerID: integer(.ownerID, index)
        )
    }

    /// Returns what a search compares.
    borrowing func keys(at index: Int) -> EventKeys {
        EventKeys(
            id: integer(.id, index),
            coordinate: Coordinate(
                latitude: double(.latitude, index),
                longitude: double(.longitude, index)
            ),
            values: values(at: index)
        )
    }

    /// Returns the place, which costs four sines in the order of owners.
    borrowing func point(at index: Int) -> UnitVector {
        guard order == .cells else { return keys(at: index).coordinate.unitVector }
        return (double(.x, index), double(.y, index), double(.z, index))
    }

    private borrowing func integer(_ column: Column, _ index: Int) -> Int64 {
        let offset = (column.rawValue * count + index) * MemoryLayout<Int64>.size
        precondition(index >= 0 && index < count)
        return Int64(
            littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: offset, as: Int64.self)
        )
    }

    private borrowing func double(_ column: Column, _ index: Int) -> Double {
        Double(bitPattern: UInt64(bitPattern: integer(column, index)))
    }
}

extension EventSegment {
    /// An event for a segment.
    struct Event {
        /// Its key in the order: its cell, or its owner's id.
        let key: Int64
        /// What a search compares of it.
        let keys: EventKeys

        /// Its place in the order.
        var position: EventPosition { EventPosition(key: key, id: keys.id) }
    }

    /// Edges in degrees, between which all places of a segment are, or those that a search needs.
    struct Edges {
        var south = -90.0
        var north = 90.0
        var west = -180.0
        var east = 180.0

        /// The edges around events.
        init(of events: ArraySlice<Event>) {
            (south, north, west, east) = (north, south, east, west)
            for event in events {
                let place = event.keys.coordinate
                (south, north) = (min(south, place.latitude), max(north, place.latitude))
                (west, east) = (min(west, place.longitude), max(east, place.longitude))
            }
        }

        /// Edges around everything.
        init() {}
    }

    /// Returns the content of a segment with these events, which are in its order.
    static func content(of events: ArraySlice<Event>, _ order: Order) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(events.count * order.columnCount * MemoryLayout<Int64>.size)
        func append(_ number: Int64) {
            unsafe withUnsafeBytes(of: number.littleEndian) { unsafe bytes.append(contentsOf: $0) }
        }
        func append(_ number: Double) { append(Int64(bitPattern: number.bitPattern)) }
        for event in events { append(event.keys.id) }
        for event in events { append(event.keys.values.ownerID) }
        for event in events { append(event.keys.values.startedAt) }
        for event in events { append(event.keys.values.end) }
        for event in events { append(event.keys.coordinate.latitude) }
        for event in events { append(event.keys.coordinate.longitude) }
        if order == .cells {
            let points = events.map(\.keys.coordinate.unitVector)
            for event in events { append(event.key) }
            for point in points { append(point.x) }
            for point in points { append(point.y) }
            for point in points { append(point.z) }
        }
        return bytes
    }
}
