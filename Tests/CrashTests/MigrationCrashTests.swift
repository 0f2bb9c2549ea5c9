import Foundation
import Glibc
import System
import SQLite
import Testing

@Suite struct MigrationCrashTests {
    private static let first =
        "CREATE TABLE a (id INTEGER PRIMARY KEY) STRICT; INSERT INTO a VALUES (1);"
    /// Writes far more than a connection keeps in memory, so that the file has a part of it before
    /// it is committed.
    private static let second = """
        CREATE TABLE b (id INTEGER PRIMARY KEY, content BLOB NOT NULL) STRICT;
        INSERT INTO a VALUES (2);
        WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 20000)
        INSERT INTO b SELECT n, randomblob(4000) FROM numbers;
        INSERT INTO a VALUES (3);
        """

    private static func migrator(_ path: String, _ sql: String...) throws -> Migrator {
        let migrations = sql.enumerated().map { ("000\($0.offset + 1)_change_tables", $0.element) }
        return try Migrator(migrations, configuration: DatabaseConfiguration(path: path))
    }

    @Test func `applies a migration wholly or not at all when it is killed midway`() async throws {
        let database = try CrashedDatabase()
        let path = database.path
        _ = try Self.migrator(path, Self.first).migrate()
        #expect(database.walBytes() < 1_000_000)

        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            Thread.detachNewThread {
                while Self.walBytes(path) < 20_000_000 { sched_yield() }
                kill(getpid(), SIGKILL)
            }
            _ = try Self.migrator(path, Self.first, Self.second).migrate()
        }

        #expect(database.walBytes() > 20_000_000)
        let migrator = try Self.migrator(path, Self.first, Self.second)
        #expect(try migrator.status().map { $0.appliedAt == nil } == [false, true])
        let connection = try Connection(DatabaseConfiguration(path: path), .queryOnly)
        let tables = try connection.all("SELECT name FROM sqlite_schema WHERE name IN ('a', 'b')") {
            row in row.text(0)
        }
        #expect(tables == ["a"])
        #expect(try connection.all("SELECT id FROM a") { row in row.int64(0) } == [1])

        #expect(try migrator.migrate() == ["0002_change_tables"])
        #expect(try connection.all("SELECT id FROM a") { row in row.int64(0) } == [1, 2, 3])
        #expect(try connection.all("SELECT count(*) FROM b") { row in row.int64(0) } == [20000])
        #expect(try connection.all("PRAGMA integrity_check") { row in row.text(0) } == ["ok"])
    }

    private static func walBytes(_ path: String) -> Int {
        var status = stat()
        return unsafe stat(path + "-wal", &status) == 0 ? status.st_size : 0
    }
}
