package import Cells
package import Model

/// All events in memory at one moment: their places, and their representations for clients.
///
/// A value; copies share what has not changed. Search it with `NearestSearch`.
package struct EventSnapshot: Sendable {
    private var places = SortedLeaves<PlaceLeaf>()
    private var cells = SortedLeaves<IDLeaf>()

    package init() {}

    /// The memory of all events, in bytes.
    package var byteCount: Int { places.byteCount + cells.byteCount }

    /// Returns the representation of the event with this id, or nil if it doesn't exist.
    ///
    /// O(log n).
    package func representation(of id: Int64) -> ArraySlice<UInt8>? {
        guard let cell = cell(of: id) else { return nil }
        let key = PlaceKey(cell: cell, id: id)
        guard let position = places.position(of: key) else { return nil }
        let leaf = places[position]
        let index = leaf.index(from: key)
        guard index < leaf.entries.count, leaf.entries[index].key == key else { return nil }
        return leaf.representation(at: index)
    }

    /// Applies the changes in their order; later ones of the same event win.
    ///
    /// O(m log n + √n) for m changes.
    package mutating func apply(_ changes: [EventChange]) {
        var latest: [Int64: EventChange.Content?] = [:]
        latest.reserveCapacity(changes.count)
        for change in changes { latest[change.id] = .some(change.content) }
        var placeChanges: [PlaceLeaf.Change] = []
        placeChanges.reserveCapacity(latest.count)
        var cellChanges: [IDLeaf.Change] = []
        cellChanges.reserveCapacity(latest.count)
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
                            representation: content.representation
                        )
                    )
                )
            }
            if oldCell != newCell {
                cellChanges.append(IDLeaf.Change(id: id, cell: newCell))
            }
        }
        // Sorting keys is much faster than sorting changes, whose references would be counted.
        let order = placeChanges.indices.map { (key: placeChanges[$0].key, index: $0) }
            .sorted { $0.key < $1.key }
        cellChanges.sort { $0.id < $1.id }
        places.apply(order.map { placeChanges[$0.index] })
        cells.apply(cellChanges)
    }

    private func cell(of id: Int64) -> CellKey? {
        cells.position(of: id).flatMap { cells[$0].cell(of: id) }
    }
}

/// A new event, a new version of an event, or its removal.
package struct EventChange: Sendable {
    package struct Content: Sendable {
        package let point: UnitVector
        package let representation: [UInt8]

        package init(point: UnitVector, representation: [UInt8]) {
            self.point = point
            self.representation = representation
        }
    }

    package let id: Int64
    /// Nil for a removal.
    package let content: Content?

    package init(id: Int64, content: Content?) {
        self.id = id
        self.content = content
    }

    /// About the memory that it takes, in bytes.
    package var byteCount: Int { 128 + (content?.representation.count ?? 0) }
}

extension EventSnapshot {
    /// Returns the list of the events that a search finds.
    package func list(
        _ search: NearestSearch,
        _ representation: EventRepresentation
    ) throws -> EventList {
        // This function is in this module so that the compiler specializes the search.
        let found = try search.nearest(in: self)
        let size = found.reduce(2) { $0 + self.representation(at: $1.record).count + 1 }
        var list = EventList(representation, capacity: size)
        for place in found { list.append(self.representation(at: place.record)) }
        list.close()
        return list
    }
}

extension EventSnapshot: PlaceSource {
    /// Where an event is in the snapshot.
    package struct Location: BitwiseCopyable, Sendable {
        fileprivate let branch: Int32
        fileprivate let leaf: Int32
        fileprivate let entry: Int32
    }

    package func forEachPlace(
        in ranges: ArraySlice<ClosedRange<CellKey>>,
        _ order: KeyOrder,
        limit: Int,
        _ body: (Place<Location>) -> Void
    ) -> Bool {
        var rest = limit
        switch order {
        case .rising:
            for range in ranges where !forEachPlaceRising(in: range, &rest, body) { return false }
        case .falling:
            for range in ranges.reversed() where !forEachPlaceFalling(in: range, &rest, body) {
                return false
            }
        }
        return true
    }

    /// Returns the representation of an event that was found in this very snapshot; O(1).
    package func representation(at location: Location) -> ArraySlice<UInt8> {
        let position = SortedLeaves<PlaceLeaf>.Position(
            branch: Int(location.branch),
            leaf: Int(location.leaf)
        )
        return places[position].representation(at: Int(location.entry))
    }

    /// Calls `body` with at most `rest` places of the range, and subtracts their number.
    ///
    /// - Returns: Whether these were all of them.
    private func forEachPlaceRising(
        in range: ClosedRange<CellKey>,
        _ rest: inout Int,
        _ body: (Place<Location>) -> Void
    ) -> Bool {
        let first = PlaceKey(cell: range.lowerBound, id: .min)
        var next = places.position(of: first)
        while let position = next {
            let leaf = places[position]
            for index in leaf.index(from: first)..<leaf.entries.count {
                let entry = leaf.entries[index]
                guard entry.key.cell <= range.upperBound else { return true }
                guard rest > 0 else { return false }
                rest -= 1
                body(place(entry, position, index))
            }
            next = places.position(after: position)
        }
        return true
    }

    /// Calls `body` with at most `rest` places from the end of the range on, and subtracts their
    /// number.
    ///
    /// - Returns: Whether these were all of them.
    private func forEachPlaceFalling(
        in range: ClosedRange<CellKey>,
        _ rest: inout Int,
        _ body: (Place<Location>) -> Void
    ) -> Bool {
        let last = PlaceKey(cell: range.upperBound, id: .max)
        var next = places.position(of: last)
        while let position = next {
            let leaf = places[position]
            for index in (0..<leaf.entries.partitionIndex { $0.key <= last }).reversed() {
                let entry = leaf.entries[index]
                guard entry.key.cell >= range.lowerBound else { return true }
                guard rest > 0 else { return false }
                rest -= 1
                body(place(entry, position, index))
            }
            next = places.position(before: position)
        }
        return true
    }

    @inline(__always)
    private func place(
        _ entry: PlaceLeaf.Entry,
        _ position: SortedLeaves<PlaceLeaf>.Position,
        _ index: Int
    ) -> Place<Location> {
        // At most 2^31 branches of 128 leaves fit into no memory.
        Place(
            id: entry.key.id,
            point: entry.point,
            record: Location(
                branch: Int32(truncatingIfNeeded: position.branch),
                leaf: Int32(truncatingIfNeeded: position.leaf),
                entry: Int32(truncatingIfNeeded: index)
            )
        )
    }
}
