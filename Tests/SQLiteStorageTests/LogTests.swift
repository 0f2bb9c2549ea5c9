import Events
import Foundation
import Model
import SQLite
import StorageSupport
import System
import Testing

@testable import SQLiteStorage

/// The log of changes, which triggers write.
@Suite struct LogTests {
    private static let columns =
        "(id, owner_id, name, latitude, longitude, started_at, created_at, updated_at)"

    /// Rows of the log: kind, record, user, event, whether it was public, latitude, longitude.
    @Test(arguments: [
        ("INSERT INTO events \(columns) VALUES (NULL, 1, 'd', 0, 4, 0, 0, 0)", "1 4 1 - - - -"),
        ("UPDATE events SET name = 'A' WHERE id = 1", "1 1 1 - 1 0.0 1.0"),
        ("UPDATE events SET name = name, latitude = 7 WHERE id = 1", "1 1 1 - 1 0.0 1.0"),
        ("UPDATE events SET id = 9 WHERE id = 2", "1 2 1 - 1 0.0 2.0/1 9 1 - - - -"),
        ("UPDATE events SET owner_id = 2 WHERE id = 2", "1 2 1 - 1 0.0 2.0"),
        ("DELETE FROM events WHERE id = 1", "1 1 1 - 1 0.0 1.0/2 1 1 1 - - -"),
        ("DELETE FROM events WHERE id = 99", ""),
        (
            "INSERT INTO attendances (user_id, event_id, created_at) VALUES (2, 3, 0)",
            "2 2 2 3 - - -"
        ),
        ("UPDATE attendances SET event_id = 3", "2 1 1 1 - - -/2 1 1 3 - - -"),
        ("DELETE FROM attendances", "2 1 1 1 - - -"),
        (
            "REPLACE INTO attendances (user_id, event_id, created_at) VALUES (1, 1, 5)",
            "2 1 1 1 - - -/2 2 1 1 - - -"
        ),
        ("UPDATE todo_tasks SET title = 'T'", "3 1 1 - - - -"),
        ("DELETE FROM accounts", "3 1 1 - - - -"),
        ("BEGIN; UPDATE events SET name = 'A'; ROLLBACK", ""),
        (
            "BEGIN; SAVEPOINT a; DELETE FROM events WHERE id = 2; ROLLBACK TO a; "
                + "DELETE FROM events WHERE id = 3; COMMIT", "1 3 1 - 1 0.0 3.0"
        ),
        (
            "REPLACE INTO events \(columns) VALUES (2, 2, 'B', 5, 6, 0, 0, 0)",
            "1 2 1 - 1 0.0 2.0/1 2 2 - - - -"
        ),
        (
            "INSERT INTO events \(columns) VALUES (2, 2, 'B', 5, 6, 0, 0, 0) "
                + "ON CONFLICT (id) DO UPDATE SET name = excluded.name",
            "1 2 1 - 1 0.0 2.0/1 2 1 - 1 0.0 2.0"
        ),
    ])
    func `has a row for each change`(sql: String, rows: String) async throws {
        let fixture = try Self.fixture()
        let connection = try Connection(fixture.configuration, .readWrite)
        let position = try #require(try SQLiteLog(connection).position())

        try connection.execute(script: "PRAGMA foreign_keys = ON; \(sql)")

        let changes = try Self.changes(after: position.number, on: connection)
        let texts = try connection.all(
            """
            SELECT kind || ' ' || coalesce(record_id, '-') || ' ' || coalesce(user_id, '-') || ' '
                || coalesce(event_id, '-') || ' ' || coalesce(was_public, '-') || ' '
                || coalesce(latitude, '-') || ' ' || coalesce(longitude, '-')
            FROM changes WHERE seq > ?
            """,
            .integer(position.number)
        ) { $0.text(0) }
        #expect(texts.sorted().joined(separator: "/") == rows)
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        #expect(changes.allSatisfy { now - 60_000 <= $0.changedAt && $0.changedAt <= now })
    }

    @Test func `has the changes of the server, of an import and of other processes`() async throws {
        let fixture = try Self.fixture()
        let connection = try Connection(fixture.configuration, .queryOnly)
        let position = try #require(try SQLiteLog(connection).position())

        let user = try await fixture.user(7)
        _ = try await fixture.events.create(.at(0, 4), token: TokenDigest(7))
        _ = try fixture.store(.at(0, 5), ownerID: user.id)
        try await fixture.writeElsewhere { other in
            try other.run("UPDATE events SET name = 'A' WHERE id = 1")
        }

        let changes = try Self.changes(after: position.number, on: connection)
        #expect(changes.map(\.recordID) == [4, 5, 1])
    }

    @Test func `has the same numbers after VACUUM`() async throws {
        let fixture = try Self.fixture()
        let connection = try Connection(fixture.configuration, .readWrite)
        try connection.run("DELETE FROM changes WHERE seq < 3")
        let position = try SQLiteLog(connection).position()

        try connection.execute(script: "VACUUM")

        #expect(try SQLiteLog(connection).position() == position)
        #expect(try Self.changes(after: 0, on: connection).first?.number == 3)
    }

    @Test func `loses its oldest changes, and never the newest`() async throws {
        let fixture = try Self.fixture()
        let connection = try Connection(fixture.configuration, .readWrite)
        let log = SQLiteLog(connection)
        let start = try #require(try log.position())
        try connection.run("DELETE FROM changes WHERE seq < (SELECT max(seq) FROM changes)")
        for _ in 1...9 { try connection.run("UPDATE events SET name = name WHERE id = 1") }
        let last = start.number + 9
        func prune(_ change: (inout LogRetention) -> Void) throws -> [Int64] {
            var retention = LogRetention()
            change(&retention)
            _ = try log.prune(retention, now: .max / 2)
            let floor = try log.position()?.floor ?? -1
            return [last - floor, Int64(try Self.changes(after: 0, on: connection).count)]
        }

        #expect(try prune { _ in } == [last, 10])
        #expect(try prune { $0.mostRows = 8 } == [8, 8])
        #expect(try prune { ($0.mostRows, $0.rowsAtOnce) = (2, 3) } == [5, 5])
        #expect(try prune { $0.leastRows = 4 } == [4, 4])
        #expect(try prune { ($0.leastRows, $0.mostRows) = (0, 0) } == [1, 1])
        let end = try #require(try log.position())
        #expect(!end.follows(start) && end.includes(start))
    }

    @Test(arguments: [
        "UPDATE changes SET kind = 10", "UPDATE changes SET seq = 0 WHERE seq = 1",
        "UPDATE changes SET record_id = NULL", "UPDATE feed SET epoch = 'short'",
        "INSERT INTO feed (id, epoch) VALUES (2, '12345678')",
    ])
    func `rejects rows that can't be`(sql: String) async throws {
        let fixture = try Self.fixture()
        let connection = try Connection(fixture.configuration, .readWrite)

        #expect(throws: SQLiteError.self) { try connection.execute(script: sql) }
    }

    /// The start of the system that the log knows, how durable commits are, whether the log has
    /// another identity then, and whether it knows this start.
    @Test(
        arguments: [
            ("NULL", .full, false, false), ("NULL", .normal, false, true),
            ("'another'", .normal, true, true), ("'another'", .full, true, false),
            ("'\(boot)'", .off, false, true), ("'\(boot)'", .full, false, false),
        ] as [(String, Durability, Bool, Bool)]
    )
    func `has another identity after a start of the system that may have undone commits`(
        known: String,
        durability: Durability,
        isRenewed: Bool,
        isKnown: Bool
    ) async throws {
        let fixture = try Self.fixture()
        let connection = try Connection(fixture.configuration, .readWrite)
        try connection.execute(script: "UPDATE feed SET boot = \(known)")
        let before = try #require(try SQLiteLog(connection).position())
        // SQLite has the WAL beside the file that a link names.
        let folder = fixture.configuration.path + "-links"
        let link = folder + "/link.db"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(
            atPath: link,
            withDestinationPath: fixture.configuration.path
        )
        let engine = try SQLiteEngine(
            SQLiteEngine.Options(
                path: link,
                durability: durability,
                migrations: StorageFixture.migrations(),
                representation: .text
            )
        )

        try engine.open(for: .administration) { _ in }.close()
        #expect(try SQLiteLog(connection).position() == before)
        try engine.open(for: .serving) { _ in }.close()

        let position = try #require(try SQLiteLog(connection).position())
        #expect((position.log != before.log) == isRenewed)
        let boot = try connection.first("SELECT boot FROM feed") { $0.optionalText(0) }
        #expect(boot == (isKnown ? Self.boot : nil))
    }

    private static let boot =
        (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8))?
        .trimmingCharacters(in: .whitespacesAndNewlines) ?? ""

    /// The changes after a number in their order: number, record and time.
    private static func changes(
        after number: Int64,
        on connection: Connection
    ) throws -> [(number: Int64, recordID: Int64, changedAt: Int64)] {
        try connection.all(
            "SELECT seq, record_id, changed_at FROM changes WHERE seq > ? ORDER BY seq",
            .integer(number)
        ) { row in (row.int64(0), row.int64(1), row.int64(2)) }
    }

    /// Two users, the events a, b and c, an account with a task, and an attendance of event 1.
    private static func fixture() throws -> StorageFixture {
        let fixture = try StorageFixture()
        let connection = try Connection(fixture.configuration, .readWrite)
        try connection.execute(
            script: """
                INSERT INTO users (created_at) VALUES (0), (0);
                INSERT INTO events \(columns) VALUES (1, 1, 'a', 0, 1, 0, 0, 0),
                    (2, 1, 'b', 0, 2, 0, 0, 0), (3, 1, 'c', 0, 3, 0, 0, 0);
                INSERT INTO accounts (email, name, created_at, updated_at)
                VALUES ('a@example.com', 'a', 0, 0);
                INSERT INTO todo_tasks (account_id, title, is_completed, created_at, updated_at)
                VALUES (1, 't', 0, 0, 0);
                INSERT INTO attendances (user_id, event_id, created_at) VALUES (1, 1, 0)
                """
        )
        return fixture
    }
}
