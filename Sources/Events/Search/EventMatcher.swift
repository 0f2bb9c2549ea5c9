import Glibc
import Time

/// A filter, prepared to be compared with many events.
struct EventMatcher {
    private let from: Int64
    private let to: Int64
    private let includesOngoing: Bool
    /// The start after which events without an end take place in the window or later.
    private let openStart: Int64
    private let ownerID: Int64?
    private let statuses: EventStatuses
    private let viewer: EventViewer
    /// Whether something in the snapshot may be kept from the viewer.
    private let isRestricted: Bool
    private let terms: TermMatcher?
    private let origin: DirectionOrigin?
    private let radius: SearchRadius?
    /// The greatest squared chord, the line through the sphere, from the origin to a match.
    private(set) var farthest: Double { didSet { farthestChord = farthest.squareRoot() } }
    /// Its square root.
    private(set) var farthestChord: Double
    private let box: BoundingBox?
    private let ballTest: BoundingBox.BallTest?
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

    /// Prepares the filter of a read.
    init(_ read: EventRead) {
        let filter = read.filter
        from = filter.window.from?.milliseconds ?? .min
        to = filter.window.to?.milliseconds ?? .max
        includesOngoing = filter.window.includesOngoing
        openStart = filter.window.openStart
        ownerID = filter.ownerID
        viewer = filter.viewer
        isRestricted = filter.viewer.isRestricted
        statuses = filter.storedStatuses
        terms = read.terms
        origin = filter.origin
        radius = filter.radius
        let radiusAngle = filter.radius.map { $0.kilometres / Coordinate.sphereRadius } ?? .infinity
        let angle = min(radiusAngle, read.reach)
        farthest = angle < .pi ? Self.squaredChord(of: angle) : .infinity
        farthestChord = farthest.squareRoot()
        box = filter.box
        ballTest = filter.box.map(BoundingBox.BallTest.init)
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
    mutating func exclude(beyondMillimetres distance: Int64) {
        let angle = Self.angle(ofMillimetres: distance)
        if angle < .pi { farthest = min(farthest, Self.squaredChord(of: angle)) }
    }

    /// Returns false if none of the summarized events can match.
    @inline(__always)
    func mayMatch(_ summary: PlaceSummary) -> Bool {
        // A box excludes most summaries by their latitude alone.
        if let ballTest {
            guard ballTest.mayContainPoint(ofBallAt: summary.center, radius: summary.radius)
            else { return false }
        }
        if let origin {
            let reach = Reach(point: origin.point, chord: farthestChord)
            guard reach.mayContain(summary) else { return false }
        }
        guard summary.firstStart < to, mayMatch(endingAt: summary.lastEnd) else { return false }
        if let polygon {
            let chord = summary.distance(from: polygon.center)
            guard chord <= polygonChord + summary.radius else { return false }
        }
        return true
    }

    /// Returns false if no event with this end or an earlier one can match.
    ///
    /// An event without an end counts as ended at its start.
    @inline(__always)
    func mayMatch(endingAt end: Int64) -> Bool { end >= openStart }

    /// Returns a bit for each event of a leaf: whether it matches; O(n).
    func matches(of leaf: PlaceLeaf) -> UInt64 {
        var matching = candidates(of: leaf)
        if isEverywhere, terms == nil { return matching }
        matching.forEachBit { index in
            if distance(at: index, of: leaf) == nil { matching &= ~(1 << UInt64(index)) }
        }
        return matching
    }

    /// Returns false if no event with this signature can match.
    @inline(__always)
    func mayMatch(_ signature: TermSignature) -> Bool { terms?.mayMatch(signature) ?? true }

    /// Returns a bit for each event of a leaf: whether the viewer sees it, and its values and its
    /// status don't exclude it.
    @inline(__always)
    func candidates(of leaf: PlaceLeaf) -> UInt64 {
        guard mayMatch(leaf.signature) else { return 0 }
        let candidates = mayMatch(leaf.values) & leaf.events(with: statuses)
        return isRestricted ? seen(candidates, of: leaf) : candidates
    }

    /// Returns those of some events that the viewer sees.
    @inline(never)
    private func seen(_ events: UInt64, of leaf: PlaceLeaf) -> UInt64 {
        var seen = events
        events.forEachBit { index in
            if !viewerSees(index, of: leaf) { seen &= ~(1 << UInt64(index)) }
        }
        return seen
    }

    /// Returns whether the viewer sees an event, and neither its values nor its status exclude it.
    @inline(__always)
    func isCandidate(_ index: Int, of leaf: PlaceLeaf) -> Bool {
        hasStatus(index, of: leaf) && mayMatch(leaf.values[index])
    }

    /// Returns whether the viewer sees an event, and its status doesn't exclude it.
    @inline(__always)
    func hasStatus(_ index: Int, of leaf: PlaceLeaf) -> Bool {
        statuses.contains(leaf.status(at: index))
            && (!isRestricted || viewerSees(index, of: leaf))
    }

    @inline(never)
    private func viewerSees(_ index: Int, of leaf: PlaceLeaf) -> Bool {
        viewer.sees(
            eventOf: leaf.values[index].ownerID,
            isHidden: leaf.status(at: index).isOfHiddenEvents
        )
    }

    /// Returns a bit for each event of a leaf: whether its values don't exclude it.
    ///
    /// O(n) for n events, unless the filter compares no values. There is no branch for each event,
    /// because the processor can't predict those of a window that half of the events match.
    @inline(__always)
    private func mayMatch(_ array: [FilterValues]) -> UInt64 {
        guard comparesValues else { return UInt64(bits: array.indices) }
        let values = array.span
        var matching: UInt64 = 0
        for index in values.indices {
            matching |= (mayMatch(values[index]) ? 1 : 0) << UInt64(truncatingIfNeeded: index)
        }
        return matching
    }

    /// Returns false if an event with these values can't match, wherever it is.
    @inline(__always)
    private func mayMatch(_ values: FilterValues) -> Bool {
        guard values.startedAt < to,
            values.startedAt >= from || (includesOngoing && values.end > from)
                || (values.end < values.startedAt && values.startedAt > openStart)
        else { return false }
        return ownerID == nil || ownerID == values.ownerID
    }

    /// Returns false if an event at this place can't match because of its distance.
    @inline(__always)
    private func mayMatch(_ point: UnitVector) -> Bool {
        guard let origin else { return true }
        let chord = Reach.squaredChord(from: origin.point, to: point)
        return nearest <= chord && chord <= farthest
    }

    /// Returns the distance in mm of an event whose values match, or nil if its place or its terms
    /// don't.
    ///
    /// Terms come before points: if they are rare, the points of a leaf needn't be loaded.
    @inline(__always)
    func distance(at index: Int, of leaf: PlaceLeaf) -> Int64? {
        if let box, !box.contains(leaf.coordinates[index]) { return nil }
        if let terms, !leaf.matches(terms, at: index) { return nil }
        if !isEverywhere, !mayMatch(leaf.points[index]) { return nil }
        if isEverywhere { return 0 }
        let point = leaf.points[index]
        guard let millimetres = distance(point) else { return nil }
        if let polygon, !polygon.contains(point) { return nil }
        return millimetres
    }

    /// Returns the distance of a place in mm, or nil if it is outside of the radius.
    @inline(__always)
    func distance(_ point: UnitVector) -> Int64? {
        guard let origin else { return 0 }
        let kilometres = Coordinate.distance(from: origin.point, to: point)
        let millimetres = DirectionOrigin.millimetres(inKilometres: kilometres)
        guard let radius else { return millimetres }
        let isInside =
            radius.isExact ? kilometres <= radius.kilometres : radius.contains(millimetres)
        return isInside ? millimetres : nil
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

    /// Returns the angle of a distance, in radians.
    static func angle(ofMillimetres distance: Int64) -> Double {
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
