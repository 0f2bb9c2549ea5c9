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
}
