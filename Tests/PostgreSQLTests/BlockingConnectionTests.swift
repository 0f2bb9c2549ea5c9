import PostgreSQL
import PostgreSQLSupport
import System
import Testing

@Suite(.enabled(if: ThrowawayPostgreSQL.isInstalled, "\(ThrowawayPostgreSQL.missing)"))
struct BlockingConnectionTests {
    private let database: TestDatabase
    private let connection: BlockingConnection

    init() throws {
        database = try TestDatabase()
        connection = try BlockingConnection(url: database.url)
    }

    @Test func `sends and returns every type of value`() throws {
        let command = Command(
            "SELECT $1, $2, $3, $4, $5",
            [
                .bigint(.min), .double(-0.0), .text("é🙂\n"), .bytes([0, 255, 1]), .boolean(true),
            ]
        )
        for _ in 0..<2 {
            let row = try #require(connection.perform(command).first)
            #expect(try row.bigint(0) == .min)
            #expect(try row.double(1).bitPattern == (-0.0).bitPattern)
            #expect(try row.text(2) == "é🙂\n")
            #expect(try row.bytes(3) == [0, 255, 1])
            #expect(try row.boolean(4))
        }
    }

    @Test func `sends and returns empty values and NULL`() throws {
        let row = try #require(
            connection.perform(
                Command(
                    "SELECT $1, $2, $3, $4, $5, $6, $7",
                    [
                        .text(""), .bytes([]), .bigint(nil), .double(nil), .text(nil), .bytes(nil),
                        .boolean(nil),
                    ]
                )
            ).first
        )
        #expect(try row.text(0).isEmpty)
        #expect(try row.bytes(1).isEmpty)
        #expect(try row.optionalBigint(2) == nil)
        #expect(try row.optionalDouble(3) == nil)
        #expect(try row.optionalText(4) == nil)
        #expect(try row.optionalBytes(5) == nil)
        #expect(try row.optionalBoolean(6) == nil)
        #expect(try row.isNull(6))
    }

    @Test(arguments: [true, false])
    func `performs commands together, in order`(prepares: Bool) throws {
        let connection = try BlockingConnection(url: database.url, preparesStatements: prepares)
        try connection.perform(Command("CREATE TABLE t (id BIGINT PRIMARY KEY)"))
        let insert: SQL = """
            INSERT INTO t SELECT $1 WHERE NOT EXISTS (SELECT 1 FROM t WHERE id = $1) RETURNING id
            """
        let ids = Array(1...250) + [250] as [Int64]

        let results = try connection.perform(ids.map { Command(insert, [.bigint($0)]) })

        #expect(results.count == ids.count)
        for (id, rows) in zip(ids, results).dropLast() {
            #expect(try rows.map { try $0.bigint(0) } == [id])
        }
        #expect(results.last?.isEmpty == true)
        #expect(try connection.perform([]).isEmpty)
    }

    @Test func `reports the first error of commands that it performs together`() throws {
        try connection.perform(Command("CREATE TABLE t (id BIGINT PRIMARY KEY)"))
        let insert: SQL = "INSERT INTO t VALUES ($1)"
        let divide: SQL = "SELECT 1 / $1"
        let commands = [
            Command(insert, [.bigint(1)]), Command(divide, [.bigint(0)]),
            Command(insert, [.bigint(1)]), Command(insert, [.bigint(2)]),
        ]

        let error = #expect(throws: PostgreSQLError.self) { try connection.perform(commands) }

        #expect(error?.state?.rawValue == "22012")
        // They are one transaction, unless one is open.
        #expect(try connection.perform(Command("SELECT id FROM t")).isEmpty)
        #expect(try connection.perform(commands.suffix(1)).count == 1)
    }

    @Test(arguments: [[7], [1, -2, .max]] as [[Int64]])
    func `sends arrays`(numbers: [Int64]) throws {
        let rows = try connection.perform(
            Command(
                "SELECT a, b FROM unnest($1, $2) AS t(a, b)",
                [.bigints(numbers), .array(numbers.map { .double(Double($0) / 2) })]
            )
        )
        #expect(try rows.map { try $0.bigint(0) } == numbers)
        #expect(try rows.map { try $0.double(1) } == numbers.map { Double($0) / 2 })
    }

    @Test func `returns integers of any size`() throws {
        let rows = try connection.perform(Command("SELECT 1::int2, -2::int4, 3::int8"))
        let row = try #require(rows.first)
        #expect(try (0..<3).map { try row.bigint($0) } == [1, -2, 3])
    }

    @Test func `rejects access with another type`() throws {
        let row = try #require(connection.perform(Command("SELECT 1, NULL::text")).first)
        #expect(throws: PostgreSQLError.self) { try row.text(0) }
        #expect(throws: PostgreSQLError.self) { try row.text(1) }
        #expect(throws: PostgreSQLError.self) { try row.bigint(2) }
        #expect(throws: PostgreSQLError.self) { try row.bigint(-1) }
        #expect(try row.optionalText(1) == nil)
    }

    @Test func `reports the server's error without values`() throws {
        try database.run("CREATE TABLE notes (id BIGINT PRIMARY KEY, text TEXT)")
        let insert = Command("INSERT INTO notes VALUES ($1, $2)", [.bigint(1), .text("secret")])
        try connection.perform(insert)
        let error = try #require(throws: PostgreSQLError.self) { try connection.perform(insert) }
        #expect(error.kind == .rejected)
        #expect(error.state == .uniqueViolation)
        #expect(!"\(error)".contains("secret"))
        #expect(!"\(error)".contains("(1)"))
    }

    @Test func `stores nothing of a transaction that fails`() throws {
        try database.run("CREATE TABLE notes (id BIGINT PRIMARY KEY)")
        let insert = Command("INSERT INTO notes VALUES ($1)", [.bigint(1)])
        #expect(throws: PostgreSQLError.self) {
            try connection.transaction {
                try connection.perform(insert)
                try connection.perform(insert)
            }
        }
        #expect(try database.run("SELECT count(*) FROM notes") == "0")
        try connection.transaction { _ = try connection.perform(insert) }
        #expect(try database.run("SELECT count(*) FROM notes") == "1")
    }

    @Test func `prepares again what the server has forgotten`() throws {
        let command = Command("SELECT $1 + 1", [.bigint(1)])
        #expect(try connection.perform(command).first?.bigint(0) == 2)
        try connection.perform(Command("DEALLOCATE ALL"))
        #expect(try connection.perform(command).first?.bigint(0) == 2)
    }

    @Test func `reports a killed backend as unreachable`() throws {
        let id = try #require(connection.perform(Command("SELECT pg_backend_pid()")).first)
        try database.run("SELECT pg_terminate_backend(\(id.bigint(0)))")
        let error = try #require(throws: PostgreSQLError.self) {
            try connection.perform(Command("SELECT 1"))
        }
        #expect(error.kind == .unreachable)
    }

    @Test func `reports an unknown database with its code`() throws {
        let url = try database.server.url(of: "absent")
        let error = try #require(throws: PostgreSQLError.self) { try BlockingConnection(url: url) }
        #expect(error.kind == .unreachable)
        #expect(error.state == .unknownDatabase)
    }

    @Test func `has the settings that suit a server`() throws {
        let serving = try BlockingConnection(
            url: database.url,
            for: .serving(timeoutMilliseconds: 1234)
        )
        let row = try #require(
            serving.perform(
                Command(
                    """
                    SELECT current_setting('statement_timeout'), current_setting('lock_timeout'),
                        current_setting('TimeZone'), current_setting('plan_cache_mode'),
                        current_setting('application_name')
                    """
                )
            ).first
        )
        #expect(
            try (0..<5).map { try row.text($0) }
                == ["1234ms", "2s", "UTC", "force_generic_plan", "humon"]
        )
    }

    /// A plan that was made for a nearly empty table would read all rows for each imported one.
    @Test func `plans imports with indexes, and lets them take as long as they need`() throws {
        let connection = try BlockingConnection(url: database.url, for: .transfer)
        let row = try #require(
            connection.perform(
                Command(
                    """
                    SELECT current_setting('enable_seqscan'), current_setting('jit'),
                        current_setting('statement_timeout')
                    """
                )
            ).first
        )
        #expect(try (0..<3).map { try row.text($0) } == ["off", "off", "0"])
    }
}
