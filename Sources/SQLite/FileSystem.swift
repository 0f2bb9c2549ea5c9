import CSQLite
import Glibc

/// The VFS layers on top of SQLite's own (<https://sqlite.org/vfs.html>).
package enum FileSystem {
    /// The name of the layer that guards the WAL's index (`MappedIndex`); nil if it can't be
    /// registered.
    package static let guarded: String? = unsafe register(
        "humon-guarded",
        { _, path, file, flags, outFlags in
            unsafe FileSystem.open(path, file, flags, outFlags) { _, _ in FileState() }
        }
    )

    /// The name of the layer that also keeps the database's file from getting shorter.
    ///
    /// A checkpoint beside the writer would otherwise give back the space that the writer has just
    /// reserved for its transaction (`ReservedSpace`).
    static let copying: String? = unsafe register(
        "humon-copying",
        { _, path, file, flags, outFlags in
            unsafe FileSystem.open(path, file, flags, outFlags) { _, isWAL in
                isWAL ? FileState() : KeptLength()
            }
        }
    )

    /// The name of the layer that also coalesces writes to the WAL; nil if it can't be registered.
    ///
    /// SQLite writes each WAL frame as two small writes, which took a third of the writer thread's
    /// time for a batch of inserts. This layer buffers them until the file is synced, read,
    /// measured or truncated, or until something is written elsewhere. Use it only for connections
    /// that sync the WAL before other connections see the commit: those with `synchronous` FULL or
    /// EXTRA.
    package static let coalescing: String? = unsafe register(
        "humon-coalescing",
        { _, path, file, flags, outFlags in
            unsafe FileSystem.open(path, file, flags, outFlags) { name, isWAL in
                isWAL ? PendingWrites(name) : FileState()
            }
        }
    )

    private static func open(
        _ path: UnsafePointer<CChar>?,
        _ file: UnsafeMutablePointer<sqlite3_file>?,
        _ flags: Int32,
        _ outFlags: UnsafeMutablePointer<Int32>?,
        _ state: (_ name: String, _ isWAL: Bool) -> FileState
    ) -> Int32 {
        guard let base = unsafe sqlite3_vfs_find(nil), let file = unsafe file else {
            return SQLITE_CANTOPEN
        }
        // Only temporary files have no path.
        let name = unsafe path.map { unsafe String(cString: $0) } ?? ""
        let isWAL = flags & SQLITE_OPEN_WAL != 0
        guard isWAL || flags & SQLITE_OPEN_MAIN_DB != 0 else {
            return unsafe base.pointee.xOpen(base, path, file, flags, outFlags)
        }
        return unsafe LayeredFile.open(base, path, file, flags, outFlags, state(name, isWAL))
    }

    private typealias Open =
        @convention(c) (
            UnsafeMutablePointer<sqlite3_vfs>?, UnsafePointer<CChar>?,
            UnsafeMutablePointer<sqlite3_file>?, Int32, UnsafeMutablePointer<Int32>?
        ) -> Int32

    private static func register(_ name: String, _ open: @escaping Open) -> String? {
        _ = Library.isConfigured
        guard let base = unsafe sqlite3_vfs_find(nil), let copy = unsafe strdup(name) else {
            return nil
        }
        // Both exist until the process ends.
        let layer = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        unsafe layer.initialize(to: base.pointee)
        unsafe layer.pointee.pNext = nil
        unsafe layer.pointee.zName = UnsafePointer(copy)
        unsafe layer.pointee.szOsFile += Int32(LayeredFile.baseOffset)
        unsafe layer.pointee.xOpen = open
        return unsafe sqlite3_vfs_register(layer, 0) == SQLITE_OK ? name : nil
    }
}

/// The state of a database's file that never gets shorter.
private final class KeptLength: FileState {
    override var canShrink: Bool { false }
}
