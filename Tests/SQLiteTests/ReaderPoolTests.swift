import Dispatch
import SQLite
import Testing
import System

struct ReaderPoolTests {
    private let database: TemporaryDatabase
    private let writer: Writer
    private let pool: ReaderPool

    init() throws {
        database = try TemporaryDatabase()
        _ = try database.connection()
        writer = try Writer(database.configuration)
        pool = try ReaderPool(database.configuration, commits: writer.commits)
    }

    @Test func `does not start without a database`() {
        let configuration = DatabaseConfiguration(path: database.directory + "/none")

        #expect(throws: SQLiteError.self) {
            try ReaderPool(configuration, commits: CommitCounter())
        }
    }

    @Test func `keeps the transaction of a bound thread open until it is ended`() async throws {
        let states = try await onThread { [pool] in
            try pool.bindThread()
            defer { pool.unbindThread() }
            var states = [try pool.read { $0.isInTransaction }]
            let first = try pool.read { ObjectIdentifier($0) }
            pool.threadDidSettle()
            pool.threadDidSettle()
            states.append(try pool.read { try $0.first("SELECT 1") { _ in true } ?? false })
            states.append(try pool.read { ObjectIdentifier($0) } == first)
            return states
        }

        #expect(states == [true, true, true])
    }

    @Test func `closes the reader of a thread that ends`() async throws {
        let sizes = try await onThread { [pool, writer, database] in
            let isBound = Mutex(false)
            let thread = try POSIXThread {
                do {
                    try pool.bindThread()
                    let isInTransaction = try pool.read { $0.isInTransaction }
                    isBound.withLock { $0 = isInTransaction }
                } catch {
                    Issue.record(error)
                }
            }
            thread.join()
            pool.close()
            writer.stop()
            return (isBound.withLock { $0 }, database.size("-wal"), database.size(""))
        }

        // Who closes a database last removes its WAL.
        #expect(sizes.0)
        #expect(sizes.1 == nil)
        #expect(sizes.2 != nil)
    }

    @Test func `shows what another process has committed, to bound threads`() async throws {
        let other = try Writer(database.configuration)

        let counts = try await onThread { [pool] in
            try pool.bindThread()
            defer { pool.unbindThread() }
            var counts = [try pool.read { try $0.notes().count }]
            // Another process's, which the pool's counter does not count.
            try wait { try await other.write { try $0.insertNote("other") } }
            counts.append(try pool.read { try $0.notes().count })
            return counts
        }

        #expect(counts == [0, 1])
    }

    @Test func `shows every write that was answered, to bound threads`() async throws {
        try await withThrowingTaskGroup(of: [Bool].self) { group in
            for _ in 1...4 {
                group.addTask { [pool, writer] in
                    try await onThread {
                        try pool.bindThread()
                        defer { pool.unbindThread() }
                        return try (1...100).map { _ in try isSeen(writer, pool) }
                    }
                }
            }
            for try await seen in group { #expect(seen.allSatisfy { $0 }) }
        }
    }

    @Test func `shows every write that was answered, to all other threads`() async throws {
        try await withThrowingTaskGroup(of: [Bool].self) { group in
            for _ in 1...4 {
                group.addTask { [pool, writer] in
                    try await onThread {
                        try (1...100).map { _ in try isSeen(writer, pool) }
                    }
                }
            }
            for try await seen in group { #expect(seen.allSatisfy { $0 }) }
        }
    }

    @Test func `shows nothing that is not committed`() async throws {
        let isInserted = Gate()
        let mayCommit = Gate()
        async let write: Void = writer.write { connection in
            try connection.insertNote("uncommitted")
            isInserted.open()
            mayCommit.wait()
        }
        await isInserted.opened()

        #expect(try pool.read { try $0.notes() } == [])
        mayCommit.open()
        try await write
        #expect(try pool.read { try $0.notes() } == ["uncommitted"])
    }

    @Test func `leaves no transaction open on the shared reader`() async throws {
        let connection = try pool.read { ObjectIdentifier($0) }
        let other = try Writer(database.configuration)

        try await other.write { try $0.insertNote("other") }

        #expect(try pool.read { try $0.notes() } == ["other"])
        #expect(try pool.read { ObjectIdentifier($0) } == connection)
    }

    @Test(
        "opens a reader again after an error that calls for it",
        arguments: [(ResultCode.corrupt, true), (.inputOutput, true), (.busy, false)]
    )
    func reopening(code: ResultCode, isOpenedAgain: Bool) async throws {
        let error = SQLiteError(code: code, message: "test")

        let isAnother = try await onThread { [pool] in
            try pool.bindThread()
            defer { pool.unbindThread() }
            // The setting marks the connection.
            try pool.read { try $0.run("PRAGMA cache_size = -77") }
            #expect(throws: error) { try pool.read { _ in throw error } }
            return try pool.read { try $0.first("PRAGMA cache_size") { $0.int64(0) } } != -77
        }

        #expect(isAnother == isOpenedAgain)
    }
}

/// Whether a reader on this thread sees a write at once.
private func isSeen(_ writer: Writer, _ pool: ReaderPool) throws -> Bool {
    let id = try wait {
        try await writer.write { connection in
            try connection.insertNote("mine")
            return connection.lastInsertRowID
        }
    }
    return try pool.read { connection in
        try connection.first("SELECT 1 FROM notes WHERE id = ?", .integer(id)) { _ in true }
            ?? false
    }
}
