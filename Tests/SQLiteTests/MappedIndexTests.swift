import Glibc
import SQLite
import Testing

/// What becomes of a process when the system can't give it a page of the WAL's index.
///
/// The system says so by SIGBUS. Here another program has cut the file off.
struct MappedIndexTests {
    private let database: TemporaryDatabase

    init() throws {
        database = try TemporaryDatabase()
        _ = try database.connection()
    }

    private var cut: SQLiteError {
        SQLiteError(
            code: .cannotOpen,
            message: "\(database.path)-shm was truncated by another program while the "
                + "database was open"
        )
    }

    /// Takes the pages away, as a disk does that has no room to write them.
    private func takeIndexAway() throws {
        try #require(unsafe truncate(database.path + "-shm", 0) == 0)
    }

    @Test func `fails a write, and makes the next one`() async throws {
        let writer = try Writer(
            database.configuration,
            limits: WriterLimits(idleMilliseconds: 3_600_000)
        )
        try await writer.write { try $0.insertNote("before") }
        try takeIndexAway()

        let error = await #expect(throws: SQLiteError.self) {
            try await writer.write { try $0.insertNote("lost") }
        }
        try await writer.write { try $0.insertNote("after") }

        #expect(error == cut)
        #expect(try Connection(database.configuration, .queryOnly).notes() == ["before", "after"])
    }

    @Test func `acknowledges no commit whose index nobody else sees`() async throws {
        let writer = try Writer(
            database.configuration,
            limits: WriterLimits(idleMilliseconds: 3_600_000)
        )
        try await writer.write { try $0.insertNote("before") }
        let path = database.path

        let error = await #expect(throws: SQLiteError.self) {
            try await writer.write { connection in
                try connection.insertNote("unknown")
                guard unsafe truncate(path + "-shm", 0) == 0 else { throw CancellationError() }
            }
        }
        try await writer.write { try $0.insertNote("after") }

        #expect(error == cut)
        let notes = try Connection(database.configuration, .queryOnly).notes()
        // That it was not acknowledged does not mean that it was not made.
        #expect(notes.filter { $0 != "unknown" } == ["before", "after"])
    }

    @Test func `fails a read`() throws {
        let reader = try Connection(database.configuration, .queryOnly)
        #expect(try reader.notes() == [])
        try takeIndexAway()

        let error = #expect(throws: SQLiteError.self) { try reader.notes() }

        #expect(error?.code == .walIndexFull)
    }

    @Test func `says that it was cut, and goes on when nobody has the old one`() async throws {
        let (events, event) = AsyncStream<WriterEvent>.makeStream()
        let writer = try Writer(
            database.configuration,
            limits: WriterLimits(idleMilliseconds: 3_600_000),
            observe: { event.yield($0) }
        )
        var configuration = database.configuration
        configuration.files = writer.files
        let pool = try ReaderPool(configuration, commits: writer.commits)
        try await writer.write { try $0.insertNote("before") }
        #expect(try pool.read { try $0.notes() } == ["before"])
        try takeIndexAway()

        let refusal = await #expect(throws: SQLiteError.self) {
            try await writer.write { try $0.insertNote("lost") }
        }
        var told = events.makeAsyncIterator()
        #expect(await told.next() == .filesLost(cause: cut.message))
        let status = #expect(throws: SQLiteError.self) {
            try Migrator([], configuration: database.configuration).status()
        }
        #expect(status == cut)
        let failure = #expect(throws: SQLiteError.self) { try pool.read { try $0.notes() } }
        #expect(refusal == cut)
        #expect(failure == cut)

        #expect(await told.next() == .filesFound)
        try await writer.write { try $0.insertNote("after") }
        #expect(try pool.read { try $0.notes() } == ["before", "after"])
        writer.stop()
    }
}
