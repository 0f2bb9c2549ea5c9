import Glibc

/// The number of descriptors that the process may have open (getrlimit(2)).
enum DescriptorLimit {
    /// What the database, the log, the administration and a backup take at least.
    private static let base = 24
    /// What an event loop takes: its epoll set, its wake-up, and the two files of its reader.
    private static let forLoop = 4
    /// What is kept beyond that where there is plenty: for the administration's connections.
    private static let spare = 40
    /// With fewer for connections it is not worth to begin.
    private static let fewest = 8
    /// Of the descriptors that are left, one in so many is for connections that are turned away.
    private static let turnedAwayShare = 8

    /// Raises the soft limit to the hard one, as a default of 1,024 would be the connection limit,
    /// and returns it; nil if the system does not tell or has none.
    static func raise() -> Int? {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return nil
        }
        if limit.rlim_cur < limit.rlim_max {
            var raised = limit
            raised.rlim_cur = limit.rlim_max
            if unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 {
                limit = raised
            }
        }
        return limit.rlim_cur == rlim_t.max ? nil : Int(clamping: limit.rlim_cur)
    }

    /// How many connections there may be with so many descriptors, and how many more that are
    /// turned away: no more than asked for, and so many that descriptors are left for the rest.
    ///
    /// Throws `ServerError` if there are too few to serve anybody.
    static func connections(
        _ descriptors: Int?,
        loops: Int,
        wanted: Int,
        turnedAway: Int
    ) throws(ServerError) -> (served: Int, turnedAway: Int) {
        guard let descriptors else { return (wanted, turnedAway) }
        let needed = base + forLoop * loops
        guard descriptors >= needed + fewest else {
            throw ServerError(
                "The limit of \(descriptors) descriptors is too low: "
                    + "raise LimitNOFILE, or ulimit -n, to \(needed + fewest) or more."
            )
        }
        let usable = descriptors - needed - min(spare, (descriptors - needed) / 2)
        let turnedAway = max(1, min(turnedAway, usable / turnedAwayShare))
        return (max(1, min(wanted, usable - turnedAway)), turnedAway)
    }
}
