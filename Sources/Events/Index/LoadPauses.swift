/// The pauses before events are loaded again.
///
/// Another process may change the database every few seconds. Loading after each of its commits
/// would keep a core busy, and the events would hardly ever be in memory.
package struct LoadPauses {
    /// The first pause, in ms; each is twice as long as the one before.
    package static let shortest: Int64 = 500
    /// The longest pause in ms, and how long the events must have been usable for the pauses to
    /// begin with the shortest one again.
    package static let longest: Int64 = 30_000

    /// The time from the end of a load to the beginning of the next, in ms; 0 before the first one.
    private var pause: Int64 = 0
    /// When the latest load has ended, in ms of the monotonic clock.
    private var lastEnd: Int64?

    package init() {}

    /// Returns how long to wait before the next load, in ms, if it is needed from now on.
    package mutating func wait(now: Int64) -> Int64 {
        guard let lastEnd, now &- lastEnd < Self.longest else {
            pause = 0
            return 0
        }
        pause = pause == 0 ? Self.shortest : min(2 * pause, Self.longest)
        return max(0, pause &- (now &- lastEnd))
    }

    /// Notes that a load has ended.
    package mutating func noteEnd(now: Int64) {
        lastEnd = now
    }
}
