import CSQLite
import FoundationEssentials
import Glibc
import Randomness
import SQLite
import Testing

struct PendingWritesTests {
    private let database: TemporaryDatabase
    private let path: String

    init() throws {
        database = try TemporaryDatabase()
        path = database.path + "-wal"
        // The system's layer gives a WAL the mode of its database.
        try #require(FileManager.default.createFile(atPath: database.path, contents: nil))
    }

    @Test(arguments: 1...20)
    func `is to its user as a file without it would be`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let file = try OpenFile(path)
        var expected: [UInt8] = []

        for _ in 1...300 {
            let offset = Int.random(in: 0...expected.count, using: &random)
            switch Int.random(in: 0..<12, using: &random) {
            case 0:
                #expect(file.size() == expected.count)
            case 1:
                file.truncate(offset)
                expected.removeSubrange(offset...)
            case 2:
                file.sync()
                #expect(contents(of: path) == expected)
            case 3, 4:
                let count = min(Int.random(in: 1...5000, using: &random), expected.count - offset)
                #expect(file.read(count, at: offset) == Array(expected[offset..<(offset + count)]))
            default:
                // Mostly as SQLite does it: one write after the other, and some of them large.
                let isNext = Int.random(in: 0..<8, using: &random) > 0
                let limit = Int.random(in: 0..<20, using: &random) == 0 ? 100_000 : 5000
                let bytes = (0..<Int.random(in: 1...limit, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
                let start = isNext ? expected.count : offset
                file.write(bytes, at: start)
                let end = min(start + bytes.count, expected.count)
                expected.replaceSubrange(start..<end, with: bytes)
            }
        }

        #expect(file.close() == SQLITE_OK)
        #expect(contents(of: path) == expected)
    }

    @Test func `passes on what was written when the file is synced`() throws {
        let file = try OpenFile(path)

        file.write([1, 2, 3], at: 0)
        file.write([4], at: 3)
        let before = contents(of: path)
        file.sync()

        #expect(before == [])
        #expect(contents(of: path) == [1, 2, 3, 4])
        #expect(file.close() == SQLITE_OK)
    }

    @Test func `tells whoever syncs that there was no room, and forgets what did not fit`() throws {
        let file = try OpenFile("/dev/full")
        file.write([1], at: 0)

        #expect(file.sync(expecting: SQLITE_FULL) == SQLITE_FULL)
        #expect(file.close() == SQLITE_OK)
    }

    @Test func `writes to the open WAL though a shorter file has its name`() throws {
        let file = try OpenFile(path)
        file.write([1, 2, 3], at: 0)
        file.sync()
        try #require(unsafe rename(path, path + "-moved") == 0)
        try #require(FileManager.default.createFile(atPath: path, contents: nil))

        file.write([4], at: 3)
        file.sync()

        #expect(contents(of: path + "-moved") == [1, 2, 3, 4])
        #expect(contents(of: path) == [])
        #expect(file.close() == SQLITE_OK)
    }

    @Test func `writes nothing behind a gap in a WAL that was cut off and deleted`() throws {
        let file = try OpenFile(path)
        file.write([1, 2, 3], at: 0)
        file.sync()
        try #require(unsafe link(path, path + "-kept") == 0)
        try #require(unsafe truncate(path, 0) == 0 && unlink(path) == 0)

        file.write([4], at: 3)

        #expect(file.sync(expecting: SQLITE_IOERR) == SQLITE_IOERR)
        #expect(contents(of: path + "-kept") == [])
        #expect(file.close() == SQLITE_OK)
    }

    @Test func `leaves files that are no WAL to SQLite`() throws {
        let file = try OpenFile(database.path, flags: SQLITE_OPEN_MAIN_DB)

        file.write([1], at: 0)

        #expect(contents(of: database.path) == [1])
        #expect(file.close() == SQLITE_OK)
    }

    @Test(arguments: [SQLITE_OPEN_WAL, SQLITE_OPEN_MAIN_DB], ["coalescing", "guarded"])
    func `takes an error of the disk for what it is`(flags: Int32, layer: String) throws {
        let name = layer == "guarded" ? FileSystem.guarded : FileSystem.coalescing
        // There is nothing at address 0 (proc(5)).
        let file = try OpenFile("/proc/self/mem", flags: flags, layer: name)

        #expect(file.read(at: 0) == SQLITE_IOERR | (1 << 8))
        #expect(file.close() == SQLITE_OK)
    }

    private func contents(of path: String) -> [UInt8]? {
        FileManager.default.contents(atPath: path).map(Array.init)
    }
}

/// A file as SQLite sees it.
@safe
private final class OpenFile {
    // Valid from init to deinit, as is the path, which SQLite does not copy.
    private let path: UnsafeMutablePointer<CChar>
    private let file: UnsafeMutablePointer<sqlite3_file>

    init(
        _ path: String,
        flags: Int32 = SQLITE_OPEN_WAL,
        layer: String? = FileSystem.coalescing
    ) throws {
        unsafe self.path = try unsafe #require(strdup(path))
        let name = try #require(layer)
        let layer = try unsafe #require(sqlite3_vfs_find(name))
        let memory = unsafe UnsafeMutableRawPointer.allocate(
            byteCount: Int(layer.pointee.szOsFile),
            alignment: 16
        )
        unsafe memory.initializeMemory(
            as: UInt8.self,
            repeating: 0,
            count: Int(layer.pointee.szOsFile)
        )
        unsafe file = memory.assumingMemoryBound(to: sqlite3_file.self)
        let code = unsafe layer.pointee.xOpen(
            layer,
            self.path,
            file,
            flags | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
            nil
        )
        try #require(code == SQLITE_OK)
    }

    deinit {
        unsafe file.deallocate()
        unsafe free(path)
    }

    func write(_ bytes: [UInt8], at offset: Int) {
        let code = unsafe bytes.withUnsafeBytes { bytes in
            unsafe file.pointee.pMethods.pointee.xWrite(
                file,
                bytes.baseAddress,
                Int32(bytes.count),
                Int64(offset)
            )
        }
        #expect(code == SQLITE_OK)
    }

    func read(_ count: Int, at offset: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let code = unsafe bytes.withUnsafeMutableBytes { bytes in
            unsafe file.pointee.pMethods.pointee.xRead(
                file,
                bytes.baseAddress,
                Int32(count),
                Int64(offset)
            )
        }
        #expect(code == SQLITE_OK)
        return bytes
    }

    /// The code of a read of one byte.
    func read(at offset: Int64) -> Int32 {
        var byte: UInt8 = 0
        return unsafe file.pointee.pMethods.pointee.xRead(file, &byte, 1, offset)
    }

    func truncate(_ size: Int) {
        #expect(unsafe file.pointee.pMethods.pointee.xTruncate(file, Int64(size)) == SQLITE_OK)
    }

    @discardableResult
    func sync(expecting expected: Int32 = SQLITE_OK) -> Int32 {
        let code = unsafe file.pointee.pMethods.pointee.xSync(file, SQLITE_SYNC_NORMAL)
        #expect(code == expected)
        return code
    }

    func size() -> Int {
        var size: Int64 = -1
        #expect(unsafe file.pointee.pMethods.pointee.xFileSize(file, &size) == SQLITE_OK)
        return Int(size)
    }

    func close() -> Int32 {
        unsafe file.pointee.pMethods.pointee.xClose(file)
    }
}
