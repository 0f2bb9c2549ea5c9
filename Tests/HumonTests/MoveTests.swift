import Model
import Operations
import PostgreSQLStorage
import PostgreSQLSupport
import Rules
import SQLite
import SQLiteStorage
import StorageSupport
import System
import Testing

@testable import Humon

/// Moves that fail at each of their changes.
@Suite struct MoveTests {
    private let program: Program
    private let source: SQLiteEngine

    init() throws {
        program = try Program()
        source = try Self.engine(at: program.path("source.sqlite3"))
        _ = try source.migrate { _ in }
        try Self.execute(
            """
            INSERT INTO users (id, created_at) VALUES (1, 1), (2, 2);
            INSERT INTO user_tokens (user_id, digest, created_at, scope_id)
                VALUES (2, randomblob(32), 2, 2);
            INSERT INTO events
                (id, owner_id, name, address, latitude, longitude, started_at, ended_at,
                created_at, updated_at)
                SELECT value, 1, 'event ' || value, NULL, 1, 2, 3, NULL, 4, 5
                FROM generate_series;
            INSERT INTO attendances VALUES (1, 2, 1, 1), (2, 2, 1500, 1);
            INSERT INTO accounts VALUES (1, 'ana@example.com', '', NULL, 1, 1);
            INSERT INTO sessions VALUES (1, 1, randomblob(32), 1);
            """.replacing("FROM generate_series", with: Self.series),
            at: source.name
        )
    }

    private static let series = """
        FROM (WITH RECURSIVE n (value) AS (
            SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 3000
        ) SELECT value FROM n)
        """

    private static func engine(at path: String) throws -> SQLiteEngine {
        try SQLiteEngine(
            SQLiteEngine.Options(
                path: path,
                durability: .off,
                migrations: StorageFixture.migrations(),
                representation: .text
            )
        )
    }

    private static func execute(_ sql: String, at path: String) throws {
        let configuration = DatabaseConfiguration(path: path, synchronous: .off)
        try Connection(configuration, .readWrite).execute(script: sql)
    }

    /// All rows of a database, table by table, and its installation.
    private func rows(of engine: any StorageEngine) throws -> [[[ColumnValue]]] {
        let reader = try engine.moves.makeReader()
        return try (Table.records + [.installation]).map { table in
            try reader.rows(of: table, after: .min, limit: 10_000)
        }
    }

    private func move(to target: any StorageEngine) throws {
        _ = try Move(from: source, to: target, Cancellation()) { _ in }.run()
    }

    /// Adds, changes and deletes rows, also such that others refer to.
    private static func change(_ number: Int, at path: String) throws {
        let id = 5000 + number
        try execute(
            """
            INSERT INTO users (id, created_at) VALUES (\(id), 1);
            INSERT INTO events
                (id, owner_id, name, address, latitude, longitude, started_at, ended_at,
                created_at, updated_at)
                VALUES (\(id), \(id), 'new', '', 0, 0, 0, NULL, 0, 0);
            INSERT INTO attendances VALUES (\(id), 2, \(id), 1);
            DELETE FROM events WHERE id = \(number * 7);
            UPDATE events SET name = 'changed' WHERE id = \(number * 11);
            DELETE FROM sessions;
            INSERT INTO sessions VALUES (\(id), 1, randomblob(32), 1);
            """,
            at: path
        )
    }

    @Test(arguments: [false, true])
    func `a failure leaves the source open, and the next move begins anew`(isAfter: Bool) throws {
        let target = try Self.engine(at: program.path("target.sqlite3"))
        var number = 0
        while true {
            number += 1
            let faults = MoveFaults(failing: number, isAfter: isAfter)
            do {
                try move(to: FaultyEngine(target, faults))
                break
            } catch is MoveFaults.Failure {
                #expect(try !source.moves.isClosed())
                #expect(try target.isEmpty())
                try Self.change(number, at: source.name)
            } catch is SourceStaysClosed {
                // The target was complete before the failure.
                #expect(isAfter)
                break
            }
        }

        #expect(number >= 16)
        #expect(try source.moves.isClosed())
        #expect(try rows(of: target) == rows(of: source))
        let files = try program.files().filter { $0.hasPrefix("target") }
        #expect(files == ["target.sqlite3", "target.sqlite3-lock"])
    }

    @Test func `a stopped move leaves the source open`() throws {
        let target = try Self.engine(at: program.path("target.sqlite3"))
        let cancellation = Cancellation()

        #expect(throws: CancellationError.self) {
            try Move(from: source, to: target, cancellation) { stage in
                if case .verifying = stage { cancellation.cancel() }
            }.run()
        }
        #expect(try !source.moves.isClosed())
        try Self.change(1, at: source.name)
    }

    @Test func `a kill after the source was closed leaves a target that the next move fills`()
        throws
    {
        let target = try Self.engine(at: program.path("target.sqlite3"))
        _ = try target.moves.makeTarget(for: source.name)
        try source.moves.makeSource().finish()

        #expect(throws: OperatorError.self) { try target.open(for: .administration) { _ in } }
        try move(to: target)

        #expect(try source.moves.isClosed())
        #expect(try rows(of: target) == rows(of: source))
    }

    @Test func `two moves of one source or to one target exclude each other`() throws {
        let target = try Self.engine(at: program.path("target.sqlite3"))
        let other = try Self.engine(at: program.path("other.sqlite3"))
        _ = try other.migrate { _ in }
        let faults = MoveFaults(failing: 0) { [source] number in
            guard number == -3 else { return }
            #expect(throws: OperatorError.moveIsRunning("\"\(source.name)\"")) {
                try Move(from: source, to: other, Cancellation()) { _ in }.run()
            }
            #expect(throws: OperatorError.moveIsRunning("\"\(source.name)\"")) {
                try source.moves.reopen()
            }
            #expect(throws: OperatorError.self) {
                try Move(from: other, to: target, Cancellation()) { _ in }.run()
            }
        }

        try move(to: FaultyEngine(target, faults))

        #expect(try rows(of: target) == rows(of: source))
    }

    @Test func `a second move that fails leaves the source of the first one closed`() throws {
        try move(to: Self.engine(at: program.path("first.sqlite3")))
        let second = try Self.engine(at: program.path("second.sqlite3"))

        #expect(throws: MoveFaults.Failure.self) {
            try move(to: FaultyEngine(second, MoveFaults(failing: 16)))
        }

        #expect(try source.moves.isClosed())
    }

    @Test(.enabled(if: ThrowawayPostgreSQL.isInstalled, ThrowawayPostgreSQL.skipped))
    func `a target that is not complete is not used, and the next move empties it`() throws {
        let database = try TestDatabase()
        var settings = PostgreSQLEngine.Options(
            url: database.server.urlText(of: database.name),
            migrations: try StorageFixture.migrations(of: "postgresql"),
            representation: .text
        )
        settings.readers = 1
        let target = try PostgreSQLEngine(settings)
        let other = try Self.engine(at: program.path("other.sqlite3"))
        for number in [2, 5, 14, 15, 16] {
            let faults = MoveFaults(failing: number)
            #expect(throws: MoveFaults.Failure.self) { try move(to: FaultyEngine(target, faults)) }
            #expect(try !source.moves.isClosed())
            let attempts: [() throws -> Void] = [
                { _ = try Move(from: target, to: other, Cancellation()) { _ in }.run() },
                { _ = try Move(from: target, to: other, Cancellation()) { _ in }.copy() },
                { try target.exportRecords { _ in } },
                { _ = try target.open(for: .administration) { _ in } },
            ]
            for attempt in attempts {
                let error = #expect(throws: OperatorError.self) { try attempt() }
                #expect(error == .unfinishedMove(source.name))
            }
            #expect(throws: StartFailure.self) {
                try database.run("INSERT INTO users (created_at) VALUES (1)")
            }
        }
        #expect(try other.isEmpty())

        try move(to: target)

        #expect(try rows(of: target) == rows(of: source))
        try database.run("DELETE FROM sessions")
    }

    @Test func `every table and column is moved`() throws {
        let configuration = DatabaseConfiguration(path: program.path("source.sqlite3"))
        let connection = try Connection(configuration, .inspect)
        let tables = try connection.all(
            """
            SELECT m.name || ' ' || count(*) FROM sqlite_schema AS m, pragma_table_info(m.name)
            WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%'
                AND m.name NOT IN ('schema_migrations', 'changes', 'feed')
            GROUP BY m.name ORDER BY m.name
            """
        ) { row in row.text(0) }

        let moved = Table.records.map { "\($0.name) \($0.columns.count)" }
        // This table has a single row, which moves copy separately. The log begins anew.
        #expect(tables == (moved + ["installation 2"]).sorted())
    }
}
