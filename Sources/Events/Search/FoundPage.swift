/// A part of the result of a search.
package struct FoundPage: Sendable {
    package private(set) var matches: [EventMatch]
    /// The position before the next page, or nil on the last page.
    package let next: EventPosition?
    package var count: EventCount?
    /// Whether the page is short because the search reached its bounds.
    var isBounded = false
    /// Whether the event after the last match is as far away, in whole millimetres.
    var endsInTie = false

    mutating func append(_ match: EventMatch) {
        matches.append(match)
    }

    /// Sorts the matches by their exact distances from a point and then by id, and keeps the first.
    ///
    /// They are sorted by millimetres, so only equal ones can change places.
    mutating func sort(from origin: UnitVector, limit: Int) {
        let hasTie = zip(matches, matches.dropFirst()).contains { $0.millimetres == $1.millimetres }
        guard hasTie else { return }
        let distances = matches.map { (Coordinate.distance(from: origin, to: $0.point), $0) }
        let sorted = distances.sorted { ($0.0, $0.1.id) < ($1.0, $1.1.id) }
        matches = sorted.prefix(limit).map(\.1)
    }
}
