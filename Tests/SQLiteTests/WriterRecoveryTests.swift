import Glibc
import SQLite
import Synchronization
import System
import Testing

/// What a writer does after a sync that failed, when the system may have forgotten what was to be
/// written.
struct WriterRecoveryTests {
    private let database: TemporaryDatabase
    private let writer: Writer
    private let diskError = SQLiteError(code: .inputOutput, message: "disk I/O error")

    init() throws {
        database = try TemporaryDatabase()
        _ = try database.connection()
        // Nothing is copied out of the WAL just because there is time for it.
        let limits = WriterLimits(idleMilliseconds: 3_600_000)
        writer = try Writer(database.configuration, limits: limits)
    }

    private func insert(_ count: Int) async throws {
        try await writer.write { connection in
            for _ in 1...count { try connection.insertNote(String(repeating: "x", count: 1000)) }
        }
    }

    /// Copies what the reader's snapshot allows, which SQLite does not sync, and returns the pages
    /// of the WAL and those of them that are copied.
    private func checkpoint() throws -> (pages: Int64, copied: Int64) {
        let other = try Connection(database.configuration, .readWrite)
        let counts = try other.first("PRAGMA wal_checkpoint(PASSIVE)") { row in
            (pages: row.int64(1), copied: row.int64(2))
        }
        return try #require(counts)
    }

    /// Makes the database file what it is on a disk that has got nothing since the first page.
    ///
    /// Returns what closes it: until then the process would lose its locks on the file.
    private func forgetPages() throws -> () -> Void {
        let descriptor = unsafe open(database.path, O_RDWR)
        try #require(descriptor >= 0)
        let size = try #require(database.size(""))
        let zeros = [UInt8](repeating: 0, count: size - 4096)
        try #require(unsafe pwrite(descriptor, zeros, zeros.count, 4096) == zeros.count)
        return { close(descriptor) }
    }

    @Test func `copies again what an earlier checkpoint may have copied in vain`() async throws {
        try await insert(100)
        let reader = try Connection(database.configuration, .queryOnly)
        try reader.run("BEGIN")
        _ = try reader.notes()
        try await insert(100)
        let (pages, copied) = try checkpoint()
        try #require(copied > 20 && copied < pages)
        try reader.run("COMMIT")
        let close = try forgetPages()
        defer { close() }

        await #expect(throws: diskError) {
            try await writer.write { [diskError] _ in throw diskError }
        }
        try await insert(1)

        let after = try Connection(database.configuration, .queryOnly)
        #expect(try after.all("PRAGMA integrity_check") { row in row.text(0) } == ["ok"])
        #expect(try after.notes().count == 201)
    }

    @Test func `does so even if nothing is written any more`() async throws {
        try await insert(100)
        let reader = try Connection(database.configuration, .queryOnly)
        #expect(database.size("-wal") ?? 0 > 100_000)

        await #expect(throws: diskError) {
            try await writer.write { [diskError] _ in throw diskError }
        }

        while database.size("-wal") != 0 { await Task.yield() }
        #expect(database.size("") ?? 0 > 100_000)
        #expect(try reader.notes().count == 100)
    }

    @Test func `recovers beside a thread that reads without a pause`() async throws {
        var configuration = database.configuration
        configuration.busyTimeoutMilliseconds = 2000
        let limits = WriterLimits(idleMilliseconds: 3_600_000)
        let writer = try Writer(configuration, limits: limits)
        let pool = try ReaderPool(configuration, commits: writer.commits)
        try await writer.write { try $0.insertNote("before") }
        let isReading = Gate()
        let isOver = Flag()

        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await onThread {
                    try pool.bindThread()
                    defer { pool.unbindThread() }
                    pool.threadDidSettle()
                    while !isOver.value.load(ordering: .relaxed) {
                        _ = try pool.read { try $0.notes() }
                        pool.threadDidPause()
                        isReading.open()
                    }
                }
            }
            await isReading.opened()
            await #expect(throws: diskError) {
                try await writer.write { [diskError] _ in throw diskError }
            }
            defer { isOver.value.store(true, ordering: .relaxed) }
            try await writer.write { try $0.insertNote("after") }
        }

        #expect(try pool.read { try $0.notes() } == ["before", "after"])
    }

    @Test func `tells a caller that does not wait what became of its write`() async throws {
        let (outcomes, outcome) = AsyncStream<String>.makeStream()
        writer.write {
            try $0.insertNote("kept")
        } completion: { result in
            outcome.yield("\(result.map { "stored" })")
        }
        var told = outcomes.makeAsyncIterator()
        #expect(await told.next()?.contains("stored") == true)

        writer.write { [diskError] _ in
            throw diskError
        } completion: { (result: Result<Void, _>) in
            outcome.yield("\(result.map { "stored" })")
        }
        #expect(await told.next()?.contains("disk I/O error") == true)

        writer.stop()
        writer.write { _ in
        } completion: { result in
            outcome.yield("\(result)")
        }
        #expect(await told.next()?.contains("stopped") == true)
    }
}

private final class Flag: Sendable {
    let value = Atomic(false)
}
