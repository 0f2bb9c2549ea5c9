package import Cells
import Glibc
package import Model
import Time

/// A filter, prepared to be compared with many events.
package struct EventMatcher {
    private let from: Int64
    private let to: Int64
    private let includesOngoing: Bool
    /// The start after which events without an end take place in the window or later.
    private let openStart: Int64
    /// The window in the units of rough times.
    private let roughFrom: Int32
    private let roughTo: Int32
    private let ownerID: Int64?
    private let origin: DirectionOrigin?
    private let radius: SearchRadius?
    /// The greatest squared chord, the line through the sphere, from the origin to a match.
    private(set) var farthest: Double { didSet { farthestChord = farthest.squareRoot() } }
    /// Its square root.
    private(set) var farthestChord: Double
    private let box: BoundingBox?
    private let boxTest: BoundingBox.PointTest?
    private let isPlainBox: Bool
    private let polygon: SphericalPolygon?
    /// The greatest chord from the polygon's center to a point in it.
    private let polygonChord: Double
    /// The least squared chord to a match: a read from a position on has no nearer ones.
    private let nearest: Double
    /// Whether the filter has only a time window and an owner.
    private let isEverywhere: Bool
    /// Whether the filter has a time window or an owner.
    private let comparesValues: Bool
    /// Whether matches have starts: the order of distances does not depend on them.
    let needsStarts: Bool
    /// Whether the values of events are needed.
    var needsValues: Bool { comparesValues || needsStarts }

    /// Prepares the filter of a read.
    package init(_ read: EventRead) {
        let filter = read.filter
        from = filter.window.from?.milliseconds ?? .min
        to = filter.window.to?.milliseconds ?? .max
        includesOngoing = filter.window.includesOngoing
        openStart = filter.window.openStart
        roughFrom = RoughTimes.rounded(openStart)
        roughTo = RoughTimes.rounded(to)
        ownerID = filter.ownerID
        origin = filter.origin
        radius = filter.radius
        let radiusAngle = filter.radius.map { $0.kilometres / Coordinate.sphereRadius } ?? .infinity
        let angle = min(radiusAngle, read.reach)
        farthest = angle < .pi ? Self.squaredChord(of: angle) : .infinity
        farthestChord = farthest.squareRoot()
        box = filter.box
        boxTest = filter.box.map(BoundingBox.PointTest.init)
        isPlainBox = filter.box?.isPlain ?? false
        polygon = filter.polygon
        polygonChord = filter.polygon.map { Self.squaredChord(of: $0.angle).squareRoot() } ?? 0
        if case .distances = read.sequence {
            let start = read.start?.key ?? 0
            nearest = Self.squaredChord(below: Self.angle(ofMillimetres: start))
            needsStarts = false
        } else {
            nearest = 0
            needsStarts = true
        }
        comparesValues = filter.window != EventWindow() || ownerID != nil
        isEverywhere = box == nil && polygon == nil && filter.origin == nil
    }

    /// Excludes events that are farther from the filter's point than this.
    package mutating func exclude(beyondMillimetres distance: Int64) {
        let angle = Self.angle(ofMillimetres: distance)
        if angle < .pi { farthest = min(farthest, Self.squaredChord(of: angle)) }
    }

    /// Returns false if none of the summarized events can match.
    @inline(__always)
    func mayMatch(_ summary: PlaceSummary) -> Bool {
        // A box excludes most summaries by their latitude alone.
        if let boxTest {
            guard boxTest.mayContainPoint(ofBallAt: summary.center, radius: summary.radius)
            else { return false }
        }
        if let origin {
            let reach = Reach(point: origin.point, chord: farthestChord)
            guard reach.mayContain(summary) else { return false }
        }
        guard summary.firstStart < to, summary.lastEnd >= openStart else { return false }
        if let polygon {
            let chord = summary.distance(from: polygon.center)
            guard chord <= polygonChord + summary.radius else { return false }
        }
        return true
    }

    /// Whether `matches(of:_:)` supports the filter: it compares neither distances nor polygons.
    var matchesGroups: Bool { origin == nil && polygon == nil }

    /// Returns a bit for each event of a leaf: whether it matches.
    ///
    /// The filter must be one that `matchesGroups`. O(n) for n events, unless all of them match.
    /// `coordinate` returns the exact place, which is needed near the edges of a box.
    func matches(
        of leaf: PlaceLeaf,
        _ coordinate: (Span<UInt8>) -> Coordinate?
    ) -> UInt64 {
        let matching =
            mayMatchAll(leaf.summary, leaf.totals)
            ? UInt64(bits: 0..<leaf.count) : mayMatch(leaf.values)
        let bounds = leaf.totals.bounds
        guard let box, !box.surelyContains(bounds) else { return matching }
        let points = leaf.mapPoints
        let found =
            isPlainBox ? points.points(inPlain: box, bounds) : points.points(in: box)
        var inside = found.inside
        (found.near & matching).forEachBit { index in
            let place = coordinate(leaf.packedRepresentation(at: index).span)
            if place.map(box.contains) ?? false { inside |= 1 << UInt64(index) }
        }
        return matching & inside
    }

    /// Returns a bit for each event of a leaf: whether its values don't exclude it.
    ///
    /// O(n) for n events, unless the filter compares no values. There is no branch for each event,
    /// because the processor can't predict those of a window that half of the events match.
    @inline(__always)
    func mayMatch(_ array: [FilterValues]) -> UInt64 {
        guard comparesValues else { return UInt64(bits: array.indices) }
        let values = array.span
        var matching: UInt64 = 0
        for index in values.indices {
            matching |= (mayMatch(values[index]) ? 1 : 0) << UInt64(truncatingIfNeeded: index)
        }
        return matching
    }

    /// Returns true if no event of a leaf is excluded by its values.
    private func mayMatchAll(_ summary: PlaceSummary, _ totals: PlaceTotals) -> Bool {
        if !comparesValues { return true }
        return totals.lastStart < to && ownerID == nil
            && (summary.firstStart >= from || (includesOngoing && totals.firstEnd > from))
    }

    /// Returns false if an event with these times is surely outside of the window.
    @inline(__always)
    func mayMatch(_ times: RoughTimes) -> Bool {
        times.start <= roughTo && times.end >= roughFrom
    }

    /// Returns false if an event with these values can't match, wherever it is.
    @inline(__always)
    package func mayMatch(_ values: FilterValues) -> Bool {
        guard values.startedAt < to,
            values.startedAt >= from || (includesOngoing && values.end > from)
                || (values.end < values.startedAt && values.startedAt > openStart)
        else { return false }
        return ownerID == nil || ownerID == values.ownerID
    }

    /// Returns false if an event at this place can't match because of its distance.
    @inline(__always)
    package func mayMatch(_ point: UnitVector) -> Bool {
        guard let origin else { return true }
        let chord = Reach.squaredChord(from: origin.point, to: point)
        return nearest <= chord && chord <= farthest
    }

    /// Returns the distance of an event from the filter's point in mm, or nil if it doesn't match.
    ///
    /// `coordinate` returns the exact place, which is needed near the edges of a box.
    @inline(__always)
    package func distance(
        _ point: UnitVector,
        _ values: FilterValues,
        _ coordinate: () -> Coordinate?
    ) -> Int64? {
        mayMatch(values) ? distance(point, coordinate) : nil
    }

    /// Returns the distance of an event whose values match, or nil if its place doesn't.
    @inline(__always)
    func distance(_ point: UnitVector, _ coordinate: () -> Coordinate?) -> Int64? {
        if isEverywhere { return 0 }
        var millimetres: Int64 = 0
        if let origin {
            guard mayMatch(point) else { return nil }
            millimetres = origin.millimetres(to: point)
            if let radius, !radius.contains(millimetres) { return nil }
        }
        if let box, let boxTest {
            let contains = boxTest.contains(point) ?? coordinate().map(box.contains) ?? false
            guard contains else { return nil }
        }
        if let polygon, !polygon.contains(point) { return nil }
        return millimetres
    }

    /// Returns the square of the chord of an angle in radians, and slightly more: 1 mm, because
    /// distances are rounded.
    private static func squaredChord(of angle: Double) -> Double {
        let chord = 2 * sin(angle / 2) + millimetre
        return chord * chord
    }

    /// Returns the square of a chord that is 1 mm shorter than that of an angle in radians, or 0.
    private static func squaredChord(below angle: Double) -> Double {
        let chord = max(0, 2 * sin(min(max(angle, 0), .pi) / 2) - millimetre)
        return chord * chord
    }

    /// Returns the square of a chord that is 1 mm longer than that of this square.
    static func squaredChord(addingMillimetreTo squaredChord: Double) -> Double {
        let chord = squaredChord.squareRoot() + millimetre
        return chord * chord
    }

    /// More than 1 mm, in earth radii.
    private static let millimetre = 2e-10

    private static func angle(ofMillimetres distance: Int64) -> Double {
        Double(distance) / (Coordinate.sphereRadius * 1e6)
    }
}

/// The ball around a filter's point that contains all matches.
struct Reach {
    let point: UnitVector
    /// The greatest chord from the point to a match.
    let chord: Double

    /// Returns false if none of the summarized events is in the ball.
    ///
    /// Searches compare thousands of summaries, so there is no square root.
    @inline(__always)
    func mayContain(_ summary: PlaceSummary) -> Bool {
        let distance = chord + summary.radius
        return Self.squaredChord(from: point, to: summary.center) <= distance * distance
    }

    @inline(__always)
    static func squaredChord(from one: UnitVector, to other: UnitVector) -> Double {
        let (x, y, z) = (one.x - other.x, one.y - other.y, one.z - other.z)
        return x * x + y * y + z * z
    }
}
