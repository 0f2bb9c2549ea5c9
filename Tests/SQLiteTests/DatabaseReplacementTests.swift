import SQLite
import System
import Testing

struct DatabaseReplacementTests {
    private let database: TemporaryDatabase
    private var aside: String { database.path + ".old" }
    private var draft: String { database.path + ".new" }

    init() throws {
        database = try TemporaryDatabase()
        try Self.note("new", in: DatabaseConfiguration(path: database.path + ".new"))
    }

    private static func note(_ text: String, in configuration: DatabaseConfiguration) throws {
        let connection = try Connection(configuration, .readWrite)
        try connection.run(
            "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT"
        )
        try connection.insertNote(text)
    }

    private func notes(_ path: String) throws -> [String] {
        try Connection(DatabaseConfiguration(path: path), .inspect).notes()
    }

    private func replace() throws -> Bool {
        let old = try DatabaseReplacement(database.configuration)
            .replace(with: draft, through: database.path + ".interim", keepingOldAs: aside)
        #expect(database.size(".interim") == nil)
        #expect(old == nil || old == aside)
        return old != nil
    }

    @Test func `puts the new one there and keeps the old one`() throws {
        try Self.note("old", in: database.configuration)

        #expect(try replace())

        #expect(try notes(database.path) == ["new"])
        #expect(try notes(aside) == ["old"])
    }

    @Test func `keeps what was only in the WAL of a process that was killed`() throws {
        try Self.note("old", in: database.configuration)
        try database.abandonWAL(with: "in the WAL")
        #expect(database.size("-wal") ?? 0 > 0)

        #expect(try replace())

        #expect(try notes(aside) == ["old", "in the WAL"])
        #expect(database.size(".old-wal") == nil)
        #expect(database.size("-wal") == nil)
        #expect(database.size("-shm") == nil)
        #expect(try notes(database.path) == ["new"])
    }

    @Test func `does not need an old one`() throws {
        #expect(try !replace())

        #expect(try notes(database.path) == ["new"])
        #expect(database.size(".old") == nil)
    }

    @Test func `refuses while a writer is there, though it does nothing`() throws {
        _ = try database.connection()
        let writer = try Writer(database.configuration)
        defer { writer.stop() }

        #expect(throws: DatabaseInUse(path: database.path, isByThisProgram: true)) { try replace() }
    }

    @Test func `refuses while another program has it open, though it does nothing`() throws {
        try Self.note("old", in: database.configuration)
        let other = try Connection(database.configuration, .queryOnly)
        #expect(try other.notes() == ["old"])

        #expect(throws: DatabaseInUse(path: database.path, isByThisProgram: false)) {
            try replace()
        }

        #expect(try notes(database.path) == ["old"])
        #expect(database.size(".old") == nil)
        #expect(database.size(".new") != nil)
    }

    @Test func `lets no writer in meanwhile`() throws {
        try Self.note("old", in: database.configuration)
        var impatient = database.configuration
        impatient.busyTimeoutMilliseconds = 0
        let replacement = try DatabaseReplacement(impatient)

        let error = #expect(throws: SQLiteError.self) { try Writer(impatient).stop() }

        #expect(error?.code == .busy)
        #expect(error?.message == "it is being restored")
        withExtendedLifetime(replacement) {}
        #expect(impatient.isInUse)
    }

    @Test func `changes nothing where the new one can't be put there`() throws {
        try Self.note("old", in: database.configuration)
        try TemporaryDatabase.remove(draft)

        #expect(throws: (any Error).self) { try replace() }

        #expect(try notes(database.path) == ["old"])
        #expect(database.size(".old") == nil)
    }

    @Test func `keeps a broken one with its WAL`() throws {
        try TemporaryDatabase.write("broken", to: database.path)
        try TemporaryDatabase.write("its WAL", to: database.path + "-wal")

        #expect(try replace())

        #expect(try notes(database.path) == ["new"])
        #expect(database.size(".old") == 6)
        #expect(database.size(".old-wal") == 7)
        #expect(database.size("-wal") == nil)
    }

    @Test func `leaves a broken one and its WAL where they are if nothing comes of it`() throws {
        try TemporaryDatabase.write("broken", to: database.path)
        try TemporaryDatabase.write("its WAL", to: database.path + "-wal")
        try TemporaryDatabase.remove(draft)

        #expect(throws: (any Error).self) { try replace() }

        #expect(database.size("") == 6)
        #expect(database.size("-wal") == 7)
        #expect(database.size(".old") == nil)
        #expect(database.size(".old-wal") == nil)
    }

    @Test func `tells whether a database is in use`() throws {
        _ = try database.connection()
        #expect(!database.configuration.isInUse)
        let writer = try Writer(database.configuration)
        #expect(database.configuration.isInUse)
        writer.stop()
    }
}
