import Glibc

/// An instant as milliseconds since 1970-01-01T00:00:00Z; every day has 86,400,000 of them.
package struct Timestamp: Hashable, Comparable, Sendable {
    /// The first instant that can be written: 0000-01-01T00:00:00.000Z.
    package static let earliest = Timestamp(milliseconds: -62_167_219_200_000)
    /// The last instant that can be written: 9999-12-31T23:59:59.999Z.
    package static let latest = Timestamp(milliseconds: 253_402_300_799_999)
    /// The length of a day; leap seconds don't count.
    package static let millisecondsPerDay: Int64 = 86_400_000

    package let milliseconds: Int64

    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Returns the time of the system's clock.
    package static func now() -> Timestamp {
        Timestamp(reading: CLOCK_REALTIME)
    }

    /// Returns the current time to within a few ms (clock_gettime(2)).
    ///
    /// It is cheaper than `now`, because it doesn't read the processor's counter.
    package static func recent() -> Timestamp {
        Timestamp(reading: CLOCK_REALTIME_COARSE)
    }

    private init(reading clock: clockid_t) {
        var time = timespec()
        // Safe: the call only fills `time`. It can't fail, since these clocks always exist.
        unsafe clock_gettime(clock, &time)
        milliseconds = Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// Whether it is midnight in UTC.
    package var isMidnight: Bool { milliseconds % Self.millisecondsPerDay == 0 }

    /// The first midnight in UTC after it, or the latest time that fits 64 bits.
    package var nextMidnight: Timestamp {
        let rest = milliseconds % Self.millisecondsPerDay
        let missing = rest < 0 ? -rest : Self.millisecondsPerDay - rest
        let (next, overflow) = milliseconds.addingReportingOverflow(missing)
        return Timestamp(milliseconds: overflow ? .max : next)
    }

    package static func < (earlier: Timestamp, later: Timestamp) -> Bool {
        earlier.milliseconds < later.milliseconds
    }
}
