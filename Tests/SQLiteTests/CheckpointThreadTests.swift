import Testing
import System

@testable import SQLite

/// Copies of the WAL beside a connection that writes.
struct CheckpointThreadTests {
    private let database: TemporaryDatabase
    private let connection: Connection
    private let lock: WriterLock

    init() throws {
        database = try TemporaryDatabase()
        connection = try database.connection()
        lock = try WriterLock(database.configuration)
    }

    private func insert(_ count: Int) throws {
        for _ in 1...count { try connection.insertNote(String(repeating: "x", count: 3000)) }
    }

    @Test func `copies the pages that there are, while more are written`() throws {
        try insert(100)
        let pages = connection.wal.pages
        let thread = CheckpointThread(database.configuration)
        defer { thread.stop() }

        try lock.withLock { try thread.begin(lock) }
        try insert(100)
        try thread.finish()
        try lock.withLock { try thread.begin(lock) }
        while thread.isBusy {}

        #expect(thread.copiedPages == connection.wal.pages)
        #expect(connection.wal.pages > pages + 100)
        #expect(try connection.notes().count == 200)
        // The writer has nothing left to copy, and its next commit restarts the WAL.
        try connection.checkpoint(.passive)
        try insert(1)
        #expect(connection.wal.pages < 10)
    }

    @Test func `does not shorten the file, whose end the writer has reserved`() throws {
        try insert(10)
        try connection.run("BEGIN IMMEDIATE")
        try insert(10)
        try connection.reserveSpace()
        let size = try #require(database.size(""))
        try #require(size > connection.wal.pages * Connection.pageBytes)
        let thread = CheckpointThread(database.configuration)
        defer { thread.stop() }

        try lock.withLock { try thread.begin(lock) }
        try thread.finish()

        #expect(database.size("") == size)
        try connection.run("COMMIT")
    }

    @Test func `keeps other processes from writing until the copy has ended`() throws {
        var impatient = database.configuration
        impatient.busyTimeoutMilliseconds = 0
        let other = try WriterLock(impatient)
        let error = SQLiteError(code: .busy, message: "another process is writing")

        try lock.withLock { lock.retain() }
        #expect(throws: error) { try other.withLock {} }
        // The same process goes on writing.
        try lock.withLock {}
        #expect(throws: error) { try other.withLock {} }
        lock.release()

        try other.withLock {}
    }

    @Test func `copies nothing if it can't open the database`() throws {
        let thread = CheckpointThread(DatabaseConfiguration(path: database.path + "-none"))
        defer { thread.stop() }

        try lock.withLock { try thread.begin(lock) }
        while thread.isBusy {}

        #expect(thread.copiedPages == nil)
        // The writer's connection is as good as before.
        try thread.finish()
        // The lock is free again.
        try WriterLock(database.configuration).withLock {}
    }
}

/// When a committer lets the other thread copy.
struct CopyingCommitterTests {
    private let database: TemporaryDatabase
    private let committer: Committer
    private let status = WriterStatus(observe: { _ in })

    init() throws {
        database = try TemporaryDatabase()
        _ = try database.connection()
        committer = try Committer(
            database.configuration,
            limits: WriterLimits(walPages: 100),
            commits: CommitCounter(),
            status: status,
            follower: nil
        )
    }

    private var connection: Connection {
        get throws {
            guard case .open(let connection) = committer.database else {
                throw SQLiteError(code: .misuse, message: "the database is closed")
            }
            return connection
        }
    }

    private func insert(_ count: Int) throws {
        for _ in 1...count { try connection.insertNote(String(repeating: "x", count: 3000)) }
    }

    private func waitForCopy() {
        while committer.checkpointThread?.isBusy == true {}
    }

    @Test func `copies on the other thread again after the WAL has restarted`() throws {
        for _ in 1...3 {
            try insert(60)
            committer.checkpointUnderLoad()
            #expect(committer.copies == 1)
            waitForCopy()
            #expect(try !connection.indexHasUncopiedPages())
            try insert(1)
            #expect(try connection.wal.pages < 10)
            committer.checkpointUnderLoad()
            #expect(committer.copies == 0)
        }
        #expect(try connection.notes().count == 183)
        committer.stopCheckpointThread()
    }

    @Test func `begins no copy if another process has copied everything`() throws {
        try insert(60)
        let other = try database.connection()
        try WriterLock(database.configuration).withLock { try other.checkpoint(.passive) }

        committer.checkpointUnderLoad()

        #expect(committer.copies == 0)
        #expect(committer.checkpointThread?.isBusy != true)
        #expect(committer.checkpointThread?.copiedPages == nil)
        #expect(try connection.notes().count == 60)
    }

    @Test func `goes on if the other thread can't open the database`() throws {
        try insert(60)
        committer.checkpointThread = CheckpointThread(
            DatabaseConfiguration(path: database.path + "-none")
        )
        committer.checkpointUnderLoad()
        waitForCopy()
        #expect(committer.checkpointThread?.copiedPages == nil)

        committer.checkpointUnderLoad()

        #expect(committer.copies == 0)
        #expect(try !connection.indexHasUncopiedPages())
        #expect(try connection.notes().count == 60)
    }
}
