package import Cells
import Glibc
package import Model
import Time

/// All events in memory at one moment: their places, and their packed representations.
///
/// A value; copies share what has not changed. Search it with `NearestSearch`.
package struct EventSnapshot: Sendable {
    /// One object, so that a copy counts one reference.
    private final class Content: Sendable {
        let trees: EventTrees
        let identity: UInt64

        init(_ trees: EventTrees, identity: UInt64) {
            self.trees = trees
            self.identity = identity
        }
    }

    private static let empty = Content(EventTrees(), identity: 0)

    private var content: Content

    package init() {
        content = Content(EventTrees(), identity: UInt64.random(in: .min ... .max))
    }

    var places: SortedLeaves<PlaceLeaf> { content.trees.places }

    var owned: SortedLeaves<KeyedLeaf<OwnedKey, OwnedEvent>> { content.trees.owned }

    /// The version of the content, unique within the process.
    package var identity: UInt64 { content.identity }

    /// The memory of all events, in bytes.
    package var byteCount: Int { content.trees.byteCount }

    /// Returns whether there is no copy, so that changes touch only what they change.
    mutating func isUnique() -> Bool { isKnownUniquelyReferenced(&content) }

    /// Applies the changes in their order; later ones of the same event win.
    ///
    /// O(m log n) for m changes of n events. If there is a copy, two lists that have an entry for
    /// some thousand events are copied as well.
    package mutating func apply(_ changes: [EventChange]) {
        var trees = content.trees
        let identity = content.identity &+ 1
        // Releases the former content, so that the trees can be changed in place.
        content = Self.empty
        trees.apply(changes)
        content = Content(trees, identity: identity)
    }

    /// Returns where an event is, or nil if it doesn't exist; O(log n).
    func entry(of key: PlaceKey) -> (leaf: SortedLeaves<PlaceLeaf>.Position, index: Int)? {
        content.trees.entry(of: key)
    }

    /// Returns the packed representation of the event with this id, or nil if it doesn't exist.
    ///
    /// O(log n).
    package func packedRepresentation(of id: Int64) -> ArraySlice<UInt8>? {
        content.trees.packedRepresentation(of: id)
    }

    /// Returns the representation of the event with this id, or nil if it doesn't exist; O(log n).
    package func representation(
        of id: Int64,
        _ representation: EventRepresentation
    ) -> [UInt8]? {
        packedRepresentation(of: id).map { representation.template.unpack($0.span) }
    }
}

/// The events in the orders of their places, their ids and their owners.
private struct EventTrees {
    private(set) var places = SortedLeaves<PlaceLeaf>()
    private var cells = SortedLeaves<KeyedLeaf<Int64, CellKey>>()
    private(set) var owned = SortedLeaves<KeyedLeaf<OwnedKey, OwnedEvent>>()

    var byteCount: Int { places.byteCount + cells.byteCount + owned.byteCount }

    func packedRepresentation(of id: Int64) -> ArraySlice<UInt8>? {
        guard let cell = cell(of: id), let entry = entry(of: PlaceKey(cell: cell, id: id)) else {
            return nil
        }
        return places[entry.leaf].packedRepresentation(at: entry.index)
    }

    func entry(of key: PlaceKey) -> (leaf: SortedLeaves<PlaceLeaf>.Position, index: Int)? {
        guard let position = places.position(of: key) else { return nil }
        return places[position].index(of: key).map { (position, $0) }
    }

    mutating func apply(_ changes: [EventChange]) {
        var latest: [Int64: EventChange.Content?] = [:]
        latest.reserveCapacity(changes.count)
        for change in changes { latest[change.id] = .some(change.content) }
        var placeChanges: [PlaceLeaf.Change] = []
        placeChanges.reserveCapacity(latest.count)
        var cellChanges: [KeyedLeaf<Int64, CellKey>.Change] = []
        cellChanges.reserveCapacity(latest.count)
        var ownedChanges: [KeyedLeaf<OwnedKey, OwnedEvent>.Change] = []
        ownedChanges.reserveCapacity(latest.count)
        for (id, content) in latest {
            let newCell = content.map { CellKey($0.point) }
            let oldCell = cell(of: id)
            if let oldCell, oldCell != newCell {
                let key = PlaceKey(cell: oldCell, id: id)
                placeChanges.append(PlaceLeaf.Change(key: key, content: nil))
            }
            if let newCell, let content {
                placeChanges.append(
                    PlaceLeaf.Change(
                        key: PlaceKey(cell: newCell, id: id),
                        content: PlaceLeaf.Change.Content(
                            point: content.point,
                            values: content.values,
                            representation: content.representation
                        )
                    )
                )
            }
            if oldCell != newCell { cellChanges.append(.init(key: id, value: newCell)) }
            let old = oldCell.flatMap { owned(PlaceKey(cell: $0, id: id)) }
            let new = content.flatMap { content in
                newCell.map { owned(id, $0, content.values) }
            }
            if let old, old.key != new?.key {
                ownedChanges.append(.init(key: old.key, value: nil))
            }
            if let new, old?.key != new.key || old?.event != new.event {
                ownedChanges.append(.init(key: new.key, value: new.event))
            }
        }
        // Sorting keys is much faster than sorting changes, whose references would be counted.
        let order = placeChanges.indices.map { (key: placeChanges[$0].key, index: $0) }
            .sorted { $0.key < $1.key }
        cellChanges.sort { $0.key < $1.key }
        ownedChanges.sort { $0.key < $1.key }
        let sum = sumOfLines(order.lazy.map(\.key))
        var sorted: [PlaceLeaf.Change] = []
        // Without the sum, the compiler would leave out its loads.
        sorted.reserveCapacity(sum == .min ? 0 : order.count)
        for (_, index) in order { sorted.append(placeChanges[index]) }
        places.apply(sorted)
        cells.apply(cellChanges)
        owned.apply(ownedChanges)
    }

    /// Returns a sum of numbers of the leaves of these keys.
    ///
    /// Before a change of several leaves, it lets the processor load all of them at the same time,
    /// and otherwise one after the other. Inserts of 64 clients became 3 % faster.
    private func sumOfLines(_ keys: some Collection<PlaceKey>) -> Int64 {
        keys.reduce(0) { sum, key in
            guard let position = places.position(of: key) else { return sum }
            return sum &+ places[position].sumOfLines
        }
    }

    /// Returns an event as it is in the list of its owner.
    private func owned(_ key: PlaceKey) -> (key: OwnedKey, event: OwnedEvent)? {
        entry(of: key).map { entry in
            owned(key.id, key.cell, places[entry.leaf].values[entry.index])
        }
    }

    private func owned(
        _ id: Int64,
        _ cell: CellKey,
        _ values: FilterValues
    ) -> (key: OwnedKey, event: OwnedEvent) {
        let key = OwnedKey(ownerID: values.ownerID, id: id)
        return (key, OwnedEvent(cell: cell, times: RoughTimes(values)))
    }

    private func cell(of id: Int64) -> CellKey? {
        cells.position(of: id).flatMap { cells[$0].value(of: id) }
    }
}

extension EventSnapshot {
    /// Returns the list of the events that a search finds.
    package func list(
        _ search: NearestSearch,
        _ representation: EventRepresentation
    ) throws -> EventList {
        // This function is in this module so that the compiler specializes the search.
        let found = try search.nearest(in: self)
        let template = representation.template
        // Looks at the first byte of each event, so that the processor loads all events at the same
        // time, and not one after the other.
        let size = found.reduce(2) { size, place in
            let range = place.record.byteRange
            let first = places[place.record.position].bytes[range].first
            return size + template.unpackedCount(of: range.count, beginningWith: first) + 1
        }
        var list = EventList(representation, capacity: size)
        for place in found {
            let bytes = places[place.record.position].bytes
            list.append(unpacking: bytes.span.extracting(place.record.byteRange), template)
        }
        list.close()
        return list
    }
}

extension EventSnapshot: PlaceSource {
    /// Where the representation of an event is in the snapshot.
    package struct Location: BitwiseCopyable, Sendable {
        private let branch: UInt32
        private let leaf: UInt32
        private let start: UInt32
        private let end: UInt32

        /// More than 2³² branches, or events of 2³² bytes, fit into no memory.
        init(_ position: SortedLeaves<PlaceLeaf>.Position, _ byteRange: Range<Int>) {
            branch = UInt32(truncatingIfNeeded: position.branch)
            leaf = UInt32(truncatingIfNeeded: position.leaf)
            start = UInt32(truncatingIfNeeded: byteRange.lowerBound)
            end = UInt32(truncatingIfNeeded: byteRange.upperBound)
        }

        var position: SortedLeaves<PlaceLeaf>.Position {
            SortedLeaves<PlaceLeaf>.Position(branch: Int(branch), leaf: Int(leaf))
        }

        var byteRange: Range<Int> { Int(start)..<Int(end) }
    }

    package func forEachPlace(
        in ranges: ArraySlice<ClosedRange<CellKey>>,
        _ order: KeyOrder,
        limit: Int,
        _ body: (Place<Location>) -> Void
    ) -> Bool {
        switch order {
        case .rising: forEachPlaceRising(in: ranges, limit: limit, body)
        case .falling: forEachPlaceFalling(in: ranges, limit: limit, body)
        }
    }

    package func likelyAngle(around key: CellKey, for count: Int) -> Double? {
        guard let position = places.position(of: .first(in: key)) else { return nil }
        let leaf = places[position]
        let end = places.firstKey(after: position)?.cell ?? CellKey.all.upperBound
        let area = CellKey.area * Double(end.rawValue - leaf.firstKey.cell.rawValue)
        let share = Double(count) / Double(leaf.cells.count)
        return ReachHints.margin * (share * area / .pi).squareRoot()
    }

    private func forEachPlaceRising(
        in ranges: ArraySlice<ClosedRange<CellKey>>,
        limit: Int,
        _ body: (Place<Location>) -> Void
    ) -> Bool {
        forEachEntry(in: ranges, limit: limit) { leaf, index, position in
            body(leaf.place(at: index, position))
        }
    }

    /// Calls `body` with the place of each of the first events whose keys are in the ranges.
    ///
    /// Returns whether there are no more than `limit`.
    @inline(__always)
    func forEachEntry(
        in ranges: ArraySlice<ClosedRange<CellKey>>,
        limit: Int,
        _ body: (PlaceLeaf, _ index: Int, SortedLeaves<PlaceLeaf>.Position) -> Void
    ) -> Bool {
        var starts: [SortedLeaves<PlaceLeaf>.Position] = []
        starts.reserveCapacity(ranges.count)
        for range in ranges {
            guard let start = places.position(of: .first(in: range.lowerBound)) else { return true }
            starts.append(start)
        }
        guard var position = starts.first else { return true }
        // Looks at the size of each leaf, so that the processor loads all leaves at the same time,
        // and not one after the other. The guard only uses the sum.
        let size = starts.reduce(0) { $0 + places[$1].cells.count + places[$1].entries.count }
        guard size > 0 else { return true }
        var leaf = places[position]
        var rest = limit
        for (range, start) in zip(ranges, starts) {
            let first = range.lowerBound
            // Most ranges begin in the leaf where the one before has ended.
            if start != position {
                position = start
                leaf = places[position]
            }
            var index = leaf.cells.partitionIndex { $0 < first }
            while true {
                guard index < leaf.cells.count else {
                    guard let next = places.position(after: position) else { return true }
                    position = next
                    leaf = places[position]
                    index = 0
                    continue
                }
                guard leaf.cells[index] <= range.upperBound else { break }
                guard rest > 0 else { return false }
                rest -= 1
                body(leaf, index, position)
                index += 1
            }
        }
        return true
    }

    private func forEachPlaceFalling(
        in ranges: ArraySlice<ClosedRange<CellKey>>,
        limit: Int,
        _ body: (Place<Location>) -> Void
    ) -> Bool {
        guard let highest = ranges.last?.upperBound,
            var position = places.position(of: .last(in: highest))
        else { return true }
        var leaf = places[position]
        var rest = limit
        for range in ranges.reversed() {
            let last = range.upperBound
            if let known = leaf.cells.first, last < known,
                let next = places.position(of: .last(in: last))
            {
                position = next
                leaf = places[position]
            }
            var index = leaf.cells.partitionIndex { $0 <= last } - 1
            while true {
                guard index >= 0 else {
                    guard let next = places.position(before: position) else { return true }
                    position = next
                    leaf = places[position]
                    index = leaf.cells.count - 1
                    continue
                }
                guard range.lowerBound <= leaf.cells[index] else { break }
                guard rest > 0 else { return false }
                rest -= 1
                body(leaf.place(at: index, position))
                index -= 1
            }
        }
        return true
    }
}

extension PlaceLeaf {
    /// Returns the place of an event.
    @inline(__always)
    func place(
        at index: Int,
        _ position: SortedLeaves<PlaceLeaf>.Position
    ) -> Place<EventSnapshot.Location> {
        let entry = entries[index]
        let start = index > 0 ? entries[index - 1].end : 0
        return Place(
            id: entry.id,
            point: entry.point,
            record: EventSnapshot.Location(position, start..<entry.end)
        )
    }
}
