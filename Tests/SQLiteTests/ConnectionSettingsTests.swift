import FoundationEssentials
import SQLite
import System
import Testing

struct ConnectionSettingsTests {
    private let database: TemporaryDatabase

    init() throws {
        database = try TemporaryDatabase()
    }

    @Test func `puts every setting in force`() throws {
        var configuration = DatabaseConfiguration(path: database.path)
        configuration.cacheKibibytes = 512
        configuration.busyTimeoutMilliseconds = 1234

        let connection = try Connection(configuration, .readWrite)

        #expect(
            try connection.settings()
                == Settings(synchronous: 2, isQueryOnly: 0, checksCellSizes: 1)
        )
    }

    @Test func `puts every setting of a reader in force`() throws {
        var configuration = database.configuration
        _ = try Connection(configuration, .readWrite)
        configuration.cacheKibibytes = 512
        configuration.busyTimeoutMilliseconds = 1234

        let connection = try Connection(configuration, .queryOnly)

        #expect(
            try connection.settings()
                == Settings(synchronous: 2, isQueryOnly: 1, checksCellSizes: 0)
        )
    }

    @Test(
        "can be synchronous to every degree",
        arguments: zip(DatabaseConfiguration.Synchronous.allCases, [Int64(0), 1, 2, 3])
    )
    func synchronous(degree: DatabaseConfiguration.Synchronous, number: Int64) throws {
        let configuration = DatabaseConfiguration(path: database.path, synchronous: degree)

        let connection = try Connection(configuration, .readWrite)

        #expect(try connection.first("PRAGMA synchronous") { $0.int64(0) } == number)
    }

    @Test func `creates files that only their owner may read`() throws {
        let connection = try database.connection()
        try connection.insertNote("private")

        let modes = ["", "-wal", "-shm"].map { database.mode($0) }

        #expect(modes == [0o600, 0o600, 0o600])
    }

    @Test("refuses what is no file", arguments: [":memory:", "", "a\0b"])
    func noFile(path: String) {
        #expect(throws: SQLiteError.self) {
            try Connection(DatabaseConfiguration(path: path), .readWrite)
        }
    }

    @Test func `takes a path for nothing but a path`() throws {
        let path = database.directory + "/file:x?mode=memory"

        _ = try Connection(DatabaseConfiguration(path: path), .readWrite)

        #expect(FileManager.default.fileExists(atPath: path))
    }

    @Test func `refuses a database that is not in WAL mode`() throws {
        try Connection(database.configuration, .readWrite).execute(
            script: "CREATE TABLE t (a); PRAGMA journal_mode = DELETE"
        )

        let error = #expect(throws: SQLiteError.self) {
            try Connection(database.configuration, .queryOnly)
        }

        #expect(error?.message == "journal_mode is \"delete\" and can't be set to \"wal\"")
    }

    @Test func `does not create a database to read from`() throws {
        let error = #expect(throws: SQLiteError.self) {
            try Connection(database.configuration, .queryOnly)
        }

        #expect(error?.code.primary == .cannotOpen)
        #expect(database.mode("") == nil)
    }

    @Test func `refuses a file that is no database`() throws {
        try String(repeating: "not a database ", count: 400)
            .write(toFile: database.path, atomically: true, encoding: .utf8)

        let error = #expect(throws: SQLiteError.self) {
            try Connection(database.configuration, .readWrite)
        }

        #expect(error?.code == .notADatabase)
    }

    @Test func `refuses writes on a reader`() throws {
        _ = try database.connection()
        let reader = try Connection(database.configuration, .queryOnly)

        let error = #expect(throws: SQLiteError.self) { try reader.insertNote("no") }

        #expect(error?.code.primary == .readOnly)
    }

    @Test func `refuses to damage its own schema`() throws {
        let connection = try database.connection()

        #expect(throws: SQLiteError.self) {
            try connection.execute(
                script: "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema"
            )
        }
    }
}

/// What the pragmas answer when all is as it should be.
private struct Settings: Equatable {
    var journalMode = "wal"
    var synchronous: Int64
    var isQueryOnly: Int64
    var checksCellSizes: Int64
    var others: [Int64] = [1, 0, 2, 0, -512, 1234, 0]
}

extension Connection {
    fileprivate func settings() throws -> Settings {
        let others = [
            try first("PRAGMA foreign_keys") { $0.int64(0) },
            try first("PRAGMA trusted_schema") { $0.int64(0) },
            try first("PRAGMA temp_store") { $0.int64(0) },
            try first("PRAGMA wal_autocheckpoint") { $0.int64(0) },
            try first("PRAGMA cache_size") { $0.int64(0) },
            try first("PRAGMA busy_timeout") { $0.int64(0) },
            try first("PRAGMA mmap_size") { $0.int64(0) },
        ]
        return Settings(
            journalMode: try first("PRAGMA journal_mode") { $0.text(0) } ?? "",
            synchronous: try first("PRAGMA synchronous") { $0.int64(0) } ?? -1,
            isQueryOnly: try first("PRAGMA query_only") { $0.int64(0) } ?? -1,
            checksCellSizes: try first("PRAGMA cell_size_check") { $0.int64(0) } ?? -1,
            others: others.map { $0 ?? -1 }
        )
    }
}
