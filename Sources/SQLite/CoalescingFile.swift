import CSQLite

/// A WAL on its way to the disk: the methods by which SQLite uses it
/// (<https://sqlite.org/c3ref/io_methods.html>), each of which passes on what waits before it does
/// anything that could tell that it waits.
@safe
struct CoalescingFile {
    // SQLite gives `szOsFile` bytes for each file, and lets go of them after xClose: the head,
    // which points to what waits, and then the base, which is the system's own file.
    private let head: UnsafeMutablePointer<humon_layered_file>

    /// How many bytes lie before the base.
    static let baseOffset = unsafe MemoryLayout<humon_layered_file>.size

    /// Opens a WAL by means of the system's own layer.
    static func open(
        _ layer: UnsafeMutablePointer<sqlite3_vfs>,
        _ path: UnsafePointer<CChar>?,
        _ file: UnsafeMutablePointer<sqlite3_file>,
        _ flags: Int32,
        _ outFlags: UnsafeMutablePointer<Int32>?
    ) -> Int32 {
        let opened = unsafe CoalescingFile(file)
        unsafe opened.head.pointee.file.pMethods = nil
        let code = unsafe layer.pointee.xOpen(layer, path, opened.base, flags, outFlags)
        if code == SQLITE_OK {
            unsafe opened.head.pointee.state = Unmanaged.passRetained(PendingWrites()).toOpaque()
            unsafe opened.head.pointee.file.pMethods = methods
        }
        return code
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

    private var pending: PendingWrites {
        unsafe Unmanaged<PendingWrites>.fromOpaque(head.pointee.state).takeUnretainedValue()
    }

    private func close() -> Int32 {
        let flushed = flush()
        unsafe Unmanaged<PendingWrites>.fromOpaque(head.pointee.state).release()
        let closed = unsafe baseMethods.xClose(base)
        return flushed == SQLITE_OK ? closed : flushed
    }

    private func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Int32 {
        let pending = pending
        if !pending.canTake(bytes.count, at: offset) {
            let code = flush()
            guard code == SQLITE_OK else { return code }
            guard bytes.count <= PendingWrites.capacity else {
                return unsafe writeNow(bytes, at: offset)
            }
        }
        unsafe pending.append(bytes, at: offset)
        return SQLITE_OK
    }

    /// Passes on what waits; if that fails, it is forgotten, as what SQLite could not write is.
    private func flush() -> Int32 {
        let pending = pending
        guard !pending.bytes.isEmpty else { return SQLITE_OK }
        defer { pending.bytes.removeAll(keepingCapacity: true) }
        return unsafe pending.bytes.withUnsafeBytes { bytes in
            unsafe writeNow(bytes, at: pending.offset)
        }
    }

    private func writeNow(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Int32 {
        unsafe baseMethods.xWrite(base, bytes.baseAddress, Int32(clamping: bytes.count), offset)
    }

    /// Does something with the base once nothing waits.
    private static func afterFlush(
        _ file: UnsafeMutablePointer<sqlite3_file>?,
        _ body: (UnsafeMutablePointer<sqlite3_file>, sqlite3_io_methods) -> Int32
    ) -> Int32 {
        guard let file = unsafe file else { return SQLITE_MISUSE }
        let opened = unsafe CoalescingFile(file)
        let code = opened.flush()
        return code == SQLITE_OK ? unsafe body(opened.base, opened.baseMethods) : code
    }

    // Made once and never changed.
    private nonisolated(unsafe) static let methods: UnsafePointer<sqlite3_io_methods> = {
        var methods = sqlite3_io_methods()
        // The later versions add what only a database file needs.
        methods.iVersion = 1
        unsafe methods.xClose = { file in
            guard let file = unsafe file else { return SQLITE_MISUSE }
            return unsafe CoalescingFile(file).close()
        }
        unsafe methods.xRead = { file, buffer, count, offset in
            readOutcome(
                unsafe afterFlush(file) { unsafe $1.xRead($0, buffer, count, offset) }
            )
        }
        unsafe methods.xWrite = { file, buffer, count, offset in
            guard let file = unsafe file else { return SQLITE_MISUSE }
            let bytes = unsafe UnsafeRawBufferPointer(start: buffer, count: Int(max(0, count)))
            return unsafe CoalescingFile(file).write(bytes, at: offset)
        }
        unsafe methods.xTruncate = { file, size in
            unsafe afterFlush(file) { unsafe $1.xTruncate($0, size) }
        }
        unsafe methods.xSync = { file, flags in
            unsafe afterFlush(file) { unsafe $1.xSync($0, flags) }
        }
        unsafe methods.xFileSize = { file, size in
            unsafe afterFlush(file) { unsafe $1.xFileSize($0, size) }
        }
        unsafe methods.xLock = { file, level in
            unsafe afterFlush(file) { unsafe $1.xLock($0, level) }
        }
        unsafe methods.xUnlock = { file, level in
            unsafe afterFlush(file) { unsafe $1.xUnlock($0, level) }
        }
        unsafe methods.xCheckReservedLock = { file, result in
            unsafe afterFlush(file) { unsafe $1.xCheckReservedLock($0, result) }
        }
        unsafe methods.xFileControl = { file, operation, argument in
            unsafe afterFlush(file) { unsafe $1.xFileControl($0, operation, argument) }
        }
        unsafe methods.xSectorSize = { file in
            guard let file = unsafe file else { return 0 }
            let opened = unsafe CoalescingFile(file)
            return unsafe opened.baseMethods.xSectorSize(opened.base)
        }
        unsafe methods.xDeviceCharacteristics = { file in
            guard let file = unsafe file else { return 0 }
            let opened = unsafe CoalescingFile(file)
            return unsafe opened.baseMethods.xDeviceCharacteristics(opened.base)
        }
        let table = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        unsafe table.initialize(to: methods)
        return unsafe UnsafePointer(table)
    }()
}

/// Bytes that were written to a WAL and not yet passed on; one run without gaps.
private final class PendingWrites {
    /// The most that waits; the system's own layer takes less than 128 KiB at a time.
    static let capacity = 0x1_0000

    var bytes: [UInt8] = []
    /// Where in the file they begin.
    private(set) var offset: Int64 = 0

    /// Whether what is written there can be added to what waits.
    func canTake(_ count: Int, at offset: Int64) -> Bool {
        let isNext = bytes.isEmpty || offset == self.offset + Int64(bytes.count)
        return isNext && bytes.count + count <= Self.capacity
    }

    func append(_ addition: UnsafeRawBufferPointer, at offset: Int64) {
        if bytes.isEmpty { self.offset = offset }
        unsafe bytes.append(contentsOf: addition)
    }
}
