import Glibc
import SQLite
import System
import Testing

/// What a writer and its readers do when somebody moves, deletes or replaces the files that they
/// have open.
struct OpenFilesTests {
    private let database: TemporaryDatabase
    private let writer: Writer
    private let events: AsyncStream<WriterEvent>

    init() throws {
        database = try TemporaryDatabase()
        _ = try database.connection()
        let (events, event) = AsyncStream<WriterEvent>.makeStream()
        self.events = events
        writer = try Writer(
            database.configuration,
            // The folder stands for its files as soon as they are found in their places.
            limits: WriterLimits(idleMilliseconds: 3_600_000, quietSeconds: -1),
            observe: { event.yield($0) }
        )
        try waitForAnotherTime()
    }

    /// Waits until a change of the folder has another time than the latest one.
    private func waitForAnotherTime() throws {
        var folder = stat()
        let isThere = unsafe stat(database.directory, &folder) == 0
        try #require(isThere)
        var now = timespec()
        repeat {
            unsafe clock_gettime(CLOCK_REALTIME_COARSE, &now)
        } while now.tv_sec == folder.st_ctim.tv_sec && now.tv_nsec <= folder.st_ctim.tv_nsec
    }

    @Test func `notices another file though the folder's time is put back`() async throws {
        try await insert("before")
        var folder = stat()
        let isThere = unsafe stat(database.directory, &folder) == 0
        try #require(isThere)

        try TemporaryDatabase.rename(database.path, to: database.directory + "/away")
        try TemporaryDatabase.write("another", to: database.path)
        let isSet = unsafe utimensat(
            AT_FDCWD,
            database.directory,
            [folder.st_atim, folder.st_mtim],
            0
        )
        #expect(isSet == 0)

        await #expect(throws: replaced("")) { try await insert("lost") }
    }

    @Test func `writes nothing behind a gap in a WAL that was cut off`() async throws {
        for count in 1...50 { try await insert("\(count)") }

        let isCut = unsafe truncate(database.path + "-wal", 0) == 0
        try #require(isCut)

        let error = try await #require(throws: SQLiteError.self) { try await insert("lost") }
        #expect(error.code.primary == .inputOutput)
        writer.stop()
        let connection = try Connection(database.configuration, .readWrite)
        #expect(try connection.first("PRAGMA integrity_check") { $0.text(0) } == "ok")
        #expect(try !connection.notes().contains("lost"))
    }

    @Test func `notices that a link leads to another file`() async throws {
        let link = DatabaseConfiguration(path: database.directory + "/link")
        let isLinked = unsafe symlink(database.path, link.path) == 0
        try #require(isLinked)
        let writer = try Writer(link, limits: WriterLimits(quietSeconds: -1))
        try await writer.write { try $0.insertNote("before") }
        try waitForAnotherTime()

        let isChanged =
            unsafe symlink(database.directory + "/other", link.path + "-new") == 0
            && rename(link.path + "-new", link.path) == 0
        try #require(isChanged)
        try TemporaryDatabase.write("another", to: database.directory + "/other")

        await #expect(throws: SQLiteError.self) {
            try await writer.write { try $0.insertNote("lost") }
        }
        #expect(try Connection(database.configuration, .queryOnly).notes() == ["before"])
    }

    private func lost(_ suffix: String) -> SQLiteError {
        SQLiteError(
            code: .cannotOpen,
            message: "\(database.path)\(suffix) was moved or deleted while the database was open"
        )
    }

    private func replaced(_ suffix: String) -> SQLiteError {
        SQLiteError(
            code: .cannotOpen,
            message: "\(database.path)\(suffix) was replaced by another file while the database "
                + "was open"
        )
    }

    private func insert(_ note: String) async throws {
        try await writer.write { try $0.insertNote(note) }
    }

    @Test(arguments: ["", "-wal", "-shm", "-lock"])
    func `refuses writes while a file is elsewhere, and goes on when it is back`(
        suffix: String
    ) async throws {
        try await insert("before")
        let away = database.directory + "/away"

        try TemporaryDatabase.rename(database.path + suffix, to: away)
        for _ in 1...2 {
            await #expect(throws: lost(suffix)) { try await insert("lost") }
        }
        #expect(database.size(suffix) == nil)
        try TemporaryDatabase.rename(away, to: database.path + suffix)
        try await insert("after")

        #expect(try Connection(database.configuration, .queryOnly).notes() == ["before", "after"])
        var told = events.makeAsyncIterator()
        #expect(await told.next() == .filesLost(cause: lost(suffix).message))
        #expect(await told.next() == .filesFound)
    }

    @Test(arguments: ["", "-wal", "-shm", "-lock"])
    func `refuses writes for as long as another file is there`(suffix: String) async throws {
        try await insert("before")

        try TemporaryDatabase.rename(database.path + suffix, to: database.directory + "/away")
        try TemporaryDatabase.write("another", to: database.path + suffix)

        for _ in 1...2 {
            await #expect(throws: replaced(suffix)) { try await insert("lost") }
        }
        writer.stop()
        #expect(database.size(suffix) == "another".utf8.count)
    }

    @Test func `leaves another database in its place undamaged`() async throws {
        for count in 1...100 { try await insert("old \(count)") }
        let other = DatabaseConfiguration(path: database.directory + "/other")
        try makeDatabase(at: other, notes: 200)
        #expect(try #require(database.size("-wal")) > 0)

        try TemporaryDatabase.rename(other.path, to: database.path)
        await #expect(throws: replaced("")) { try await insert("lost") }
        writer.stop()

        #expect(database.size("-wal") == 0)
        let connection = try Connection(database.configuration, .readWrite)
        #expect(try connection.notes() == (1...200).map { "new \($0)" })
        #expect(try connection.first("PRAGMA integrity_check") { $0.text(0) } == "ok")
    }

    @Test func `empties the WAL as soon as another database has taken its place`() async throws {
        try await insert("old")
        let other = DatabaseConfiguration(path: database.directory + "/other")
        try makeDatabase(at: other, notes: 1)

        try TemporaryDatabase.rename(other.path, to: database.path)

        while try #require(database.size("-wal")) > 0 { await Task.yield() }
    }

    private func makeDatabase(at configuration: DatabaseConfiguration, notes: Int) throws {
        let connection = try Connection(configuration, .readWrite)
        try connection.execute(
            script: "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT"
        )
        for count in 1...notes { try connection.insertNote("new \(count)") }
    }

    @Test(
        arguments: [["-wal"], ["-shm"], ["-wal", "-shm"], ["-lock"], ["-wal", "-shm", "-lock"]]
    )
    func `stores everything acknowledged in the database when it stops without these files`(
        suffixes: [String]
    ) async throws {
        for count in 1...100 { try await insert("\(count)") }

        for suffix in suffixes { try TemporaryDatabase.remove(database.path + suffix) }
        writer.stop()

        #expect(try database.connection().notes() == (1...100).map(String.init))
    }

    @Test func `leaves the WAL as it is once its lock keeps nobody away`() async throws {
        for count in 1...100 { try await insert("\(count)") }
        let size = try #require(database.size("-wal"))

        try TemporaryDatabase.remove(database.path + "-lock")
        await #expect(throws: lost("-lock")) { try await insert("lost") }
        writer.stop()

        #expect(database.size("-wal") == size)
        #expect(size > 0)
    }

    @Test func `stores everything acknowledged in a database that was moved`() async throws {
        for count in 1...100 { try await insert("\(count)") }
        let away = DatabaseConfiguration(path: database.directory + "/away")

        try TemporaryDatabase.rename(database.path, to: away.path)
        writer.stop()

        #expect(try Connection(away, .readWrite).notes() == (1...100).map(String.init))
        #expect(database.size("") == nil)
    }

    @Test func `notices without a write`() async throws {
        try TemporaryDatabase.remove(database.path)

        var told = events.makeAsyncIterator()
        #expect(await told.next() == .filesLost(cause: lost("").message))
    }

    @Test func `acknowledges nothing that a file got when it had gone`() async throws {
        let (path, away) = (database.path, database.directory + "/away")

        await #expect(throws: lost("")) {
            try await writer.write { connection in
                try connection.insertNote("nowhere")
                try TemporaryDatabase.rename(path, to: away)
            }
        }
        #expect(database.size("") == nil)
    }

    @Test func `reads on from the file that is open, and opens no other`() async throws {
        try await insert("before")
        var configuration = database.configuration
        configuration.files = writer.files
        let pool = try ReaderPool(configuration, commits: writer.commits)
        let other = database.directory + "/other"
        let replacement = try Connection(DatabaseConfiguration(path: other), .readWrite)

        try TemporaryDatabase.rename(other, to: database.path)

        #expect(try pool.read { try $0.notes() } == ["before"])
        #expect(throws: replaced("")) { try pool.bindThread() }
        withExtendedLifetime(replacement) {}
    }

    @Test func `lets nobody write to another file while the server has the first`() async throws {
        try TemporaryDatabase.rename(database.path, to: database.directory + "/away")
        #expect(database.configuration.fileInUseElsewhere == database.path)
        #expect(throws: SQLiteError.self) {
            try Migrator([], configuration: database.configuration).migrate()
        }
        #expect(database.size("") == nil)
        try TemporaryDatabase.write("", to: database.path)

        let error = #expect(throws: SQLiteError.self) {
            try Migrator([], configuration: database.configuration).migrate()
        }

        #expect(error?.code == .cannotOpen)
        #expect(error?.message.contains("the server has a different file open") == true)
        let backup = database.directory + "/backup"
        try TemporaryDatabase.makeEmptyFile(backup)
        let refusal = #expect(throws: SQLiteError.self) {
            try OnlineBackup(of: database.configuration).write(to: backup)
        }
        #expect(refusal == error)
        #expect(database.size("") == 0)
        #expect(database.configuration.fileInUseElsewhere == database.path)
    }

    @Test func `takes another file for its own once nobody has the first`() throws {
        writer.stop()
        try TemporaryDatabase.rename(database.path, to: database.directory + "/away")
        #expect(database.configuration.fileInUseElsewhere == nil)

        let other = try Writer(database.configuration)

        #expect(database.configuration.fileInUseElsewhere == nil)
        other.stop()
    }
}
