/// A summary of some events, with which a search can exclude all: their places, times and number.
///
/// The ball is in space, not on the sphere, so that comparing it needs no trigonometry.
struct PlaceSummary: BitwiseCopyable, Sendable {
    /// The middle of a ball that contains all points.
    let center: UnitVector
    /// The radius of the ball, in earth radii.
    let radius: Double
    /// The first start, ms since 1970.
    private(set) var firstStart: Int64
    /// The last end, ms since 1970; an event without an end counts as ended at its start.
    private(set) var lastEnd: Int64
    private(set) var count: Int

    /// More than rounding changes a distance in the ball.
    private static let slack = 1e-12

    /// Summarizes events; there is at least one.
    init(_ points: [UnitVector], _ values: [FilterValues]) {
        var sum: UnitVector = (x: 0, y: 0, z: 0)
        for point in points {
            sum = (x: sum.x + point.x, y: sum.y + point.y, z: sum.z + point.z)
        }
        var (firstStart, lastEnd) = (Int64.max, Int64.min)
        for values in values {
            firstStart = min(firstStart, values.startedAt)
            lastEnd = max(lastEnd, values.leastEnd)
        }
        let center = Self.mean(sum, points.count)
        var farthest = 0.0
        for point in points {
            farthest = max(farthest, Self.squaredDistance(center, point))
        }
        self.center = center
        radius = farthest.squareRoot() + Self.slack
        self.firstStart = firstStart
        self.lastEnd = lastEnd
        count = points.count
    }

    /// Summarizes what others summarize; there is at least one.
    init(_ parts: [PlaceSummary]) {
        var sum: UnitVector = (x: 0, y: 0, z: 0)
        var (firstStart, lastEnd, count) = (Int64.max, Int64.min, 0)
        for part in parts {
            let center = part.center
            sum = (x: sum.x + center.x, y: sum.y + center.y, z: sum.z + center.z)
            firstStart = min(firstStart, part.firstStart)
            lastEnd = max(lastEnd, part.lastEnd)
            count += part.count
        }
        let center = Self.mean(sum, parts.count)
        var radius = 0.0
        for part in parts {
            let distance = Self.squaredDistance(center, part.center).squareRoot()
            radius = max(radius, distance + part.radius)
        }
        self.center = center
        self.radius = radius + Self.slack
        self.firstStart = firstStart
        self.lastEnd = lastEnd
        self.count = count
    }

    /// Returns the summary after a part was replaced; nil if only all parts tell it.
    ///
    /// An insert rarely changes more of it than the number of events. The ball then stays the same,
    /// although one around another point could be smaller.
    func replacing(_ old: PlaceSummary, by new: PlaceSummary) -> PlaceSummary? {
        guard distance(from: new.center) + new.radius + Self.slack <= radius,
            new.firstStart <= firstStart || old.firstStart > firstStart,
            new.lastEnd >= lastEnd || old.lastEnd < lastEnd
        else { return nil }
        var summary = self
        summary.firstStart = min(firstStart, new.firstStart)
        summary.lastEnd = max(lastEnd, new.lastEnd)
        summary.count += new.count - old.count
        return summary
    }

    /// Returns the distance from a point to the middle of the ball, in earth radii.
    func distance(from point: UnitVector) -> Double {
        Self.squaredDistance(center, point).squareRoot()
    }

    private static func mean(_ sum: UnitVector, _ count: Int) -> UnitVector {
        let number = Double(max(count, 1))
        return (x: sum.x / number, y: sum.y / number, z: sum.z / number)
    }

    private static func squaredDistance(_ one: UnitVector, _ other: UnitVector) -> Double {
        let (x, y, z) = (one.x - other.x, one.y - other.y, one.z - other.z)
        return x * x + y * y + z * z
    }
}
