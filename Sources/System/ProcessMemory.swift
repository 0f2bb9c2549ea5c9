import CLinux

/// The memory of this process.
package enum ProcessMemory {
    /// Returns unused memory to the system (malloc_trim(3)).
    package static func trim() { malloc_trim(0) }
}
