import CSQLite
import SQLite
import System
import Testing

struct OnlineBackupTests {
    private let database: TemporaryDatabase
    private let source: Connection

    init() throws {
        database = try TemporaryDatabase()
        source = try database.connection()
    }

    /// More than the pages of a few steps.
    private func fill() throws {
        try source.run(
            """
            WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT 1500)
            INSERT INTO notes (text) SELECT hex(randomblob(1900)) FROM numbers
            """
        )
    }

    private var copy: String { database.directory + "/copy" }

    private func write(
        cancellation: Cancellation = Cancellation(),
        progress: (Int, Int) throws -> Void = { _, _ in }
    ) throws -> (bytes: Int, rows: Int64) {
        try TemporaryDatabase.makeEmptyFile(copy)
        return try OnlineBackup(of: database.configuration, cancellation: cancellation)
            .write(to: copy, progress: progress)
    }

    private func copied() throws -> Connection {
        try Connection(DatabaseConfiguration(path: copy), .inspect)
    }

    @Test func `copies what was committed when it began, though others write meanwhile`() throws {
        try fill()
        var steps: [Int] = []
        var totals: Set<Int> = []

        let report = try write { pages, total in
            steps.append(pages)
            totals.insert(total)
            try source.insertNote("written meanwhile")
            // Also where the page is one that was copied before.
            try source.run("UPDATE notes SET text = 'changed meanwhile' WHERE id = 1")
        }

        // It neither began anew nor followed.
        #expect(steps.count > 3)
        #expect(zip(steps, steps.dropFirst()).allSatisfy { $0 < $1 })
        #expect(steps.last == totals.first)
        #expect(totals.count == 1)
        let notes = try copied().notes()
        #expect(notes.count == 1500)
        #expect(!notes.contains { $0.hasSuffix("meanwhile") })
        #expect(report.rows == 1500)
        #expect(try source.notes().count == 1500 + steps.count)
    }

    @Test func `copies what is only in the WAL`() throws {
        try source.insertNote("in the WAL")
        #expect(database.size("-wal") != 0)

        _ = try write()

        #expect(try copied().notes() == ["in the WAL"])
    }

    @Test func `leaves one file without a WAL`() throws {
        try fill()

        let report = try write()

        #expect(TemporaryDatabase.size(copy) == report.bytes)
        for suffix in ["-wal", "-shm", "-journal"] {
            #expect(TemporaryDatabase.size(copy + suffix) == nil)
        }
        let connection = try copied()
        let mode = try connection.first("PRAGMA journal_mode") { row in row.text(0) }
        #expect(mode == "delete")
        #expect(try connection.faults(.full) == [])
    }

    @Test func `ends when it is cancelled`() throws {
        try fill()
        let cancellation = Cancellation()

        #expect(throws: CancellationError.self) {
            try write(cancellation: cancellation) { _, _ in cancellation.cancel() }
        }
        #expect(throws: CancellationError.self) { try write(cancellation: cancellation) }
    }

    @Test func `ends when it is cancelled while it checks`() throws {
        try fill()
        let cancellation = Cancellation()

        #expect(throws: CancellationError.self) {
            try write(cancellation: cancellation) { pages, total in
                if pages == total { cancellation.cancel() }
            }
        }
    }

    @Test func `is not done where a row refers to nothing`() throws {
        try source.run("CREATE TABLE tags (id INTEGER PRIMARY KEY, note REFERENCES notes (id))")
        try source.run("PRAGMA foreign_keys = OFF")
        try source.run("INSERT INTO tags VALUES (7, 8)")

        #expect(throws: BackupError(faults: ["row 7 of tags refers to a missing row of notes"])) {
            try write()
        }
    }

    @Test func `is not done where an index is out of step`() throws {
        try source.run("CREATE INDEX notes_text ON notes (text)")
        try source.insertNote("one")
        try database.executeUnprotected(
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = 'CREATE INDEX notes_text ON notes (id)'
            WHERE name = 'notes_text'
            """
        )
        let other = try Connection(database.configuration, .queryOnly)
        #expect(try other.faults(.quick) == [])

        #expect(throws: BackupError.self) { try write() }
    }

    @Test func `counts tables whatever they are called`() throws {
        try source.run(#"CREATE TABLE "a ""b""; --" (id INTEGER PRIMARY KEY)"#)
        try source.run(#"INSERT INTO "a ""b""; --" VALUES (1), (2)"#)
        try source.run("CREATE VIRTUAL TABLE places USING rtree (id, low, high)")

        let counts = try source.tableCounts()

        #expect(counts.filter(\.isOwn).map(\.name) == ["a \"b\"; --", "notes"])
        #expect(counts.filter(\.isOwn).map(\.rows) == [2, 0])
        #expect(counts.filter { !$0.isOwn }.map(\.name).contains("places_node"))
    }

    @Test func `needs a database`() throws {
        try TemporaryDatabase.makeEmptyFile(copy)
        let missing = DatabaseConfiguration(path: database.directory + "/missing")

        #expect(throws: SQLiteError.self) { try OnlineBackup(of: missing).write(to: copy) }
        #expect(TemporaryDatabase.size(missing.path) == nil)
    }
}

struct InspectingConnectionTests {
    private let database: TemporaryDatabase

    init() throws {
        database = try TemporaryDatabase()
    }

    @Test func `reads a closed database and leaves nothing beside it`() throws {
        try database.connection().insertNote("one")

        let connection = try Connection(database.configuration, .inspect)

        #expect(try connection.notes() == ["one"])
        #expect(throws: SQLiteError.self) { try connection.insertNote("two") }
        #expect(database.size("-wal") == nil)
        #expect(database.size("-shm") == nil)
    }

    @Test func `reads what is only in the WAL of others`() throws {
        let writer = try database.connection()
        try writer.insertNote("one")

        let connection = try Connection(database.configuration, .inspect)

        #expect(try connection.notes() == ["one"])
        try writer.insertNote("two")
        #expect(try connection.notes() == ["one", "two"])
    }

    @Test func `makes no database`() {
        #expect(throws: SQLiteError.self) { try Connection(database.configuration, .inspect) }
        #expect(database.size("") == nil)
    }

    @Test func `takes a path for what it is`() throws {
        let path = database.directory + "/a%20b?c#d"
        let configuration = DatabaseConfiguration(path: path)
        try Connection(configuration, .readWrite).run("CREATE TABLE odd (id INTEGER)")

        let connection = try Connection(configuration, .inspect)

        #expect(try connection.tableCounts().map(\.name) == ["odd"])
    }
}
