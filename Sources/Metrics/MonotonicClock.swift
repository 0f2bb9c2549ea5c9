import Glibc

/// A clock for durations.
package enum MonotonicClock {
    /// µs since some moment in the past; never goes back (clock_gettime(2)).
    package static func microseconds() -> Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }
}
