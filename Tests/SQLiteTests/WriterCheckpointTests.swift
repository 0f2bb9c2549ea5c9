import SQLite
import System
import Testing

struct WriterCheckpointTests {
    private let database: TemporaryDatabase

    init() throws {
        database = try TemporaryDatabase()
        _ = try database.connection()
    }

    /// The lengths of the WAL in pages after each of several commits.
    private func write(_ count: Int, with writer: Writer) async throws -> [Int] {
        var lengths: [Int] = []
        for _ in 1...count {
            try await writer.write { connection in
                for _ in 1...10 { try connection.insertNote(String(repeating: "x", count: 1000)) }
            }
            lengths.append(writer.walPages)
        }
        return lengths
    }

    @Test func `keeps the WAL short under load`() async throws {
        let writer = try Writer(
            database.configuration,
            limits: WriterLimits(walPages: 50, idleMilliseconds: 60_000)
        )

        let lengths = try await write(300, with: writer)

        #expect(lengths.contains { $0 >= 50 })
        // A commit that finds twice the limit restarts the WAL instead of making it longer.
        for (before, after) in zip(lengths, lengths.dropFirst()) where before >= 100 {
            #expect(after < before)
        }
    }

    @Test func `tells how far the WAL has grown while a reader holds it`() async throws {
        let writer = try Writer(
            database.configuration,
            limits: WriterLimits(walPages: 50, idleMilliseconds: 60_000)
        )
        let reader = try Connection(database.configuration, .queryOnly)
        try reader.run("BEGIN")
        _ = try reader.notes()

        let lengths = try await write(100, with: writer)
        try reader.run("COMMIT")

        #expect(try #require(lengths.max()) > 250)
        #expect(try reader.notes().count == 1000)
    }

    @Test func `cuts a WAL that a reader let grow when there is nothing else to do`() async throws {
        let writer = try Writer(
            database.configuration,
            limits: WriterLimits(walPages: 50, idleMilliseconds: 1)
        )
        let reader = try Connection(database.configuration, .queryOnly)
        try reader.run("BEGIN")
        _ = try reader.notes()
        try await writer.write { connection in
            for _ in 1...8000 { try connection.insertNote(String(repeating: "x", count: 1000)) }
        }
        #expect(writer.walFileBytes > 8_000_000)
        #expect(database.size("-wal") == writer.walFileBytes)
        try reader.run("COMMIT")

        while writer.walFileBytes > 0 { await Task.yield() }

        #expect(database.size("-wal") == 0)
        #expect(try reader.notes().count == 8000)
    }

    @Test func `copies the WAL into the database when there is nothing else to do`() async throws {
        let writer = try Writer(database.configuration, limits: WriterLimits(idleMilliseconds: 1))
        let before = try #require(database.size(""))

        _ = try await write(5, with: writer)

        while try #require(database.size("")) < before + 50_000 { await Task.yield() }
        let reader = try Connection(database.configuration, .queryOnly)
        #expect(try reader.notes().count == 50)
    }
}
