import Glibc

/// The number of descriptors that the process may have open (getrlimit(2)).
enum DescriptorLimit {
    /// Raises the soft limit to the hard one: a default of 1,024 would be the connection limit.
    static func raise() {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return
        }
        limit.rlim_cur = limit.rlim_max
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
