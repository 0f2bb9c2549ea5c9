import Cells
import Model

extension EventSearch {
    /// The factor by which a ring with too many events shrinks.
    private static let shrinkage = 0.25
    /// The number of events in the first rings, for each result and at least.
    ///
    /// A ring usually has three or four for each result. More of them are only read where the ring
    /// is far too wide, as for a point beside a crowd.
    private static let readsPerResult = 16
    private static let fewReads = 512
    /// The cost up to which known events are read again where there are only few new ones.
    private static let fewReadsOfNothing = 64
    /// The number of events from which fewer of them are worth more ranges.
    private static let manyReads = 128
    /// The number of events on the ring behind a position.
    private static let readsOfRing = 8192
    /// The number of cells on a ring.
    private static let mostCells = 512.0
    /// The width of the cells as a multiple of the angle of one event.
    private static let cellWidth = 6.0
    /// The width of a ring in empty space, as a multiple of that of its cells.
    private static let cellsAcrossEmptyRing = 4.0
    /// The factor by which that number grows where most events do not match.
    private static let growthOfReads = 4
    /// The first angle where nothing is known about the region, in radians: 60 m.
    fileprivate static let smallestAngle = 1e-5

    /// Reads the places around the point from the inside outwards, up to the end of the page.
    ///
    /// The number of matches within a ring determines the width of the next one.
    func rings(
        _ step: inout SearchStep,
        _ reads: Int,
        in reader: any EventReader,
        _ allowance: inout Allowance
    ) throws -> FoundPage {
        guard let origin = query.filter.origin else { return FoundPage(matches: [], next: nil) }
        let region = query.filter.keyRanges
        let widest = query.filter.radiusAngle
        var rings = step.rings ?? firstRing
        var rest = reads
        defer {
            step.spent += reads - rest
            step.rings = rings
        }
        while true {
            // Where cells are wider than the ring, a wider ring has the same cells.
            if leavesOutKnown(rings) {
                rings.angle = max(rings.angle, rings.knownAngle + cellAngle(rings) / 2)
            }
            rings.angle = min(rings.angle, widest)
            // A part of a ring is useless.
            if rings.expected > rest, rest < reads { return bounded(&rings) }
            var best = rings.best
            let end = try read(
                rings,
                isLast: rings.angle >= widest,
                region,
                min(rings.readsAtOnce, rest),
                in: reader,
                &best
            )
            rest -= min(end.cost, rest)
            allowance.spend(end.cost, inMemory: false)
            guard end.isComplete else {
                guard rest > 0 else { return bounded(&rings) }
                rings.wasTooWide = true
                let width = (rings.angle - rings.knownAngle) * Self.shrinkage
                if best.countAfterStart > query.limit, width > max(Cap.slack, cellAngle(rings)) {
                    // There are too many matches, so a part of the step is tried.
                    rings.angle = rings.knownAngle + width
                } else {
                    rings.readsAtOnce = min(rings.readsAtOnce, rest) * Self.growthOfReads
                }
                continue
            }
            rings.best = best
            rings.note(end, isBeyondKnown: leavesOutKnown(rings))
            let found = best.countAfterStart
            if rings.angle >= widest || found > query.limit {
                if isPlain {
                    let key = CellKey(origin.point)
                    hints?.note(best.count, within: rings.angle, around: key, after: likelyAngle)
                }
                return page(of: &rings.best)
            }
            rings.known = Self.millimetres(within: rings.angle)
            rings.grow(found, limit: query.limit)
            guard rest > 0 else { return bounded(&rings) }
        }
    }

    /// Whether the next read leaves out the events up to the known distance.
    ///
    /// If they cost little, finding more cells on the ring would take longer than reading them
    /// again.
    private func leavesOutKnown(_ rings: Rings) -> Bool {
        let mostAgain = rings.reachesEmptySpace ? Self.fewReadsOfNothing : Self.fewReads
        return rings.known > 0 && (rings.start > 0 || rings.cost > mostAgain)
    }

    private var firstRing: Rings {
        let start = Double(query.start?.key ?? 0) / Self.millimetresPerRadian
        var angle = max(likelyAngle ?? 0, Self.smallestAngle)
        var readsAtOnce = Self.reads(for: query.limit)
        if start > 0 {
            angle = (start * start + angle * angle).squareRoot()
            readsAtOnce = max(readsAtOnce, Self.readsOfRing)
        }
        // Events before the page are already returned, so the search never goes back to them.
        return Rings(
            start: start,
            known: max(query.start?.key ?? 0, 0) - 1,
            angle: angle,
            readsAtOnce: readsAtOnce,
            best: best()
        )
    }

    /// Whether the page consists of the nearest events, so that their number becomes a hint.
    ///
    /// With a filter, a read is of a larger area, whose middle is usually more crowded.
    private var isPlain: Bool { query.start == nil && query.filter.comparesOnlyDistances }

    /// The number of events in the first rings.
    static func reads(for limit: Int) -> Int {
        let (reads, overflows) = limit.multipliedReportingOverflow(by: readsPerResult)
        return overflows ? .max : max(fewReads, reads)
    }

    fileprivate static let millimetresPerRadian = Coordinate.sphereRadius * 1e6

    /// Returns the greatest distance of which an angle contains all events.
    package static func millimetres(within angle: Double) -> Int64 {
        Int64((angle * millimetresPerRadian).rounded(.down))
    }

    /// The width of the cells on a ring, in radians.
    ///
    /// Finding a cell takes about as long as reading its events, and there are not too many of
    /// them.
    private func cellAngle(_ rings: Rings) -> Double {
        // The angle of one event.
        let unit =
            rings.count > 0
            ? (rings.knownArea / Double(rings.count)).squareRoot()
            : (likelyAngle ?? Self.smallestAngle) / Double(max(query.limit, 1)).squareRoot()
        let narrowest = 2 * .pi * rings.angle / Self.mostCells
        if rings.reachesEmptySpace {
            // Wider cells are found faster, and have only a few more events.
            return max(narrowest, (rings.angle - rings.knownAngle) / Self.cellsAcrossEmptyRing)
        }
        return max(narrowest, min(Self.cellWidth * unit, rings.angle / 2))
    }

    /// Reads the events beyond the known distance.
    private func read(
        _ rings: Rings,
        isLast: Bool,
        _ region: [ClosedRange<CellKey>]?,
        _ reads: Int,
        in reader: any EventReader,
        _ best: inout BestMatches
    ) throws -> EventReadEnd {
        guard let origin = query.filter.origin else {
            return EventReadEnd(count: 0, isComplete: true)
        }
        let known = rings.known
        let cells = cellAngle(rings)
        let cap = Cap(center: origin.point, angle: rings.angle)
        // Distances are rounded, so events of the next millimetre can be half of one nearer.
        let inner = (Double(known) + 0.25) / Self.millimetresPerRadian
        var ranges =
            leavesOutKnown(rings)
            ? cap.keyRanges(beyond: inner, cellAngle: cells)
            : rings.expected > Self.manyReads ? cap.narrowKeyRanges : cap.keyRanges
        if let region { ranges = ranges.intersection(region) }
        var read = EventRead(
            sequence: .places(ranges),
            filter: query.filter,
            maximumReads: reads
        )
        read.reach = rings.angle
        // The edge of the cap can divide the events of one millimetre, which are ordered by id.
        let complete = isLast ? .max : Self.millimetres(within: rings.angle)
        return try reader.forEachMatch(of: read) { match in
            if match.millimetres > known, match.millimetres <= complete { best.consider(match) }
        }
    }

    /// Returns what is known of the page: the matches up to a distance, all of which were read.
    private func bounded(_ rings: inout Rings) -> FoundPage {
        let isFurther = rings.known > (query.start?.key ?? -1)
        let next = isFurther ? EventPosition(key: rings.known, id: .max) : query.start
        return FoundPage(matches: rings.best.sorted(), next: next, isBounded: true)
    }
}

extension EventFilter {
    /// Whether it compares nothing but distances from its point.
    var comparesOnlyDistances: Bool {
        window == EventWindow() && ownerID == nil && attendeeID == nil && box == nil
            && polygon == nil
    }

    /// The angle from its point to the farthest place within its radius, in radians.
    package var radiusAngle: Double {
        let kilometres = radius?.kilometres ?? .infinity
        return min(kilometres / Coordinate.sphereRadius + Self.rounding, .pi)
    }

    /// Half a millimetre, by which distances are rounded, in radians.
    private static let rounding = 1e-10
}

/// The state of a search by rings.
struct Rings {
    /// The angle before the page, in radians.
    fileprivate let start: Double
    /// The distance up to which all events were read, in mm; at first, that before the page.
    fileprivate(set) var known: Int64
    /// The same in radians.
    fileprivate var knownAngle: Double {
        Double(max(known, 0)) / EventSearch.millimetresPerRadian
    }
    /// About the area that was read, in square radians / π.
    fileprivate var knownArea: Double {
        max(knownAngle * knownAngle - start * start, 0)
    }
    /// The angle to read up to.
    fileprivate(set) var angle: Double
    /// The maximum number of events in the next read.
    fileprivate(set) var readsAtOnce: Int
    /// The best matches up to the known distance.
    fileprivate(set) var best: BestMatches
    /// The number of events that were read.
    fileprivate(set) var count = 0
    /// What reading them once has cost.
    fileprivate(set) var cost = 0
    /// The estimated cost of the next read.
    fileprivate(set) var expected = 0
    /// The number of events that the last read has found beyond the known distance.
    fileprivate var newCount = 0
    /// Whether a read had too many events.
    fileprivate var wasTooWide = false
    /// Whether there were only few new events, as around a city, and never too many.
    fileprivate var reachesEmptySpace: Bool {
        !wasTooWide && newCount < count / Self.shareOfNew
    }

    /// The factor by which a ring is wider than needed if events were spread evenly.
    private static let margin = 1.2
    /// The greatest factor from the area of one ring to the next.
    ///
    /// The smaller one is for areas with events of which few match, so that one more event among
    /// them would have made a great difference.
    private static let greatestGrowth = (crowded: 16.0, empty: 64.0)
    /// The least factor, usually and where there are only few new events.
    private static let leastGrowth = (usual: 1.5, empty: 4.0)
    /// The number of events for each new one from which these are few.
    private static let shareOfNew = 8

    /// Adds what a read has found, of all events or of those beyond the known distance.
    fileprivate mutating func note(_ end: EventReadEnd, isBeyondKnown: Bool) {
        newCount = isBeyondKnown ? end.count : end.count - min(count, end.count)
        count = isBeyondKnown ? count + end.count : end.count
        cost = isBeyondKnown ? cost + end.cost : end.cost
    }

    /// Sets the angle within which there probably are enough matches.
    ///
    /// - Parameters:
    ///   - found: The number of matches within the present angle.
    ///   - limit: The number of results.
    fileprivate mutating func grow(_ found: Int, limit: Int) {
        let smallest = EventSearch.smallestAngle * EventSearch.smallestAngle
        let area = max(angle * angle - start * start, smallest)
        let greatest = count > limit ? Self.greatestGrowth.crowded : Self.greatestGrowth.empty
        let factor = min(
            max(
                Self.margin * Double(limit + 1) / (Double(found) + 0.5),
                reachesEmptySpace ? Self.leastGrowth.empty : Self.leastGrowth.usual
            ),
            greatest
        )
        angle = (start * start + area * factor).squareRoot()
        // Those of the whole area, because cells are wider than the ring.
        expected = Int(min(Double(cost) * factor, Double(Int32.max)))
        readsAtOnce = max(readsAtOnce, 2 * expected)
    }
}
