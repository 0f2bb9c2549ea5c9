import CLinux
import Glibc

/// What this machine has.
enum Machine {
    /// The cores that are in use, at least 1.
    static var coreCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    /// The memory of this process that is in use, in bytes; 0 where the system does not tell.
    static var residentBytes: Int {
        let fields =
            (try? SmallFile.text(at: "/proc/self/statm")).map { $0.split(separator: " ") } ?? []
        guard fields.count > 1, let pages = Int(fields[1]) else { return 0 }
        return pages * max(1, sysconf(Int32(_SC_PAGESIZE)))
    }

    /// The memory that the process may use: the machine's, or less where its control group
    /// (cgroup v2) has a limit; nil where the system does not tell.
    static var memoryBytes: Int? {
        let pages = sysconf(Int32(_SC_PHYS_PAGES))
        let (bytes, overflow) = pages.multipliedReportingOverflow(by: sysconf(Int32(_SC_PAGESIZE)))
        guard pages > 0, !overflow else { return nil }
        let text = try? SmallFile.text(at: "/sys/fs/cgroup/memory.max")
        let limit = text.flatMap { Int($0.prefix { $0 != "\n" }) }
        return min(bytes, limit ?? bytes)
    }

    /// The most descriptors that the process may open; nil where the system does not tell.
    static var descriptorLimit: Int? {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard unsafe getrlimit(resource, &limit) == 0 else { return nil }
        return Int(clamping: limit.rlim_max)
    }

    /// Whether the clock follows another one (adjtimex(2)); nil where the system does not tell.
    static var clockIsSynchronised: Bool? {
        var state = timex()
        guard unsafe adjtimex(&state) >= 0 else { return nil }
        return state.status & STA_UNSYNC == 0
    }
}
