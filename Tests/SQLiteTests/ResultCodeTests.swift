import SQLite
import System
import Testing

struct ResultCodeTests {
    @Test(
        "has the primary code in its low byte",
        arguments: [
            (ResultCode.uniqueConstraint, ResultCode.constraint),
            (.foreignKeyConstraint, .constraint),
            (ResultCode(rawValue: 10 | 4 << 8), .inputOutput),
            (.full, .full),
        ]
    )
    func primary(code: ResultCode, primary: ResultCode) {
        #expect(code.primary == primary)
    }

    @Test(
        "tells whether the connection is of use any more",
        arguments: [
            (ResultCode(rawValue: 10 | 4 << 8), true), (.corrupt, true), (.notADatabase, true),
            (.cannotOpen, true), (.readOnly, true), (.full, false), (.busy, false),
            (.uniqueConstraint, false),
        ]
    )
    func endsConnection(code: ResultCode, ends: Bool) {
        #expect(code.endsConnection == ends)
    }

    @Test func `describes an error without the values`() throws {
        let connection = try TemporaryDatabase().connection()
        try connection.run("INSERT INTO notes (id, text) VALUES (7, ?)", .text("a secret"))

        let error = #expect(throws: SQLiteError.self) {
            try connection.run("INSERT INTO notes (id, text) VALUES (7, ?)", .text("a secret"))
        }

        #expect(
            error?.description == "SQLite error 1555: UNIQUE constraint failed: notes.id "
                + "(in: INSERT INTO notes (id, text) VALUES (7, ?))"
        )
    }
}
