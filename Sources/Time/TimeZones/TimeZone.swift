/// A time zone: the offsets of local time from UTC in the past and the future.
package struct TimeZone: Equatable, Sendable {
    /// The zone whose local time is UTC.
    package static let utc = TimeZone(offset: 0)

    /// The allowed offsets in seconds (RFC 9636, section 3.2).
    static let offsets = -89_999...93_599

    /// The offset before the first transition.
    private let firstOffset: Int
    /// The known transitions in chronological order.
    private let transitions: [Transition]
    /// The rule after the last transition, or nil if the last offset applies forever.
    private let rule: TimeZoneRule?

    /// Creates a zone with a fixed offset in seconds ahead of UTC.
    ///
    /// Offsets of more than about a day are clamped.
    package init(offset seconds: Int) {
        self.init(
            firstOffset: min(max(seconds, Self.offsets.lowerBound), Self.offsets.upperBound),
            transitions: [],
            rule: nil
        )
    }

    /// Creates a zone; its offsets must be in `offsets`, and its transitions in chronological
    /// order.
    init(firstOffset: Int, transitions: [Transition], rule: TimeZoneRule?) {
        self.firstOffset = firstOffset
        self.rule = rule
        let years = Self.second(of: .earliest)...Self.second(of: .latest)
        guard let rule, let last = transitions.last, years.contains(last.instant) else {
            self.transitions = transitions
            return
        }
        // The rule applies after the last transition. In a file that contradicts itself, that is
        // another transition.
        let next = Transition(instant: last.instant + 1, offset: rule.offset(at: last.instant + 1))
        self.transitions = next.offset == last.offset ? transitions : transitions + [next]
    }

    /// Returns the offset of local time at an instant, in seconds ahead of UTC.
    ///
    /// O(log n) for n transitions. Instants are clamped to the years 0000 to 9999 and January
    /// 10000.
    package func offset(at instant: Timestamp) -> Int {
        offset(atSecond: Self.second(of: instant))
    }

    /// Returns the local time at an instant, as if it were in UTC.
    ///
    /// `UTCTime` splits it into parts. Instants are clamped to the years 0000 to 9999 and January
    /// 10000. The result may be some hours beyond them.
    package func local(at instant: Timestamp) -> Timestamp {
        let instant = Self.clamped(instant)
        return Timestamp(milliseconds: instant.milliseconds + Int64(offset(at: instant)) * 1000)
    }

    /// Returns the instant of a local date and time.
    ///
    /// `local` is the local time, as if it were in UTC. If clocks skip it, the offset before the
    /// gap applies. If it occurs twice, the first occurrence counts.
    ///
    /// Local times are clamped to the years 0000 to 9999 and January 10000. The result may be some
    /// hours beyond them.
    package func instant(ofLocal local: Timestamp) -> Timestamp {
        let local = Self.clamped(local)
        let offset = offset(atLocal: local)
        return Timestamp(milliseconds: local.milliseconds - Int64(offset) * 1000)
    }

    /// Returns the offset that `instant(ofLocal:)` uses for a local time.
    package func offset(atLocal local: Timestamp) -> Int {
        let local = Self.second(of: local)
        // Offsets are smaller than these 100,000 s.
        let (start, end) = (local - 100_000, local + 100_000)
        var (offset, offsetStart) = (offset(atSecond: start), start)
        var offsetBeforeGap: Int?
        for transition in transitions(after: start, upTo: end) {
            let isReached = local - offset >= transition.instant
            if !isReached, local - offset >= offsetStart { return offset }
            if isReached, local - transition.offset < transition.instant {
                offsetBeforeGap = offsetBeforeGap ?? offset
            }
            (offset, offsetStart) = (transition.offset, transition.instant)
        }
        return local - offset >= offsetStart ? offset : offsetBeforeGap ?? offset
    }

    private func offset(atSecond second: Int) -> Int {
        let index = endIndex(upTo: second)
        if let rule, index == transitions.count, second != transitions.last?.instant {
            return rule.offset(at: second)
        }
        return index == 0 ? firstOffset : transitions[index - 1].offset
    }

    private func transitions(after start: Int, upTo end: Int) -> [Transition] {
        let listed = transitions[endIndex(upTo: start)..<endIndex(upTo: end)]
        guard let rule, end > transitions.last?.instant ?? .min else { return Array(listed) }
        let first = max(start, transitions.last?.instant ?? .min)
        return listed
            + rule.transitions(around: end).filter { first < $0.instant && $0.instant <= end }
    }

    /// Returns the number of transitions at or before a second.
    private func endIndex(upTo second: Int) -> Int {
        var (start, end) = (0, transitions.count)
        while start < end {
            let middle = start + (end - start) / 2
            if transitions[middle].instant <= second { start = middle + 1 } else { end = middle }
        }
        return start
    }

    private static func second(of instant: Timestamp) -> Int {
        let milliseconds = clamped(instant).milliseconds
        let second = Int(milliseconds / 1000)
        return milliseconds % 1000 < 0 ? second - 1 : second
    }

    private static func clamped(_ instant: Timestamp) -> Timestamp {
        let latest = Timestamp(
            milliseconds: Timestamp.latest.milliseconds + 32 * Timestamp.millisecondsPerDay
        )
        return min(max(instant, .earliest), latest)
    }
}

/// A change of the offset.
struct Transition: Equatable, Sendable {
    /// The first second with the new offset, in seconds since 1970.
    let instant: Int
    /// The new offset in seconds ahead of UTC.
    let offset: Int
}
