package import Cells

/// Places in the order of their cell keys, in memory or in a database.
///
/// It is all that the nearest search needs, so the search is the same for every storage.
package protocol PlaceSource {
    /// What the source needs to find the record of a place.
    associatedtype Record: BitwiseCopyable

    /// Calls `body` with the first places whose keys are in the ranges.
    ///
    /// - Parameters:
    ///   - ranges: The keys, in rising order.
    ///   - order: Whether the first ones have the smallest keys or the greatest.
    ///   - limit: The maximum number of places.
    ///   - body: What to call, with the places in any order.
    /// - Returns: Whether these were all places with keys in the ranges.
    /// - Throws: The errors of the source.
    func forEachPlace(
        in ranges: ArraySlice<ClosedRange<CellKey>>,
        _ order: KeyOrder,
        limit: Int,
        _ body: (Place<Record>) -> Void
    ) throws -> Bool

    /// Returns an angle in radians around a key that probably contains as many places as `count`.
    ///
    /// Returns nil if the source has no places or doesn't know without reading them. A search finds
    /// the same with any angle.
    func likelyAngle(around key: CellKey, for count: Int) -> Double?
}

extension PlaceSource {
    package func likelyAngle(around key: CellKey, for count: Int) -> Double? { nil }
}

/// The order in which a source lists places.
package enum KeyOrder: Sendable {
    case rising
    case falling
}

/// A place with the id of what is there.
package struct Place<Record: BitwiseCopyable>: BitwiseCopyable {
    package let id: Int64
    package let point: UnitVector
    package let record: Record

    package init(id: Int64, point: UnitVector, record: Record) {
        self.id = id
        self.point = point
        self.record = record
    }
}
