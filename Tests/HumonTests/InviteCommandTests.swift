import Operations
import SQLite
import System
import Testing

@Suite struct InviteCommandTests {
    private let program: Program
    private let settings = ["TB_APP_SECRET": "s"]

    init() throws {
        program = try Program()
        try program.write(
            #"{"name":"a","lat":1,"lon":2,"started_at":"2030-01-01","owner":3}"#,
            to: "in.jsonl"
        )
        _ = try program.run("import in.jsonl")
    }

    @Test func `writes a row of the audit for each code and for closing all`() throws {
        let outcomes = try ["", " --replace", " --close"].map {
            try program.run("event invite 1" + $0, settings: settings)
        }
        let unknown = try program.run("event invite 2", settings: settings)
        let audit = try program.run("audit").output

        #expect(outcomes.map(\.status) == [0, 0, 0])
        #expect(unknown.error == "humon: There is no event 2.\n")
        let rows = audit.split(separator: "\n").dropFirst().map { line in
            line.split(separator: " ").dropFirst(2).prefix(4).joined(separator: " ")
        }
        let actions = ["close-invitations", "invite", "invite"]
        #expect(rows == actions.map { "\(Machine.actor) \($0) event 1" })
        #expect(!audit.contains(outcomes[0].output.dropLast()))
    }

    @Test func `writes no row of the audit for a code that it can't make`() throws {
        let database = DatabaseConfiguration(path: program.path("humon.sqlite3"))
        try Connection(database, .readWrite).run(
            """
            WITH RECURSIVE codes (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM codes WHERE n < 100)
            INSERT INTO invitations (event_id, code_digest, created_at)
            SELECT 1, randomblob(32), 0 FROM codes
            """
        )
        let outcome = try program.run("event invite 1", settings: settings)

        #expect(outcome.error.contains("Invitations are too many (maximum is 100)"))
        #expect(try program.run("audit").output.split(separator: "\n").count == 1)
    }
}
