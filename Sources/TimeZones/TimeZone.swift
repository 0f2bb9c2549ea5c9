package import Time

/// The offsets of local time from UTC in one place of the world, in the past and in the future.
package struct TimeZone: Equatable, Sendable {
    /// Local time is UTC.
    package static let utc = TimeZone(offset: 0)

    /// The offsets that a zone may have, in seconds (RFC 9636, section 3.2).
    static let offsets = -89_999...93_599

    /// The offset before the first transition.
    private let firstOffset: Int
    /// In the order of their instants.
    private let transitions: [Transition]
    /// What holds after the last transition; nil if its offset holds forever.
    private let rule: TimeZoneRule?

    /// Creates a zone that is always the same number of seconds ahead of UTC.
    ///
    /// Offsets of more than about a day are clamped.
    package init(offset seconds: Int) {
        self.init(
            firstOffset: min(max(seconds, Self.offsets.lowerBound), Self.offsets.upperBound),
            transitions: [],
            rule: nil
        )
    }

    /// Creates a zone whose offsets are all in `offsets`, and whose transitions are in order.
    init(firstOffset: Int, transitions: [Transition], rule: TimeZoneRule?) {
        self.firstOffset = firstOffset
        self.transitions = transitions
        self.rule = rule
    }

    /// Returns how many seconds local time is ahead of UTC at an instant.
    ///
    /// O(log n) for n transitions. Instants are clamped to the years 0000 to 9999 and January
    /// 10000.
    package func offset(at instant: Timestamp) -> Int {
        offset(atSecond: Self.second(of: instant))
    }

    /// Returns the instant at which UTC has the date and time that the zone has at `instant`.
    ///
    /// `UTCTime` has its parts. Instants are clamped to the years 0000 to 9999 and January 10000,
    /// but the result may be some hours beyond them.
    package func local(at instant: Timestamp) -> Timestamp {
        let instant = Self.clamped(instant)
        return Timestamp(milliseconds: instant.milliseconds + Int64(offset(at: instant)) * 1000)
    }

    /// Returns the instant of a local date and time.
    ///
    /// `local` is the instant at which UTC has that date and time. A local time that does not exist
    /// takes the offset before the gap. Of a local time that exists twice, the first counts.
    ///
    /// Local times are clamped to the years 0000 to 9999 and January 10000, but the result may be
    /// some hours beyond them.
    package func instant(ofLocal local: Timestamp) -> Timestamp {
        let local = Self.clamped(local)
        let offset = offset(atLocal: local)
        return Timestamp(milliseconds: local.milliseconds - Int64(offset) * 1000)
    }

    /// Returns the offset of a local date and time, as `instant(ofLocal:)` chooses it.
    package func offset(atLocal local: Timestamp) -> Int {
        let local = Self.second(of: local)
        // No offset can move the instant further away.
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

    /// The number of transitions that are not later than the second.
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
    /// In seconds since 1970; the new offset holds from here on.
    let instant: Int
    /// In seconds ahead of UTC.
    let offset: Int
}
