import CLinux
import System
import Glibc

/// The resources of the machine and the process.
package enum Machine {
    /// The number of active cores, at least 1.
    package static var coreCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    /// Who runs a command, such as `cli:ana`: behind sudo, the user who called it.
    package static var actor: String {
        let caller = unsafe getenv("SUDO_USER").map { text in unsafe String(cString: text) }
        // The text belongs to the system until its next call, so it is copied immediately.
        let user = unsafe getpwuid(geteuid()).map { entry in
            unsafe String(cString: entry.pointee.pw_name)
        }
        return "cli:" + (caller ?? user ?? "uid \(geteuid())")
    }

    /// The memory that the process uses, in bytes; 0 if it is unknown.
    static var residentBytes: Int {
        let fields =
            (try? SmallFile.text(at: "/proc/self/statm")).map { $0.split(separator: " ") } ?? []
        guard fields.count > 1, let pages = Int(fields[1]) else { return 0 }
        return pages * max(1, sysconf(Int32(_SC_PAGESIZE)))
    }

    /// The memory that the process can use, in bytes; nil if it is unknown.
    ///
    /// It is that of the machine, or the lowest limit of its control groups (cgroup v2).
    package static var memoryBytes: Int? {
        let pages = sysconf(Int32(_SC_PHYS_PAGES))
        let (bytes, overflow) = pages.multipliedReportingOverflow(by: sysconf(Int32(_SC_PAGESIZE)))
        guard pages > 0, !overflow else { return nil }
        return controlGroups.reduce(bytes) { least, group in
            let text = try? SmallFile.text(at: "/sys/fs/cgroup\(group)/memory.max")
            let limit = text.flatMap { Int($0.prefix { $0 != "\n" }) }
            return min(least, limit ?? least)
        }
    }

    /// The paths of the control groups that the process is in, each with the ones that contain it.
    ///
    /// A container may see its own as the root.
    private static var controlGroups: [String] {
        let lines =
            (try? SmallFile.text(at: "/proc/self/cgroup")).map { $0.split(separator: "\n") } ?? []
        // cgroups(7): the only hierarchy of version 2 has the number 0.
        guard let own = lines.first(where: { $0.hasPrefix("0::/") })?.dropFirst(3) else {
            return [""]
        }
        var path = ""
        return [""]
            + own.split(separator: "/").map { name in
                path += "/" + name
                return path
            }
    }

    /// The greatest number of descriptors that the process can open; nil if it is unknown.
    static var descriptorLimit: Int? {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard unsafe getrlimit(resource, &limit) == 0 else { return nil }
        return Int(clamping: limit.rlim_max)
    }

    /// Whether the clock is synchronised with another one (adjtimex(2)); nil if it is unknown.
    static var clockIsSynchronised: Bool? {
        var state = timex()
        guard unsafe adjtimex(&state) >= 0 else { return nil }
        return state.status & STA_UNSYNC == 0
    }
}
