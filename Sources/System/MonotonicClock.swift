import Glibc

/// A monotonic clock for durations (clock_gettime(2)).
package enum MonotonicClock {
    /// Returns a monotonic time in ms.
    package static func milliseconds() -> Int64 {
        microseconds() / 1000
    }

    /// Returns a monotonic time in µs.
    package static func microseconds() -> Int64 {
        microseconds(of: CLOCK_MONOTONIC)
    }

    /// Returns what `milliseconds` was at most some ms ago, without reading the hardware clock.
    package static func recentMilliseconds() -> Int64 {
        microseconds(of: CLOCK_MONOTONIC_COARSE) / 1000
    }

    private static func microseconds(of clock: clockid_t) -> Int64 {
        var time = timespec()
        // Safe: the call only fills `time`. It can't fail, since these clocks always exist.
        unsafe clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }
}
