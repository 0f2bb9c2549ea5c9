import CSQLite
import Glibc

/// A layer over SQLite's own access to files (<https://sqlite.org/vfs.html>) that hands the system
/// the frames of a WAL in few large writes instead of two small ones for each page, which were a
/// third of what the writer's thread had to do for a batch of inserts.
///
/// What is written waits in memory until the file is synced, read, measured or cut, or until
/// something is written elsewhere. So it may serve only a connection that syncs the WAL before it
/// lets others see what it holds: one with `synchronous` FULL or EXTRA. All other files are left to
/// SQLite.
package enum CoalescingFileSystem {
    /// The name by which a connection asks for it, or nil if it could not be made.
    package static let name: String? = register()

    private static func register() -> String? {
        _ = Library.isConfigured
        guard let base = unsafe sqlite3_vfs_find(nil),
            let name = unsafe strdup("humon-coalescing")
        else { return nil }
        // Both live as long as the process.
        let layer = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        unsafe layer.initialize(to: base.pointee)
        unsafe layer.pointee.pNext = nil
        unsafe layer.pointee.zName = UnsafePointer(name)
        unsafe layer.pointee.szOsFile += Int32(CoalescingFile.baseOffset)
        unsafe layer.pointee.xOpen = { _, path, file, flags, outFlags in
            guard let base = unsafe sqlite3_vfs_find(nil), let file = unsafe file else {
                return SQLITE_CANTOPEN
            }
            guard flags & SQLITE_OPEN_WAL != 0 else {
                return unsafe base.pointee.xOpen(base, path, file, flags, outFlags)
            }
            return unsafe CoalescingFile.open(base, path, file, flags, outFlags)
        }
        return unsafe sqlite3_vfs_register(layer, 0) == SQLITE_OK ? "humon-coalescing" : nil
    }
}
