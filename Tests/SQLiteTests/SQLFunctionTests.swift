import System
import SQLite
import Testing

struct SQLFunctionTests {
    private let database: TemporaryDatabase

    init() throws {
        database = try TemporaryDatabase()
    }

    private let sum = SQLFunction("whole_sum", argumentCount: 2) { numbers in
        Int64(exactly: numbers.reduce(0, +))
    }

    private func migrate(_ sql: String..., functions: [SQLFunction]) throws {
        let migrations = sql.enumerated().map { ("000\($0.offset + 1)_step", $0.element) }
        _ = try Migrator(migrations, functions: functions, configuration: database.configuration)
            .migrate()
    }

    @Test func `is called by migrations`() throws {
        try migrate(
            """
            CREATE TABLE sums (id INTEGER PRIMARY KEY, sum);
            INSERT INTO sums (sum) VALUES
                (whole_sum(1.5, 2.5)), (whole_sum(2, -3)), (whole_sum(1, 0.5)),
                (whole_sum(1, NULL)), (whole_sum('4', 3));
            """,
            functions: [sum]
        )

        let connection = try Connection(database.configuration, .queryOnly)
        let sums = try connection.all("SELECT sum FROM sums ORDER BY id") { $0.optionalInt64(0) }
        #expect(sums == [4, -1, nil, nil, 7])
    }

    @Test func `is known where a database is compared with its migrations`() throws {
        let text = "CREATE TABLE sums AS SELECT whole_sum(1, 2) AS sum"
        try migrate(text, functions: [sum])

        let difference = try Migrator(
            [("0001_step", text)],
            functions: [sum],
            configuration: database.configuration
        ).schemaDifference(on: Connection(database.configuration, .queryOnly))

        #expect(difference.missing + difference.extra == [])
    }

    /// Otherwise a database could only be used by programs that have it.
    @Test(arguments: [
        "CREATE VIEW sums AS SELECT whole_sum(1, 2); CREATE TABLE results AS SELECT * FROM sums",
        "CREATE TABLE sums (id CHECK (whole_sum(id, 2) > 0)); INSERT INTO sums VALUES (3)",
        "CREATE TABLE sums (id); CREATE INDEX sums_sum ON sums (whole_sum(id, 2))",
    ])
    func `is not part of a schema`(sql: String) throws {
        let error = #expect(throws: MigrationError.self) { try migrate(sql, functions: [sum]) }

        #expect(
            error?.description.contains("unsafe use of whole_sum()") == true,
            "\(String(describing: error))"
        )
    }

    @Test func `is released with the connection`() throws {
        final class Witness: Sendable {}
        var witness: Witness? = Witness()
        weak let released = witness
        try { [witness] in
            try migrate(
                "SELECT count_of_witnesses()",
                functions: [
                    SQLFunction("count_of_witnesses", argumentCount: 0) { _ in
                        witness == nil ? 0 : 1
                    }
                ]
            )
        }()
        #expect(released != nil)

        witness = nil

        #expect(released == nil)
    }
}
