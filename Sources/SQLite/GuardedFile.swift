import CSQLite

/// A database file or a WAL as SQLite uses it: the system's own, except that a full disk can't end
/// the process through the index of the WAL (`MappedIndex`), and that an error of the disk is not
/// taken for a damaged database.
@safe
struct GuardedFile {
    // As in `CoalescingFile`: the head points to the index, and the base follows it.
    private let head: UnsafeMutablePointer<humon_layered_file>

    /// Opens a file by means of the system's own layer.
    static func open(
        _ layer: UnsafeMutablePointer<sqlite3_vfs>,
        _ path: UnsafePointer<CChar>?,
        _ file: UnsafeMutablePointer<sqlite3_file>,
        _ flags: Int32,
        _ outFlags: UnsafeMutablePointer<Int32>?
    ) -> Int32 {
        let opened = unsafe GuardedFile(file)
        unsafe opened.head.pointee.file.pMethods = nil
        let code = unsafe layer.pointee.xOpen(layer, path, opened.base, flags, outFlags)
        if code == SQLITE_OK {
            unsafe opened.head.pointee.state = Unmanaged.passRetained(MappedIndex()).toOpaque()
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
        return unsafe GuardedFile(file).index.isDetached
    }

    private init(_ file: UnsafeMutablePointer<sqlite3_file>) {
        unsafe head = UnsafeMutableRawPointer(file)
            .assumingMemoryBound(to: humon_layered_file.self)
    }

    private var base: UnsafeMutablePointer<sqlite3_file> {
        unsafe (UnsafeMutableRawPointer(head) + CoalescingFile.baseOffset)
            .assumingMemoryBound(to: sqlite3_file.self)
    }

    private var baseMethods: sqlite3_io_methods {
        // An open file has methods.
        unsafe base.pointee.pMethods.pointee
    }

    private var index: MappedIndex {
        unsafe Unmanaged<MappedIndex>.fromOpaque(head.pointee.state).takeUnretainedValue()
    }

    private func close() -> Int32 {
        index.removeAll()
        unsafe Unmanaged<MappedIndex>.fromOpaque(head.pointee.state).release()
        return unsafe baseMethods.xClose(base)
    }

    private func mapPart(
        _ number: Int32,
        _ size: Int32,
        _ extends: Int32,
        _ part: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    ) -> Int32 {
        let index = index
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

    private static func with(
        _ file: UnsafeMutablePointer<sqlite3_file>?,
        _ body: (UnsafeMutablePointer<sqlite3_file>, sqlite3_io_methods) -> Int32
    ) -> Int32 {
        guard let file = unsafe file else { return SQLITE_MISUSE }
        let opened = unsafe GuardedFile(file)
        return unsafe body(opened.base, opened.baseMethods)
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
            return unsafe GuardedFile(file).close()
        }
        unsafe methods.xRead = { file, buffer, count, offset in
            readOutcome(
                unsafe GuardedFile.with(file) { unsafe $1.xRead($0, buffer, count, offset) }
            )
        }
        unsafe methods.xWrite = { file, buffer, count, offset in
            unsafe GuardedFile.with(file) { unsafe $1.xWrite($0, buffer, count, offset) }
        }
        unsafe methods.xTruncate = { file, size in
            unsafe GuardedFile.with(file) { unsafe $1.xTruncate($0, size) }
        }
        unsafe methods.xSync = { file, flags in
            unsafe GuardedFile.with(file) { unsafe $1.xSync($0, flags) }
        }
        unsafe methods.xFileSize = { file, size in
            unsafe GuardedFile.with(file) { unsafe $1.xFileSize($0, size) }
        }
        unsafe methods.xLock = { file, level in
            unsafe GuardedFile.with(file) { unsafe $1.xLock($0, level) }
        }
        unsafe methods.xUnlock = { file, level in
            unsafe GuardedFile.with(file) { unsafe $1.xUnlock($0, level) }
        }
        unsafe methods.xCheckReservedLock = { file, result in
            unsafe GuardedFile.with(file) { unsafe $1.xCheckReservedLock($0, result) }
        }
        unsafe methods.xFileControl = { file, operation, argument in
            unsafe GuardedFile.with(file) { unsafe $1.xFileControl($0, operation, argument) }
        }
        unsafe methods.xSectorSize = { file in
            unsafe GuardedFile.with(file) { unsafe $1.xSectorSize($0) }
        }
        unsafe methods.xDeviceCharacteristics = { file in
            unsafe GuardedFile.with(file) { unsafe $1.xDeviceCharacteristics($0) }
        }
        if hasIndex { addIndex(to: &methods) }
        let table = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        unsafe table.initialize(to: methods)
        return unsafe UnsafePointer(table)
    }

    private static func addIndex(to methods: inout sqlite3_io_methods) {
        unsafe methods.xShmMap = { file, number, size, extends, part in
            guard let file = unsafe file, let part = unsafe part else { return SQLITE_MISUSE }
            return unsafe GuardedFile(file).mapPart(number, size, extends, part)
        }
        unsafe methods.xShmLock = { file, first, count, flags in
            guard let file = unsafe file else { return SQLITE_MISUSE }
            let isDetached = unsafe GuardedFile(file).index.isDetached
            if isDetached, flags & SQLITE_SHM_LOCK != 0 { return MappedIndex.failure }
            return unsafe GuardedFile.with(file) { unsafe $1.xShmLock($0, first, count, flags) }
        }
        unsafe methods.xShmBarrier = { file in
            _ = unsafe GuardedFile.with(file) { base, methods in
                unsafe methods.xShmBarrier(base)
                return SQLITE_OK
            }
        }
        unsafe methods.xShmUnmap = { file, deletes in
            guard let file = unsafe file else { return SQLITE_MISUSE }
            unsafe GuardedFile(file).index.removeAll()
            return unsafe GuardedFile.with(file) { unsafe $1.xShmUnmap($0, deletes) }
        }
    }
}
