import CSQLite

/// A database file or WAL on top of SQLite's own, extended by a `FileState`
/// (<https://sqlite.org/c3ref/io_methods.html>).
///
/// It keeps a full disk from ending the process (`MappedIndex`), and disk errors from looking like
/// a damaged database.
@safe
struct LayeredFile {
    // SQLite allocates `szOsFile` bytes for each file and frees them after xClose. They contain the
    // head, which points to the state, and then the base, SQLite's own file.
    private let head: UnsafeMutablePointer<humon_layered_file>

    /// The offset of the base, in bytes.
    static let baseOffset = unsafe MemoryLayout<humon_layered_file>.size

    /// Opens a file through SQLite's own VFS.
    static func open(
        _ layer: UnsafeMutablePointer<sqlite3_vfs>,
        _ path: UnsafePointer<CChar>?,
        _ file: UnsafeMutablePointer<sqlite3_file>,
        _ flags: Int32,
        _ outFlags: UnsafeMutablePointer<Int32>?,
        _ state: @autoclosure () -> FileState
    ) -> Int32 {
        let opened = unsafe LayeredFile(file)
        unsafe opened.head.pointee.file.pMethods = nil
        let code = unsafe layer.pointee.xOpen(layer, path, opened.base, flags, outFlags)
        if code == SQLITE_OK {
            unsafe opened.head.pointee.state = Unmanaged.passRetained(state()).toOpaque()
            let hasIndex =
                unsafe opened.baseMethods.iVersion >= 2
                && opened.baseMethods.xShmMap != nil
            unsafe opened.head.pointee.file.pMethods = hasIndex ? methods : methodsWithoutIndex
        }
        return code
    }

    /// Returns whether other connections can no longer see what this one writes to the WAL's index.
    static func isDetached(_ file: UnsafeMutablePointer<sqlite3_file>) -> Bool {
        guard unsafe file.pointee.pMethods == methods else { return false }
        return unsafe LayeredFile(file).state.index.isDetached
    }

    private init(_ file: UnsafeMutablePointer<sqlite3_file>) {
        unsafe head = UnsafeMutableRawPointer(file)
            .assumingMemoryBound(to: humon_layered_file.self)
    }

    private var base: UnsafeMutablePointer<sqlite3_file> {
        unsafe (UnsafeMutableRawPointer(head) + Self.baseOffset)
            .assumingMemoryBound(to: sqlite3_file.self)
    }

    private var baseMethods: sqlite3_io_methods {
        // An open file always has methods.
        unsafe base.pointee.pMethods.pointee
    }

    private var state: FileState {
        unsafe Unmanaged<FileState>.fromOpaque(head.pointee.state).takeUnretainedValue()
    }

    /// Passes bytes to SQLite's own file.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Int32 {
        unsafe baseMethods.xWrite(base, bytes.baseAddress, Int32(clamping: bytes.count), offset)
    }

    /// The size of the open file in bytes; 0 if it can't be read.
    var byteCount: Int64 {
        var size: sqlite3_int64 = 0
        let code = unsafe baseMethods.xFileSize(base, &size)
        return code == SQLITE_OK ? size : 0
    }

    private func close() -> Int32 {
        let prepared = state.prepare(self)
        state.index.removeAll()
        unsafe Unmanaged<FileState>.fromOpaque(head.pointee.state).release()
        let closed = unsafe baseMethods.xClose(base)
        return prepared == SQLITE_OK ? closed : prepared
    }

    private func mapPart(
        _ number: Int32,
        _ size: Int32,
        _ extends: Int32,
        _ part: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    ) -> Int32 {
        let index = state.index
        if index.isDetached { return MappedIndex.failure }
        if let known = unsafe index.part(number) {
            unsafe part.pointee = known
            return SQLITE_OK
        }
        let code = unsafe baseMethods.xShmMap(base, number, size, extends, part)
        guard code == SQLITE_OK, let shared = unsafe part.pointee else { return code }
        unsafe part.pointee = unsafe index.map(number, shared, Int(size), mustFit: extends != 0)
        return unsafe part.pointee == nil ? MappedIndex.failure : SQLITE_OK
    }

    /// Calls `body` with the base.
    private static func with(
        _ file: UnsafeMutablePointer<sqlite3_file>?,
        _ body: (UnsafeMutablePointer<sqlite3_file>, sqlite3_io_methods) -> Int32
    ) -> Int32 {
        guard let file = unsafe file else { return SQLITE_MISUSE }
        let opened = unsafe LayeredFile(file)
        return unsafe body(opened.base, opened.baseMethods)
    }

    /// Calls `body` with the base after the state has been prepared.
    private static func withPrepared(
        _ file: UnsafeMutablePointer<sqlite3_file>?,
        _ body: (UnsafeMutablePointer<sqlite3_file>, sqlite3_io_methods) -> Int32
    ) -> Int32 {
        guard let file = unsafe file else { return SQLITE_MISUSE }
        let opened = unsafe LayeredFile(file)
        let code = opened.state.prepare(opened)
        return code == SQLITE_OK ? unsafe body(opened.base, opened.baseMethods) : code
    }

    // Created once and never changed.
    private nonisolated(unsafe) static let methods = unsafe table(hasIndex: true)
    // Created once and never changed.
    private nonisolated(unsafe) static let methodsWithoutIndex = unsafe table(hasIndex: false)

    private static func table(hasIndex: Bool) -> UnsafePointer<sqlite3_io_methods> {
        var methods = sqlite3_io_methods()
        methods.iVersion = hasIndex ? 2 : 1
        unsafe methods.xClose = { file in
            guard let file = unsafe file else { return SQLITE_MISUSE }
            return unsafe LayeredFile(file).close()
        }
        unsafe methods.xRead = { file, buffer, count, offset in
            LayeredFile.readOutcome(
                unsafe LayeredFile.withPrepared(file) { unsafe $1.xRead($0, buffer, count, offset) }
            )
        }
        unsafe methods.xWrite = { file, buffer, count, offset in
            guard let file = unsafe file else { return SQLITE_MISUSE }
            let opened = unsafe LayeredFile(file)
            let bytes = unsafe UnsafeRawBufferPointer(start: buffer, count: Int(max(0, count)))
            return unsafe opened.state.write(bytes, at: offset, to: opened)
        }
        unsafe methods.xTruncate = { file, size in
            guard let file = unsafe file else { return SQLITE_MISUSE }
            guard unsafe LayeredFile(file).state.canShrink else { return SQLITE_OK }
            return unsafe LayeredFile.withPrepared(file) { unsafe $1.xTruncate($0, size) }
        }
        unsafe methods.xSync = { file, flags in
            unsafe LayeredFile.withPrepared(file) { unsafe $1.xSync($0, flags) }
        }
        unsafe methods.xFileSize = { file, size in
            unsafe LayeredFile.withPrepared(file) { unsafe $1.xFileSize($0, size) }
        }
        unsafe methods.xLock = { file, level in
            unsafe LayeredFile.withPrepared(file) { unsafe $1.xLock($0, level) }
        }
        unsafe methods.xUnlock = { file, level in
            unsafe LayeredFile.withPrepared(file) { unsafe $1.xUnlock($0, level) }
        }
        unsafe methods.xCheckReservedLock = { file, result in
            unsafe LayeredFile.withPrepared(file) { unsafe $1.xCheckReservedLock($0, result) }
        }
        unsafe methods.xFileControl = { file, operation, argument in
            unsafe LayeredFile.withPrepared(file) {
                unsafe $1.xFileControl($0, operation, argument)
            }
        }
        unsafe methods.xSectorSize = { file in
            unsafe LayeredFile.with(file) { unsafe $1.xSectorSize($0) }
        }
        unsafe methods.xDeviceCharacteristics = { file in
            unsafe LayeredFile.with(file) { unsafe $1.xDeviceCharacteristics($0) }
        }
        if hasIndex { addIndex(to: &methods) }
        let table = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        unsafe table.initialize(to: methods)
        return unsafe UnsafePointer(table)
    }

    private static func addIndex(to methods: inout sqlite3_io_methods) {
        unsafe methods.xShmMap = { file, number, size, extends, part in
            guard let file = unsafe file, let part = unsafe part else { return SQLITE_MISUSE }
            return unsafe LayeredFile(file).mapPart(number, size, extends, part)
        }
        unsafe methods.xShmLock = { file, first, count, flags in
            guard let file = unsafe file else { return SQLITE_MISUSE }
            let isDetached = unsafe LayeredFile(file).state.index.isDetached
            if isDetached, flags & SQLITE_SHM_LOCK != 0 { return MappedIndex.failure }
            return unsafe LayeredFile.with(file) { unsafe $1.xShmLock($0, first, count, flags) }
        }
        unsafe methods.xShmBarrier = { file in
            _ = unsafe LayeredFile.with(file) { base, methods in
                unsafe methods.xShmBarrier(base)
                return SQLITE_OK
            }
        }
        unsafe methods.xShmUnmap = { file, deletes in
            guard let file = unsafe file else { return SQLITE_MISUSE }
            unsafe LayeredFile(file).state.index.removeAll()
            return unsafe LayeredFile.with(file) { unsafe $1.xShmUnmap($0, deletes) }
        }
    }

    /// Replaces result codes of reads that would hide a disk error.
    ///
    /// SQLite reports some disk errors as a damaged database (`SQLITE_IOERR_CORRUPTFS`), although
    /// the next read may succeed.
    private static func readOutcome(_ code: Int32) -> Int32 {
        let isDiskError = code == SQLITE_IOERR | (33 << 8)
        return isDiskError ? SQLITE_IOERR | (1 << 8) : code
    }
}

/// The state of one open file, which SQLite uses on one thread at a time.
///
/// This base class passes everything on.
class FileState {
    /// The WAL's index as mapped by the connection of this file.
    let index = MappedIndex()

    /// Whether SQLite can truncate the file.
    var canShrink: Bool { true }

    /// Passes on buffered writes, before any call that could notice that they are missing.
    ///
    /// - Returns: A result code of SQLite; if it is not `SQLITE_OK`, the call fails with it.
    func prepare(_ file: LayeredFile) -> Int32 { SQLITE_OK }

    /// Writes or buffers bytes.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64, to file: LayeredFile) -> Int32 {
        unsafe file.write(bytes, at: offset)
    }
}
