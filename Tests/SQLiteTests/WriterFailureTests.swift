import FoundationEssentials
import SQLite
import Synchronization
import System
import Testing

struct WriterFailureTests {
    private let database: TemporaryDatabase
    private let writer: Writer
    private let diskError = SQLiteError(code: .inputOutput, message: "disk I/O error")

    init() throws {
        database = try TemporaryDatabase()
        _ = try database.connection()
        // Nothing is copied out of the WAL just because there is time for it.
        writer = try Writer(database.configuration, limits: WriterLimits(idleMilliseconds: 60_000))
    }

    private func notes() throws -> [String] {
        try Connection(database.configuration, .queryOnly).notes()
    }

    @Test func `fails the whole batch of a job that met an I/O error`() async throws {
        let gate = try await writer.block()
        let innocent = Task { try await writer.write { try $0.insertNote("innocent") } }
        let broken = Task { try await writer.write { [diskError] _ in throw diskError } }
        await writer.untilQueued(2)
        gate.open()

        await #expect(throws: diskError) { try await innocent.value }
        await #expect(throws: diskError) { try await broken.value }
        #expect(try notes() == [])
    }

    @Test func `opens the database anew after an I/O error`() async throws {
        try await writer.write { connection in
            try connection.run("CREATE TEMP TABLE marks_the_connection (a)")
        }
        await #expect(throws: diskError) {
            try await writer.write { [diskError] _ in throw diskError }
        }

        let isTheSame = try await writer.write { connection in
            try connection.insertNote("after")
            return try connection.first("SELECT 1 FROM sqlite_temp_schema") { _ in true } ?? false
        }

        #expect(!isTheSame)
        #expect(try notes() == ["after"])
    }

    @Test func `moves the WAL into the database before it goes on after an I/O error`() async throws
    {
        // As long as it is open, nothing is moved by mere closing.
        let reader = try Connection(database.configuration, .queryOnly)
        try await writer.write { connection in
            for _ in 1...200 { try connection.insertNote(String(repeating: "x", count: 1000)) }
        }
        await #expect(throws: diskError) {
            try await writer.write { [diskError] _ in throw diskError }
        }

        try await writer.write { try $0.insertNote("after") }

        #expect(database.size("") ?? 0 > 200_000)
        #expect(writer.walPages < 10)
        #expect(try reader.notes().count == 201)
    }

    @Test func `is unavailable as long as the database cannot be opened`() async throws {
        let path = database.path
        let away = path + "-away"
        await #expect(throws: diskError) {
            try await writer.write { [diskError] _ in
                try FileManager.default.moveItem(atPath: path, toPath: away)
                throw diskError
            }
        }

        let gone = SQLiteError(code: .cannotOpen, message: "the file no longer exists")
        for _ in 1...2 {
            await #expect(throws: WriterError.unavailable(cause: gone)) {
                try await writer.write { try $0.insertNote("lost") }
            }
        }

        try FileManager.default.moveItem(atPath: away, toPath: database.path)
        while true {
            do {
                try await writer.write { try $0.insertNote("back") }
                break
            } catch WriterError.unavailable {
                await Task.yield()
            }
        }
        #expect(try notes() == ["back"])
    }

    @Test func `fails the batch for which there is no room, and recovers`() async throws {
        try await writer.write { try $0.execute(script: "PRAGMA max_page_count = 10") }
        let gate = try await writer.block()
        let small = Task { try await writer.write { try $0.insertNote("small") } }
        let large = Task {
            try await writer.write { connection in
                for _ in 1...100 { try connection.insertNote(String(repeating: "x", count: 1000)) }
            }
        }
        await writer.untilQueued(2)
        gate.open()

        let errors = await [
            #expect(throws: SQLiteError.self) { try await small.value },
            #expect(throws: SQLiteError.self) { try await large.value },
        ]
        #expect(errors.map { $0?.code } == [.full, .full])
        #expect(try notes() == [])

        try await writer.write { try $0.insertNote("small") }
        try await writer.write { try $0.execute(script: "PRAGMA max_page_count = 10000") }
        try await writer.write { connection in
            for _ in 1...100 { try connection.insertNote("large") }
        }
        #expect(try notes().count == 101)
    }

    /// A WAL of 200 notes is too short to be cut, for it would leave no room for later changes.
    @Test(arguments: 1...3, [200, 5000])
    func `begins the WAL anew for a batch that the disk has no room for`(
        failures: Int,
        count: Int
    ) async throws {
        try await writer.write { connection in
            for _ in 1...count { try connection.insertNote(String(repeating: "x", count: 1000)) }
        }
        let attempts = Count()
        let full = SQLiteError(code: .full, message: "database or disk is full")

        var failure: SQLiteError?
        do {
            try await writer.write { connection in
                try connection.insertNote("last")
                if attempts.next() <= failures { throw full }
            }
        } catch let error as SQLiteError {
            failure = error
        }

        let isLong = count == 5000
        let limit = isLong ? 3 : 2
        let fits = failures < limit
        #expect(failure == (fits ? nil : full))
        #expect(attempts.value == (fits ? failures + 1 : limit))
        #expect(try notes().count == (fits ? count + 1 : count))
        #expect(writer.walPages < 10 || !fits)
        #expect(database.size("") ?? 0 > 200_000)
        let isCut = database.size("-wal") ?? .max < 100_000
        #expect(isCut == (isLong && failures > 1))
    }

    @Test func `fails a batch that another process does not let begin`() async throws {
        var configuration = database.configuration
        configuration.busyTimeoutMilliseconds = 20
        let impatient = try Writer(configuration)
        let gate = try await writer.block()

        let error = await #expect(throws: SQLiteError.self) {
            try await impatient.write { try $0.insertNote("no") }
        }

        gate.open()
        #expect(error == SQLiteError(code: .busy, message: "another process is writing"))
    }
}

private final class Count: Sendable {
    private let count = Atomic(0)

    var value: Int { count.load(ordering: .relaxed) }

    /// One more than before.
    func next() -> Int { count.wrappingAdd(1, ordering: .relaxed).newValue }
}
