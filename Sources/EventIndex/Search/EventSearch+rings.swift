import Cells
import Model

extension EventSearch {
    /// The factor by which a ring is wider than needed if events were spread evenly.
    private static let margin = 1.2
    /// The greatest factor from one ring to the next.
    private static let greatestGrowth = 8.0
    /// The factor by which a ring with too many events shrinks.
    private static let shrinkage = 0.25
    /// The number of events in the first rings, for each result and at least.
    ///
    /// A ring usually has three or four for each result. More of them are only read where the ring
    /// is far too wide, as for a point beside a crowd.
    private static let readsPerResult = 16
    private static let fewReads = 512
    /// The number of events on the ring behind a position.
    private static let readsOfRing = 8192
    /// The number of cells on the ring behind a position.
    private static let mostCells = 64.0
    /// The factor by which that number grows where most events do not match.
    private static let growthOfReads = 4
    /// The first angle where nothing is known about the region, in radians: 60 m.
    private static let smallestAngle = 1e-5

    /// Reads the places around the point from the inside outwards, up to the end of the page.
    ///
    /// Each read is of a cap that contains the one before. Its number of matches determines the
    /// width of the next one.
    func rings(
        _ reads: Int,
        in reader: any EventReader,
        _ allowance: inout Allowance
    ) throws -> FoundPage {
        guard let origin = query.filter.origin else { return FoundPage(matches: [], next: nil) }
        let region = regionRanges
        let key = CellKey(origin.point)
        let widest = min(
            (query.filter.radius?.kilometres ?? .infinity) / Coordinate.sphereRadius
                + Self.rounding,
            .pi
        )
        let start = Double(query.start?.key ?? 0) / Self.millimetresPerRadian
        // Events before the page are already returned, so the search never goes back to them.
        var known = max(inner, 0)
        var angle = max(likelyAngle ?? 0, Self.smallestAngle)
        if start > 0 { angle = (start * start + angle * angle).squareRoot() }
        var rest = reads
        var readsAtOnce = max(
            Self.fewReads,
            query.limit.multipliedReportingOverflow(by: Self.readsPerResult).partialValue
        )
        if start > 0 { readsAtOnce = max(readsAtOnce, Self.readsOfRing) }
        var result = best()
        while true {
            angle = min(angle, widest)
            var best = best()
            let end = try read(
                within: angle,
                isLast: angle >= widest,
                region,
                min(readsAtOnce, rest),
                in: reader,
                &best
            )
            rest -= min(end.count, rest)
            allowance.spend(end.count, inMemory: false)
            guard end.isComplete else {
                guard rest > 0 else { return bounded(&result, known) }
                let nearer = known + (angle - known) * Self.shrinkage
                if best.countAfterStart > query.limit, nearer - known > Cap.slack {
                    // There are too many matches, so a part of the step is tried.
                    angle = nearer
                } else {
                    readsAtOnce = min(readsAtOnce, rest) * Self.growthOfReads
                }
                continue
            }
            if isPlain { hints.note(end.count, within: angle, around: key) }
            result = best
            let isLast = angle >= widest
            let found = result.sorted()
            if isLast || found.count > query.limit { return page(of: &result) }
            known = angle
            angle = Self.nextAngle(after: angle, found: found.count, limit: query.limit, start)
            guard rest > 0 else { return bounded(&result, known) }
        }
    }

    /// Whether a read counts all events of its cap, because only such counts become hints.
    private var isPlain: Bool {
        let filter = query.filter
        return query.start == nil && filter.window == EventWindow() && filter.ownerID == nil
            && filter.box == nil && filter.polygon == nil
    }

    /// Half a millimetre, by which distances are rounded, in radians.
    private static let rounding = 1e-10
    private static let millimetresPerRadian = Coordinate.sphereRadius * 1e6

    /// Returns the angle within which there probably are enough matches.
    private static func nextAngle(
        after angle: Double,
        found: Int,
        limit: Int,
        _ start: Double
    ) -> Double {
        // Events before the page are already returned, so the areas of rings are compared.
        let area = max(angle * angle - start * start, smallestAngle * smallestAngle)
        let factor = margin * Double(limit + 1) / (Double(found) + 0.5)
        let greatest = greatestGrowth * greatestGrowth
        return (start * start + area * min(max(factor, 1.5), greatest)).squareRoot()
    }

    /// The angle up to which all events are before the page, in radians.
    private var inner: Double {
        guard let start = query.start else { return 0 }
        return Double(start.key) / Self.millimetresPerRadian - Self.rounding - Cap.slack
    }

    /// The width of the cells on the ring behind a position, in radians.
    ///
    /// Each cell takes about as long as five events, and there are not too many of them.
    private func cellAngle(within outer: Double) -> Double {
        let angle = max(likelyAngle ?? 0, Self.smallestAngle)
        let ofFewEvents = 3 * angle / Double(max(query.limit, 1)).squareRoot()
        return max(ofFewEvents, 2 * .pi * outer / Self.mostCells)
    }

    private func read(
        within angle: Double,
        isLast: Bool,
        _ region: [ClosedRange<CellKey>]?,
        _ reads: Int,
        in reader: any EventReader,
        _ best: inout BestMatches
    ) throws -> EventReadEnd {
        guard let origin = query.filter.origin else {
            return EventReadEnd(count: 0, isComplete: true)
        }
        let cap = Cap(center: origin.point, angle: angle)
        var ranges =
            inner > 0
            ? cap.keyRanges(beyond: inner, cellAngle: cellAngle(within: angle)) : cap.keyRanges
        if let region { ranges = Self.intersection(ranges, region) }
        var read = EventRead(
            sequence: .places(ranges),
            filter: query.filter,
            maximumReads: reads
        )
        read.reach = angle
        // The edge of the cap can divide the events of one millimetre, which are ordered by id.
        let complete = isLast ? .max : Int64((angle * Self.millimetresPerRadian).rounded(.down))
        return try reader.forEachMatch(of: read) { match in
            if match.millimetres <= complete { best.consider(match) }
        }
    }

    /// Returns what is known of the page: the matches within an angle, all of which were read.
    private func bounded(
        _ best: inout BestMatches,
        _ known: Double
    ) -> FoundPage {
        let complete = Int64((known * Self.millimetresPerRadian).rounded(.down)) - 1
        let matches = best.sorted().filter { $0.millimetres <= complete }
        let isFurther = complete > (query.start?.key ?? -1)
        let next = isFurther ? EventPosition(key: complete, id: .max) : query.start
        return FoundPage(matches: matches, next: next, isBounded: true)
    }
}
