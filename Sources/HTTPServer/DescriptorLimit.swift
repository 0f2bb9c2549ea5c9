import Glibc

/// The number of descriptors that the process may have open (getrlimit(2)).
enum DescriptorLimit {
    /// The minimum for the database, the log, the administration and a backup.
    private static let base = 24
    /// The descriptors of an event loop: epoll set, wake-up, and the two files of its reader.
    private static let forLoop = 4
    /// A reserve for the administration's connections, if there are enough descriptors.
    private static let spare = 40
    /// The minimum for connections; with fewer, the server does not start.
    private static let fewest = 8
    /// The divisor of the remaining descriptors that gives those for rejected connections.
    private static let turnedAwayShare = 8

    /// Raises the soft limit to the hard limit; returns nil if it is unknown or unlimited.
    ///
    /// Otherwise the default of 1,024 would limit the connections.
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

    /// Returns the maximum numbers of connections that are served, and of those that are rejected.
    ///
    /// Neither number is larger than requested, and enough descriptors are left for everything
    /// else. Throws `ServerError` if there are too few.
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
