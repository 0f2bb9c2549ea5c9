import Time

extension EventSnapshot {
    /// Calls `body` with each matching event of a read of `.owned`, in the order of the ids.
    ///
    /// Most events outside of the filter's region are recognized by their cells, without a look at
    /// their places.
    func forEachMatch(
        ownedBy owner: Int64,
        of read: EventRead,
        _ body: (EventMatch) -> Void
    ) -> EventReadEnd {
        let (first, last) = read.idBounds
        let range = KeyRange(
            first: OwnedKey(ownerID: owner, id: first),
            last: OwnedKey(ownerID: owner, id: last),
            isAfterFirst: read.isAfterFirstID,
            isDescending: read.isDescending
        )
        var search = ListedMatches(read)
        owned.forEachLeaf(in: range) { leaf, indices in
            search.forEach(indices) { index in
                let id = leaf.keys[index].id
                let position = EventPosition(key: id, id: id)
                return search.compare(id, in: leaf.values[index], at: position, of: self, body)
            }
        }
        return search.end
    }

    /// Returns the ids of an owner's events, in rising order; O(n) for n of these.
    func eventIDs(ofOwner owner: Int64) -> [Int64] {
        var ids: [Int64] = []
        owned.forEachLeaf(in: .all(ofOwner: owner)) { leaf, indices in
            ids += leaf.keys[indices].lazy.map(\.id)
            return true
        }
        return ids
    }

    /// Returns the number of events of an owner.
    func eventCount(ofOwner owner: Int64) -> Int {
        var count = 0
        owned.forEachLeaf(in: .all(ofOwner: owner)) { _, indices in
            count += indices.count
            return true
        }
        return count
    }

    /// Calls `body` with each matching event of a read of `.ids`, in the order of the ids.
    func forEachMatch(byID read: EventRead, _ body: (EventMatch) -> Void) -> EventReadEnd {
        let (first, last) = read.idBounds
        let range = KeyRange(
            first: first,
            last: last,
            isAfterFirst: read.isAfterFirstID,
            isDescending: read.isDescending
        )
        var search = ListedMatches(read)
        ids.forEachLeaf(in: range) { leaf, indices in
            search.forEach(indices) { index in
                let id = leaf.keys[index]
                let position = EventPosition(key: id, id: id)
                return search.compare(id, in: leaf.values[index], at: position, of: self, body)
            }
        }
        return search.end
    }

    /// Calls `body` with each matching event among those with some ids, in the order of the ids.
    func forEachMatch(
        among ids: [Int64],
        of read: EventRead,
        _ body: (EventMatch) -> Void
    ) -> EventReadEnd {
        let (first, last) = read.idBounds
        let isAfterFirst = read.isAfterFirstID && !read.isDescending
        let isBeforeLast = read.isAfterFirstID && read.isDescending
        let lower = ids.partitionIndex { isAfterFirst ? $0 <= first : $0 < first }
        let upper = ids.partitionIndex { isBeforeLast ? $0 < last : $0 <= last }
        var search = ListedMatches(read)
        guard lower < upper else { return search.end }
        _ = search.forEach(lower..<upper) { index in
            let id = ids[index]
            let position = EventPosition(key: id, id: id)
            return search.compare(id, in: key(of: id)?.cell, at: position, of: self, body)
        }
        return search.end
    }

    /// Calls `body` with each matching event of a read of `.starts`, in the order of the starts.
    ///
    /// It passes over leaves and branches whose events have all ended before the window.
    func forEachMatch(byStart read: EventRead, _ body: (EventMatch) -> Void) -> EventReadEnd {
        let window = read.filter.window
        var first = StartKey(startedAt: .min, id: .min)
        if let from = window.from, !window.includesOngoing {
            first = StartKey(startedAt: from.milliseconds, id: .min)
        }
        var last = StartKey(startedAt: .max, id: .max)
        if let to = window.to?.milliseconds {
            // No event begins before the least time.
            guard to > .min else { return EventReadEnd(count: 0, isComplete: true) }
            last = StartKey(startedAt: to - 1, id: .max)
        }
        var isAfterFirst = false
        if let start = read.start.map({ StartKey(startedAt: $0.key, id: $0.id) }) {
            if read.isDescending, start <= last { (last, isAfterFirst) = (start, true) }
            if !read.isDescending, start >= first { (first, isAfterFirst) = (start, true) }
        }
        var search = ListedMatches(read)
        let matcher = search.matcher
        guard first <= last else { return search.end }
        let range = KeyRange(
            first: first,
            last: last,
            isAfterFirst: isAfterFirst,
            isDescending: read.isDescending
        )
        let mayMatch = { (summary: KeyedLeaf<StartKey, StartedEvent>.Summary) in
            matcher.mayMatch(endingAt: summary.lastEnd)
        }
        starts.forEachLeaf(in: range, where: mayMatch) { leaf, indices in
            search.forEach(indices) { index in
                let (key, event) = (leaf.keys[index], leaf.values[index])
                let position = EventPosition(key: key.startedAt, id: key.id)
                let cell = matcher.mayMatch(endingAt: event.lastEnd) ? event.cell : nil
                return search.compare(key.id, in: cell, at: position, of: self, body)
            }
        }
        return search.end
    }
}

extension KeyRange<OwnedKey> {
    /// The keys of all events of an owner.
    fileprivate static func all(ofOwner owner: Int64) -> KeyRange {
        KeyRange(
            first: OwnedKey(ownerID: owner, id: .min),
            last: OwnedKey(ownerID: owner, id: .max)
        )
    }
}

extension EventRead {
    /// The first and the last id that it may read.
    fileprivate var idBounds: (first: Int64, last: Int64) {
        isDescending ? (.min, start?.key ?? .max) : (start?.key ?? .min, .max)
    }

    /// Whether it leaves out the id with which it would begin.
    ///
    /// Anyone can write a cursor, whose key and id differ then.
    fileprivate var isAfterFirstID: Bool {
        guard let start else { return false }
        return isDescending ? start.key >= start.id : start.key <= start.id
    }
}

/// The comparison of listed events with a filter.
private struct ListedMatches {
    let matcher: EventMatcher
    private let region: [ClosedRange<CellKey>]?
    private let isDescending: Bool
    private let maximumReads: Int
    private let maximumMatches: Int
    private var matchCount = 0
    /// The number of events that were compared, and one more for every 16 that were skipped.
    private var count = 0
    /// The number of skipped events that don't count yet.
    private var skipped = 0
    /// Whether neither the maximum number of matches nor of reads was reached.
    private var isComplete = true
    /// The position of the last event that was compared or skipped.
    private var last: EventPosition?

    init(_ read: EventRead) {
        matcher = EventMatcher(read)
        region = read.filter.keyRanges
        isDescending = read.isDescending
        maximumReads = read.maximumReads
        maximumMatches = read.maximumMatches
    }

    /// Calls `body` with indices in the order of the read until it returns false, and returns
    /// whether it never did.
    @inline(__always)
    func forEach(_ indices: Range<Int>, _ body: (Int) -> Bool) -> Bool {
        if isDescending {
            for index in indices.reversed() where !body(index) { return false }
        } else {
            for index in indices where !body(index) { return false }
        }
        return true
    }

    /// Compares an event, which has a cell unless it surely doesn't match.
    ///
    /// Returns whether more are needed.
    @inline(__always)
    mutating func compare(
        _ id: Int64,
        in cell: CellKey?,
        at position: EventPosition,
        of snapshot: EventSnapshot,
        _ body: (EventMatch) -> Void
    ) -> Bool {
        guard count < maximumReads, matchCount < maximumMatches else {
            isComplete = false
            return false
        }
        last = position
        guard let cell, region?.contains(cell) ?? true else {
            skipped += 1
            if skipped == EventSequence.skippedPerRead { (count, skipped) = (count + 1, 0) }
            return true
        }
        count += 1
        let key = PlaceKey(cell: cell, id: id)
        let places = snapshot.places
        guard let place = places.position(of: key) else { return true }
        let leaf = places[place]
        guard let index = leaf.index(of: key), matcher.isCandidate(index, of: leaf),
            let match = snapshot.match(at: index, of: leaf, place, matcher)
        else { return true }
        matchCount += 1
        body(match)
        return true
    }

    /// How the read has ended.
    var end: EventReadEnd { EventReadEnd(count: count, isComplete: isComplete, last: last) }
}

extension EventFilter {
    /// The keys of the region that the filter names, or nil for the whole globe.
    fileprivate var keyRanges: [ClosedRange<CellKey>]? {
        var regions: [[ClosedRange<CellKey>]] = []
        if let origin, let radius {
            let angle = radius.kilometres / Coordinate.sphereRadius
            if angle < .pi { regions.append(Cap(center: origin.point, angle: angle).keyRanges) }
        }
        if let box {
            // A box of the whole circle has edges of its own.
            let (west, east) = box.isAround ? (-180, 180) : (box.west, box.east)
            regions.append(
                Box(south: box.south, north: box.north, west: west, east: east).keyRanges
            )
        }
        if let polygon {
            regions.append(Cap(center: polygon.center, angle: polygon.angle).keyRanges)
        }
        // Events in the others are compared with the places.
        return regions.min { $0.keyCount < $1.keyCount }
    }

    /// Whether it compares neither times, owners, attendances nor areas, besides its radius.
    var comparesNoValuesOrAreas: Bool {
        window == EventWindow() && ownerID == nil && attendeeID == nil && box == nil
            && polygon == nil
    }

    /// The angle from its point to the farthest place within its radius, in radians.
    var radiusAngle: Double {
        let kilometres = radius?.kilometres ?? .infinity
        return min(kilometres / Coordinate.sphereRadius + Self.rounding, .pi)
    }

    /// Half a millimetre, by which distances are rounded, in radians.
    private static let rounding = 1e-10

    /// Whether it limits where events are.
    var hasRegion: Bool { box != nil || polygon != nil || radius != nil }
}

extension [ClosedRange<CellKey>] {
    /// Returns whether a key is in one of the ranges, which are in rising order; O(log n).
    func contains(_ key: CellKey) -> Bool {
        let index = partitionIndex { $0.upperBound < key }
        return index < count && self[index].lowerBound <= key
    }

    /// About the number of keys.
    fileprivate var keyCount: Double {
        reduce(0) { $0 + Double($1.upperBound.rawValue) - Double($1.lowerBound.rawValue) }
    }
}
