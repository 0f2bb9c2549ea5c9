import Model

/// The events of a leaf that match a filter.
///
/// What a map shows of them needs no distances, and usually no single event.
package struct EventGroup {
    private let leaf: PlaceLeaf
    private let position: SortedLeaves<PlaceLeaf>.Position
    /// A bit for each event of the leaf: whether it matches.
    private let matching: UInt64

    init(
        _ matching: UInt64,
        of leaf: PlaceLeaf,
        at position: SortedLeaves<PlaceLeaf>.Position
    ) {
        self.leaf = leaf
        self.position = position
        self.matching = matching
    }

    /// The number of events.
    var count: Int { matching.nonzeroBitCount }

    /// The events as a whole if they are all events of the leaf, otherwise nil.
    var totals: PlaceTotals? { count == leaf.summary.count ? leaf.totals : nil }

    /// Calls `body` with each event and its index in the leaf.
    @inline(__always)
    func forEachPoint(_ body: (_ index: Int, _ point: PlaceLeaf.MapPoint) -> Void) {
        let array = leaf.mapPoints
        let points = array.span
        var rest = matching
        while rest != 0 {
            let index = rest.trailingZeroBitCount
            rest &= rest - 1
            body(index, points[index])
        }
    }

    /// Returns the id of the event at an index of the leaf.
    func id(at index: Int) -> Int64 { leaf.entries[index].id }

    /// Returns the event at an index of the leaf, without its start.
    func match(at index: Int) -> EventMatch {
        EventMatch(leaf.place(at: index, position), millimetres: 0)
    }
}
