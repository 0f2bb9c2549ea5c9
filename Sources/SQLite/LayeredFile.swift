import CSQLite

/// A database file or a WAL as SQLite uses it: the system's own, with what a `FileState` adds to it
/// (<https://sqlite.org/c3ref/io_methods.html>).
///
/// A full disk can't end the process through the index of the WAL (`MappedIndex`), and an error of
/// the disk is not taken for a damaged database.
@safe
struct LayeredFile {
    // SQLite gives `szOsFile` bytes for each file, and lets go of them after xClose: the head,
    // which points to the state, and then the base, which is the system's own file.
    private let head: UnsafeMutablePointer<humon_layered_file>

    /// How many bytes lie before the base.
    static let baseOffset = unsafe MemoryLayout<humon_layered_file>.size

    /// Opens a file by means of the system's own layer.
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

    /// Whether what this connection writes to the index of the WAL reaches no other one any more.
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
        // An open file has methods.
        unsafe base.pointee.pMethods.pointee
    }

    private var state: FileState {
        unsafe Unmanaged<FileState>.fromOpaque(head.pointee.state).takeUnretainedValue()
    }

    /// Hands bytes to the system's own layer.
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

    /// Does something with the base.
    private static func with(
        _ file: UnsafeMutablePointer<sqlite3_file>?,
        _ body: (UnsafeMutablePointer<sqlite3_file>, sqlite3_io_methods) -> Int32
    ) -> Int32 {
        guard let file = unsafe file else { return SQLITE_MISUSE }
        let opened = unsafe LayeredFile(file)
        return unsafe body(opened.base, opened.baseMethods)
    }

    /// Does something with the base once the state is prepared for it.
    private static func withPrepared(
        _ file: UnsafeMutablePointer<sqlite3_file>?,
        _ body: (UnsafeMutablePointer<sqlite3_file>, sqlite3_io_methods) -> Int32
    ) -> Int32 {
        guard let file = unsafe file else { return SQLITE_MISUSE }
        let opened = unsafe LayeredFile(file)
        let code = opened.state.prepare(opened)
        return code == SQLITE_OK ? unsafe body(opened.base, opened.baseMethods) : code
    }

    // Both are made once and never changed.
    private nonisolated(unsafe) static let methods = unsafe table(hasIndex: true)
    // As above.
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
            unsafe LayeredFile.withPrepared(file) { unsafe $1.xTruncate($0, size) }
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

    /// What a read came to, told as what it is: SQLite takes some of the disk's errors for a
    /// damaged database (`SQLITE_IOERR_CORRUPTFS`), though the next read may well succeed.
    private static func readOutcome(_ code: Int32) -> Int32 {
        let isDiskError = code == SQLITE_IOERR | (33 << 8)
        return isDiskError ? SQLITE_IOERR | (1 << 8) : code
    }
}

/// What belongs to one open file, which SQLite uses on one thread at a time.
///
/// This one passes on everything.
class FileState {
    /// The index of the WAL, as the connection has it that has this file open.
    let index = MappedIndex()

    /// Passes on what waits, before anything that could tell that it waits.
    ///
    /// - Returns: A code of SQLite's; anything but `SQLITE_OK` is what the call fails of.
    func prepare(_ file: LayeredFile) -> Int32 { SQLITE_OK }

    /// Writes bytes, or takes them to write them later.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64, to file: LayeredFile) -> Int32 {
        unsafe file.write(bytes, at: offset)
    }
}
