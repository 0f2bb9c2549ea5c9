import SQLite
import System
import Testing

private struct Refusal: Error {}

struct WriterTests {
    private let database: TemporaryDatabase

    init() throws {
        database = try TemporaryDatabase()
        _ = try database.connection()
    }

    private func notes() throws -> [String] {
        try Connection(database.configuration, .queryOnly).notes()
    }

    @Test func `returns what the job returns, once it is stored`() async throws {
        let writer = try Writer(database.configuration)

        let id = try await writer.write { connection in
            try connection.insertNote("hello")
            return connection.lastInsertRowID
        }

        #expect(id == 1)
        #expect(try notes() == ["hello"])
        #expect(writer.commits.value == 1)
    }

    @Test func `does not start without a database`() {
        let configuration = DatabaseConfiguration(path: database.directory + "/none/db")

        #expect(throws: SQLiteError.self) { try Writer(configuration) }
    }

    @Test func `carries out many writes at once, in fewer commits`() async throws {
        let writer = try Writer(database.configuration)
        let gate = try await writer.block()

        try await withThrowingTaskGroup(of: Int64.self) { group in
            for number in 1...300 {
                group.addTask {
                    try await writer.write { connection in
                        try connection.insertNote("\(number)")
                        return connection.lastInsertRowID
                    }
                }
            }
            gate.open()
            var ids: Set<Int64> = []
            for try await id in group { ids.insert(id) }
            #expect(ids == Set(1...300))
        }

        #expect(try notes().count == 300)
        #expect(writer.commits.value < 150)
    }

    @Test func `undoes a job that throws, and nothing else of its batch`() async throws {
        let writer = try Writer(database.configuration)
        let gate = try await writer.block()

        let good = Task {
            try await writer.write { connection in
                try connection.insertNote("good")
                return connection.changes
            }
        }
        let thrown = Task {
            try await writer.write { connection in
                try connection.insertNote("bad")
                throw Refusal()
            }
        }
        let violating = Task {
            try await writer.write { connection in
                try connection.insertNote("worse")
                try connection.run("INSERT INTO notes (id, text) VALUES (1, 'a'), (1, 'b')")
            }
        }
        await writer.untilQueued(3)
        gate.open()

        #expect(try await good.value == 1)
        await #expect(throws: Refusal.self) { try await thrown.value }
        await #expect(throws: SQLiteError.self) { try await violating.value }
        #expect(try notes() == ["good"])
        #expect(writer.commits.value == 2)
    }

    @Test func `fails every job of a batch that cannot be committed`() async throws {
        let writer = try Writer(database.configuration)
        try await writer.write { connection in
            try connection.execute(
                script: """
                    CREATE TABLE parents (id INTEGER PRIMARY KEY) STRICT;
                    CREATE TABLE children (
                        parent_id INTEGER REFERENCES parents (id) DEFERRABLE INITIALLY DEFERRED
                    ) STRICT;
                    """
            )
        }
        let gate = try await writer.block()

        let innocent = Task { try await writer.write { try $0.insertNote("innocent") } }
        let orphan = Task {
            try await writer.write { try $0.run("INSERT INTO children VALUES (7)") }
        }
        // Even what it failed of may be the doing of its neighbours.
        let thrown = Task { try await writer.write { _ in throw Refusal() } }
        await writer.untilQueued(3)
        gate.open()

        let errors = await [
            #expect(throws: SQLiteError.self) { try await innocent.value },
            #expect(throws: SQLiteError.self) { try await orphan.value },
            #expect(throws: SQLiteError.self) { try await thrown.value },
        ]
        #expect(
            errors.map { $0?.code }
                == [.foreignKeyConstraint, .foreignKeyConstraint, .foreignKeyConstraint]
        )
        #expect(try notes() == [])
        #expect(writer.commits.value == 2)
        try await writer.write { try $0.insertNote("later") }
        #expect(try notes() == ["later"])
    }

    @Test func `refuses writes when its queue is full`() async throws {
        let writer = try Writer(database.configuration, limits: WriterLimits(queuedWrites: 2))
        let gate = try await writer.block()

        await withTaskGroup(of: WriterError?.self) { group in
            for number in 1...3 {
                group.addTask {
                    do {
                        try await writer.write { try $0.insertNote("\(number)") }
                        return nil
                    } catch {
                        return error as? WriterError
                    }
                }
            }
            // The two that wait cannot come first.
            #expect(await group.next() == .queueFull)
            gate.open()
            #expect(await group.next() == .some(nil))
            #expect(await group.next() == .some(nil))
        }

        #expect(try notes().count == 2)
    }

    @Test func `finishes what waits when it is stopped, and empties the WAL`() async throws {
        let writer = try Writer(database.configuration, limits: WriterLimits(queuedWrites: 2))
        let reader = try Connection(database.configuration, .queryOnly)
        let gate = try await writer.block()
        async let first: Void = writer.write { try $0.insertNote("first") }
        async let second: Void = writer.write { try $0.insertNote("second") }
        await writer.untilQueued(2)

        async let stopped: Void = onThread { writer.stop() }
        await writer.untilStopped()
        gate.open()
        _ = try await (first, second, stopped)

        #expect(database.size("-wal") == 0)
        #expect(try Set(reader.notes()) == ["first", "second"])
        await #expect(throws: WriterError.stopped) {
            try await writer.write { try $0.insertNote("late") }
        }
        writer.stop()
    }

    @Test func `may go while it has work to do`() async throws {
        let (write, gate) = try await abandonedWrite()
        gate.open()

        try await write.value

        #expect(try notes() == ["kept"])
    }

    /// A write that waits for the gate; nobody else knows its writer.
    private func abandonedWrite() async throws -> (Task<Void, any Error>, Gate) {
        let writer = try Writer(database.configuration)
        let gate = try await writer.block()
        let write = Task { try await writer.write { try $0.insertNote("kept") } }
        await writer.untilQueued(1)
        return (write, gate)
    }

    @Test func `takes turns with the writer of another process`() async throws {
        var configuration = database.configuration
        configuration.busyTimeoutMilliseconds = 60_000
        let limits = WriterLimits(walPages: 20, idleMilliseconds: 1)
        let writers = [
            try Writer(configuration, limits: limits), try Writer(configuration, limits: limits),
        ]

        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in writers {
                group.addTask {
                    for number in 1...100 {
                        try await writer.write { try $0.insertNote("\(number)") }
                    }
                }
            }
            try await group.waitForAll()
        }

        #expect(try notes().sorted() == ((1...100).flatMap { ["\($0)", "\($0)"] }).sorted())
        let check = try Connection(database.configuration, .queryOnly)
            .first("PRAGMA integrity_check") { $0.text(0) }
        #expect(check == "ok")
    }
}
