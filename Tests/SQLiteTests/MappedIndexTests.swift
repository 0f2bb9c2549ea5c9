import Glibc
import SQLite
import Testing

/// What becomes of a process when the system can't give it a page of the WAL's index, of which it
/// says so by SIGBUS.
struct MappedIndexTests {
    private let database: TemporaryDatabase

    init() throws {
        database = try TemporaryDatabase()
        _ = try database.connection()
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

        #expect(error?.code == .walIndexFull)
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

        #expect(error?.code == .walIndexFull)
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
}
