#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// What this machine has.
enum Machine {
    /// The cores that are in use, at least 1.
    static var coreCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
}
