import Model
import Operations
import PostgreSQLStorage
import PostgreSQLSupport
import SQLite
import SQLiteStorage
import StorageSupport
import Testing

@testable import Humon

/// Moves that fail or that the source changes under, at each of their changes.
@Suite struct MoveTests {
    private let program: Program
    private let source: SQLiteEngine

    init() throws {
        program = try Program()
        source = try Self.engine(at: program.path("source.sqlite3"))
        _ = try source.migrate { _ in }
        try Self.execute(
            """
            INSERT INTO users VALUES (1, NULL, 1), (2, randomblob(32), 2);
            INSERT INTO events SELECT value, 1, 'event ' || value, NULL, 1, 2, 3, NULL, 4, 5, 6
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
    private func rows(of engine: any StorageEngine) throws -> [[UInt8]] {
        let reader = try engine.moves.makeReader(of: .snapshot)
        let tables = try MovedTable.allCases.map { table in
            try reader.rows(of: table, after: .min, through: .max, limit: 10_000).bytes
        }
        return try tables + [Array(reader.installation().utf8)]
    }

    private func move(to target: any StorageEngine) throws {
        _ = try Move(from: source, to: target, MoveCancellation()) { _ in }.run()
    }

    /// Adds, changes and deletes rows, also such that others refer to.
    private static func change(_ number: Int, at path: String) throws {
        let id = 5000 + number
        try execute(
            """
            INSERT INTO users VALUES (\(id), randomblob(32), 1);
            INSERT INTO events VALUES (\(id), \(id), 'new', '', 0, 0, 0, NULL, 0, 0, 0);
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
    func `a failure opens the source again, and the next run goes on`(isAfter: Bool) throws {
        let target = try Self.engine(at: program.path("target.sqlite3"))
        var number = 0
        var failures = 0
        while true {
            number += 1
            let faults = MoveFaults(failing: number, isAfter: isAfter)
            do {
                try move(to: FaultyEngine(target, faults))
                break
            } catch is MoveFaults.Failure {
                failures += 1
                #expect(try !source.moves.isClosed())
                try Self.change(number, at: source.name)
            }
        }

        #expect(failures >= 10)
        #expect(try source.moves.isClosed())
        #expect(try rows(of: target) == rows(of: source))
        let files = try program.files().filter { $0.hasPrefix("target") }
        #expect(files == ["target.sqlite3", "target.sqlite3-lock"])
    }

    @Test func `what is written during the move is moved`() throws {
        let target = try Self.engine(at: program.path("target.sqlite3"))
        let faults = MoveFaults(failing: 0) { [source] number in
            if try !source.moves.isClosed() { try Self.change(-number, at: source.name) }
        }

        try move(to: FaultyEngine(target, faults))

        let rows = try rows(of: target)
        #expect(rows == (try self.rows(of: source)))
        let reader = try target.moves.makeReader(of: .snapshot)
        #expect(try reader.extent(of: .events).greatestID > 5000)
    }

    @Test func `a source that is opened during the move fails it`() throws {
        let target = try Self.engine(at: program.path("target.sqlite3"))
        let faults = MoveFaults(failing: 0) { [source] _ in
            if try source.moves.isClosed() { try source.moves.reopen() }
        }

        #expect {
            try move(to: FaultyEngine(target, faults))
        } throws: { error in
            Explanation.text(of: error).contains("was opened again during the move")
        }
        #expect(try target.isEmpty())
    }

    @Test func `a stopped move leaves the source open`() throws {
        let target = try Self.engine(at: program.path("target.sqlite3"))
        let cancellation = MoveCancellation()

        #expect(throws: CancellationError.self) {
            try Move(from: source, to: target, cancellation) { stage in
                if stage == .closing { cancellation.cancel() }
            }.run()
        }
        #expect(try !source.moves.isClosed())
    }

    @Test func `a second move that fails leaves the source of the first one closed`() throws {
        try move(to: Self.engine(at: program.path("first.sqlite3")))
        let second = try Self.engine(at: program.path("second.sqlite3"))

        #expect(throws: MoveFaults.Failure.self) {
            try move(to: FaultyEngine(second, MoveFaults(failing: 3)))
        }

        #expect(try source.moves.isClosed())
    }

    @Test(.enabled(if: ThrowawayPostgreSQL.isInstalled, ThrowawayPostgreSQL.skipped))
    func `a target that is not complete is neither moved nor backed up`() throws {
        let database = try TestDatabase()
        var settings = PostgreSQLEngine.Options(
            url: database.server.urlText(of: database.name),
            migrations: try StorageFixture.migrations(of: "postgresql"),
            representation: .text
        )
        settings.readers = 1
        let target = try PostgreSQLEngine(settings)
        let faults = MoveFaults(failing: 3)
        #expect(throws: MoveFaults.Failure.self) { try move(to: FaultyEngine(target, faults)) }
        let other = try Self.engine(at: program.path("other.sqlite3"))

        let attempts: [() throws -> Void] = [
            { _ = try Move(from: target, to: other, MoveCancellation()) { _ in }.run() },
            { _ = try RecordCopier(from: target) { _ in other }.copy(to: other) { _ in } },
            { try target.exportRecords { _ in } },
        ]
        for attempt in attempts {
            let error = #expect(throws: OperatorError.self) { try attempt() }
            #expect(error == .unfinishedMove(source.name))
        }
        #expect(try other.isEmpty())
    }

    @Test func `every table and column is moved`() throws {
        let configuration = DatabaseConfiguration(path: program.path("source.sqlite3"))
        let connection = try Connection(configuration, .inspect)
        let tables = try connection.all(
            """
            SELECT m.name || ' ' || count(*) FROM sqlite_schema AS m, pragma_table_info(m.name)
            WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%' AND m.name <> 'schema_migrations'
            GROUP BY m.name ORDER BY m.name
            """
        ) { row in row.text(0) }

        let moved = MovedTable.allCases.map { "\($0.rawValue) \($0.columns.count)" }
        // This table has a single row, which moves copy separately.
        #expect(tables == (moved + ["installation 2"]).sorted())
    }
}
