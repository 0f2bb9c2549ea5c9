import Model
import PostgreSQL

/// The statements of a move that differ from table to table.
struct MoveStatements {
    /// The rows with ids in a range that is open below, at most `$3` of them.
    let rows: StaticString
    /// The number of rows, and the greatest id or 0.
    let extent: StaticString
    /// The id that the next row gets.
    let nextID: StaticString
    /// Appends rows in binary format.
    let copy: StaticString
    /// Deletes the rows with ids in a range that is open below, except some.
    let delete: StaticString
    /// Creates a table for rows that replace others, for the current transaction.
    let createBuffer: StaticString
    let copyToBuffer: StaticString
    /// Adds the rows of that table, or replaces those with the same ids.
    let store: StaticString
    /// Makes the table reject writes for the first time.
    let close: StaticString
    /// Makes the table reject writes again, after `reopen`.
    let closeAgain: StaticString
    /// Undoes both.
    ///
    /// Readers of the table go on, while dropping the trigger would wait for them.
    let reopen: StaticString

    /// All statements of moves.
    static let all: [StaticString] =
        MoveControlStatements.all + MoveUsersStatements.all
        + MoveEventsStatements.all
        + MoveAttendancesStatements.all
        + MoveSharedTasksStatements.all
        + MoveCheckinsStatements.all
        + MoveAccountsStatements.all
        + MoveSessionsStatements.all
        + MoveTodoTasksStatements.all

    /// The statements of a table.
    static func of(_ table: MovedTable) -> MoveStatements {
        switch table {
        case .users: .users
        case .events: .events
        case .attendances: .attendances
        case .sharedTasks: .sharedTasks
        case .checkins: .checkins
        case .accounts: .accounts
        case .sessions: .sessions
        case .todoTasks: .todoTasks
        }
    }
}

/// The statements of a move that are the same for all tables.
enum MoveControlStatements {
    /// Lets this transaction write to a database that is closed.
    static let authorize: StaticString = "SELECT set_config('humon.moving', 'yes', true)"
    static let limitWait: StaticString = "SET LOCAL lock_timeout = '2s'"
    /// Waits for running writes, and keeps others waiting.
    static let lockTables: StaticString = """
        LOCK TABLE users, events, attendances, shared_tasks, checkins, accounts, sessions,
            todo_tasks
        IN SHARE ROW EXCLUSIVE MODE
        """
    static let createFunction: StaticString = """
        CREATE OR REPLACE FUNCTION humon_reject_write() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'the data is being moved' USING ERRCODE = 'HM001'; END $$
        """
    /// The tables that were closed once, and whether they are now.
    static let triggers: StaticString = """
        SELECT relname::text, tgenabled <> 'D'
        FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
        WHERE tgname = 'humon_closed' AND relnamespace = current_schema()::regnamespace
        """

    /// The tables that reject writes.
    static let closedTables: StaticString = """
        SELECT relname::text FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
        WHERE tgname = 'humon_closed' AND tgenabled <> 'D'
            AND relnamespace = current_schema()::regnamespace
        """

    static let createMoves: StaticString =
        "CREATE TABLE IF NOT EXISTS moves (key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL)"
    static let dropMoves: StaticString = "DROP TABLE moves"
    /// Unlike information_schema, it has the tables to which the role has no rights.
    static let findMoves: StaticString = """
        SELECT 1 FROM pg_catalog.pg_tables
        WHERE schemaname = current_schema() AND tablename = 'moves'
        """
    static let value: StaticString = "SELECT value FROM moves WHERE key = $1"
    /// Locks the row, so that two processes can't work on one move.
    static let lockedValue: StaticString = "SELECT value FROM moves WHERE key = $1 FOR UPDATE"
    static let setValue: StaticString = """
        INSERT INTO moves (key, value) VALUES ($1, $2)
        ON CONFLICT (key) DO UPDATE SET value = excluded.value
        """
    static let analyze: StaticString = """
        ANALYZE users, events, attendances, shared_tasks, checkins, accounts, sessions, todo_tasks
        """

    static let all = [
        authorize, limitWait, lockTables, createFunction, triggers, closedTables, createMoves,
        dropMoves,
        findMoves, value, lockedValue, setValue, analyze,
    ]
}
