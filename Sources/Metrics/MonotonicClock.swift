import Glibc

/// A monotonic clock for durations.
package enum MonotonicClock {
    /// Returns a monotonic time in ms.
    package static func milliseconds() -> Int64 {
        microseconds() / 1000
    }

    /// Returns a monotonic time in µs (clock_gettime(2)).
    package static func microseconds() -> Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }
}
