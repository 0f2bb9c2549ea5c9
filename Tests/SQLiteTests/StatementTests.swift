import SQLite
import System
import Testing

struct StatementTests {
    private let connection: Connection

    init() throws {
        connection = try TemporaryDatabase().connection()
    }

    @Test(
        "binds an integer",
        arguments: [0, 1, -1, Int64.min, Int64.max, 1 << 40]
    )
    func integer(value: Int64) throws {
        let read = try connection.first("SELECT ?", .integer(value)) { $0.int64(0) }

        #expect(read == value)
    }

    @Test(
        "binds a double",
        arguments: [0, -0.5, 1e300, Double.leastNonzeroMagnitude, 37.8050217, .infinity]
    )
    func real(value: Double) throws {
        let read = try connection.first("SELECT ?", .real(value)) { $0.double(0) }

        #expect(read == value)
    }

    @Test("binds a text", arguments: ["", "a", "Sá\u{301} 🎉", "'; DROP TABLE notes; --", "a\0b"])
    func text(value: String) throws {
        let read = try connection.first("SELECT ?, typeof(?1)", .text(value)) { row in
            [row.text(0), row.text(1)]
        }

        #expect(read == [value, "text"])
    }

    @Test("binds a blob", arguments: [[], [0], [UInt8](0...255)])
    func blob(value: [UInt8]) throws {
        let read = try connection.first("SELECT ?, typeof(?1)", .blob(value)) { row in
            (row.blob(0), row.text(1))
        }

        #expect(read?.0 == value)
        #expect(read?.1 == "blob")
    }

    @Test func `binds NULL`() throws {
        let read = try connection.first("SELECT ?1, ?2, ?1", .null, .text(orNull: nil)) { row in
            (row.isNull(0), row.optionalText(1), row.optionalInt64(2))
        }

        #expect(read?.0 == true)
        #expect(read?.1 == nil)
        #expect(read?.2 == nil)
    }

    @Test func `tells an empty text from NULL`() throws {
        let read = try connection.first("SELECT ?", .text(orNull: "")) { $0.optionalText(0) }

        #expect(read == "")
    }

    @Test func `reads a missing column as NULL`() throws {
        let read = try connection.first("SELECT 1") { row in
            (row.int64(7), row.text(-1), row.blob(7), row.isNull(7))
        }

        #expect(read?.0 == 0)
        #expect(read?.1 == "")
        #expect(read?.2 == [])
        #expect(read?.3 == true)
    }

    @Test func `repairs text that is not UTF-8`() throws {
        let read = try connection.first("SELECT CAST(x'61FF62' AS TEXT)") { $0.text(0) }

        #expect(read == "a\u{FFFD}b")
    }

    @Test("wants a value for each parameter", arguments: [0, 1, 3])
    func parameterCount(count: Int) {
        let values = [Value](repeating: .integer(1), count: count)

        let error = #expect(throws: SQLiteError.self) {
            try connection.run("SELECT ?, ?", values: values)
        }

        #expect(error?.code == .range)
    }

    @Test func `finds no first row where there is none`() throws {
        #expect(try connection.first("SELECT text FROM notes") { $0.text(0) } == nil)
    }

    @Test func `prepares a statement once`() throws {
        for number in 1...5 { try connection.insertNote("\(number)") }

        let prepared = try connection.all(
            "SELECT run FROM sqlite_stmt WHERE sql LIKE 'INSERT INTO notes%'"
        ) { $0.int64(0) }

        #expect(prepared == [5])
    }

    @Test func `runs a statement inside itself`() throws {
        for number in 1...3 { try connection.insertNote("\(number)") }
        var pairs: [String] = []

        func eachNote(_ body: (String) throws -> Void) throws {
            _ = try connection.all("SELECT text FROM notes ORDER BY id") { row in
                try body(row.text(0))
            }
        }
        try eachNote { left in try eachNote { right in pairs.append(left + right) } }

        #expect(pairs == ["11", "12", "13", "21", "22", "23", "31", "32", "33"])
    }

    @Test func `lets go of a statement whose row is refused`() throws {
        struct Refusal: Error {}
        try connection.insertNote("1")

        for _ in 1...2 {
            #expect(throws: Refusal.self) {
                _ = try connection.all("SELECT text FROM notes") { _ in throw Refusal() }
            }
        }

        // An execution still under way would forbid it.
        try connection.run("DROP TABLE notes")
    }

    @Test func `forgets the values of a statement`() throws {
        try connection.insertNote("first")
        #expect(throws: SQLiteError.self) {
            try connection.run("INSERT INTO notes (text) VALUES (?)", .null)
        }
        try connection.insertNote("second")

        #expect(try connection.notes() == ["first", "second"])
    }

    @Test func `counts changes and tells the last id`() throws {
        for number in 1...3 { try connection.insertNote("\(number)") }

        #expect(connection.lastInsertRowID == 3)
        try connection.run("DELETE FROM notes WHERE id > ?", .integer(1))
        #expect(connection.changes == 2)
    }

    @Test func `says which statement has an error`() {
        let error = #expect(throws: SQLiteError.self) { try connection.run("SELEKT 1") }

        #expect(
            error
                == SQLiteError(
                    code: .error,
                    message: "near \"SELEKT\": syntax error",
                    sql: "SELEKT 1"
                )
        )
    }

    @Test("tells constraints apart", arguments: ConstraintCase.all)
    func constraint(_ violation: ConstraintCase) throws {
        try connection.execute(
            script: """
                CREATE TABLE parents (id INTEGER PRIMARY KEY) STRICT;
                CREATE TABLE children (
                    id INTEGER PRIMARY KEY, parent_id INTEGER REFERENCES parents (id),
                    size INTEGER NOT NULL CHECK (size > 0), name TEXT UNIQUE
                ) STRICT;
                INSERT INTO children VALUES (1, NULL, 1, 'a');
                """
        )

        let error = #expect(throws: SQLiteError.self) { try connection.run(violation.sql) }

        #expect(error?.code == violation.code)
    }
}

struct ConstraintCase: Sendable {
    let sql: SQL
    let code: ResultCode

    static let all = [
        ConstraintCase(
            sql: "INSERT INTO children VALUES (1, NULL, 1, 'b')",
            code: .primaryKeyConstraint
        ),
        ConstraintCase(
            sql: "INSERT INTO children VALUES (2, NULL, 1, 'a')",
            code: .uniqueConstraint
        ),
        ConstraintCase(
            sql: "INSERT INTO children VALUES (2, 7, 1, 'b')",
            code: .foreignKeyConstraint
        ),
        ConstraintCase(
            sql: "INSERT INTO children VALUES (2, NULL, 0, 'b')",
            code: .checkConstraint
        ),
        ConstraintCase(
            sql: "INSERT INTO children VALUES (2, NULL, NULL, 'b')",
            code: .notNullConstraint
        ),
        ConstraintCase(
            sql: "INSERT INTO children VALUES (2, NULL, 'much', 'b')",
            code: .typeConstraint
        ),
    ]
}
