import Model

/// The events of a leaf that match a filter.
///
/// What a map shows of them needs no distances, and usually no single event.
package struct EventGroup {
    private let leaf: PlaceLeaf
    private let position: SortedLeaves<PlaceLeaf>.Position
    /// A bit for each event of the leaf: whether it matches.
    let matching: UInt64

    init(
        _ matching: UInt64,
        of leaf: PlaceLeaf,
        at position: SortedLeaves<PlaceLeaf>.Position
    ) {
        self.leaf = leaf
        self.position = position
        self.matching = matching
    }

    /// The smallest box with all events of the leaf that doesn't cross the antimeridian.
    var bounds: BoundingBox { leaf.totals.bounds }

    /// The places of all events of the leaf.
    var points: MapPoints { leaf.mapPoints }

    /// Returns the sum of some of the events.
    func sum(of events: UInt64) -> PlaceSum {
        events.nonzeroBitCount == leaf.count ? leaf.totals.sum : points.sum(of: events)
    }

    /// Returns the id of the event at an index of the leaf.
    func id(at index: Int) -> Int64 { leaf.entries[index].id }

    /// Returns the event at an index of the leaf, without its start.
    func match(at index: Int) -> EventMatch {
        EventMatch(leaf.place(at: index, position), millimetres: 0)
    }
}
