import Glibc

/// The time that passes, whatever the clock on the wall is set to.
enum Clock {
    /// Milliseconds since some moment in the past.
    static var milliseconds: Int64 {
        var time = timespec()
        // It cannot fail for this clock, which every Linux has.
        _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) &* 1000 &+ Int64(time.tv_nsec) / 1_000_000
    }
}
