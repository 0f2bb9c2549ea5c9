import Model
import PostgreSQL
import Rules
import System

/// The statements of a table in a move.
struct MoveStatements {
    /// The rows after an id, at most `$2` of them.
    let rows: SQL
    /// The id that the next row gets.
    let nextID: SQL
    /// Adds rows; each parameter is an array of the values of a column.
    let append: SQL

    private init(_ table: Table) {
        rows = SQL(selectingFrom: table, "WHERE id > $1 ORDER BY id LIMIT $2")
        nextID = SQL(
            made: """
                SELECT CASE WHEN is_called THEN last_value + 1 ELSE last_value END
                FROM \(table.sequence)
                """
        )
        append = SQL(
            made: """
                INSERT INTO \(table.name) (\(table.list))
                SELECT * FROM unnest(\(table.columns.parameters("$")))
                """
        )
    }

    private static let tables = Dictionary(
        (Table.records + [.installation]).map { ($0.name, Self($0)) }
    ) { $1 }

    /// Returns the statements of a table.
    static func of(_ table: Table) -> MoveStatements { tables[table.name] ?? Self(table) }

    /// The statements of all tables.
    static let all: [SQL] = tables.values.flatMap { [$0.rows, $0.nextID, $0.append] }
}

/// The statements of a move that are the same for all tables.
enum MoveControlStatements {
    static let commit: SQL = "COMMIT"
    /// The number of rows of all tables.
    static let count = SQL(
        made: "SELECT "
            + Table.records.map { "(SELECT count(*) FROM \($0.name))" }.joined(separator: " + ")
    )
    static let limitWait: SQL = "SET LOCAL lock_timeout = '2s'"
    /// Makes `humon_moving` reject writes until the end of the transaction.
    static let takeLock: SQL =
        "SELECT pg_advisory_xact_lock(1836021349, hashtext(current_schema()))"
    /// Waits for running writes, and keeps others waiting.
    static let lockTables = SQL(made: "LOCK TABLE \(names) IN SHARE ROW EXCLUSIVE MODE")
    /// The tables that reject writes, because of a move that has ended or of one that is running.
    static let closedTables: SQL = """
        SELECT relname::text FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
        WHERE tgenabled <> 'D' AND relnamespace = current_schema()::regnamespace
            AND (tgname = 'humon_closed' OR tgname = 'humon_moving' AND EXISTS (
                SELECT 1 FROM pg_locks JOIN pg_database ON pg_database.oid = database
                WHERE locktype = 'advisory' AND classid = 1836021349 AND mode = 'ExclusiveLock'
                    AND granted AND datname = current_database()
            ))
        """
    static let createMoves: SQL =
        "CREATE TABLE IF NOT EXISTS moves (key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL)"
    static let dropMoves: SQL = "DROP TABLE moves"
    /// Unlike information_schema, it has the tables to which the role has no rights.
    static let findMoves: SQL = """
        SELECT 1 FROM pg_catalog.pg_tables
        WHERE schemaname = current_schema() AND tablename = 'moves'
        """
    /// The name of the source; it waits for the end of a transaction that drops the table.
    static let source: SQL = "SELECT value FROM moves WHERE key = 'source_name'"
    static let setSource: SQL = """
        INSERT INTO moves (key, value) VALUES ('source_name', $1)
        ON CONFLICT (key) DO UPDATE SET value = excluded.value
        """
    /// Makes the transaction write one row to the log, which stands for all its changes.
    static let logOneChange: SQL = "SET LOCAL humon.bulk = 'on'"
    static let empty = SQL(made: "TRUNCATE \(names), \(Table.installation.name)")
    static let analyze = SQL(made: "ANALYZE \(names)")

    static let all = [
        commit, count, limitWait, takeLock, lockTables, closedTables, createMoves, dropMoves,
        findMoves, source, setSource, logOneChange, empty, analyze,
    ]

    private static let names = Table.records.map(\.name).joined(separator: ", ")
}

/// The scripts that make tables reject writes, and accept them again.
///
/// A trigger is disabled instead of dropped, because that doesn't wait for readers of its table.
enum MoveScripts {
    /// Makes the server notice soon that the machine of the move is gone.
    static let watchConnection = """
        SET LOCAL tcp_keepalives_idle = 10;
        SET LOCAL tcp_keepalives_interval = 5;
        SET LOCAL tcp_keepalives_count = 3;
        """

    /// Makes all tables reject writes as long as another session holds the lock of `takeLock`.
    static let rejectWhileMoving = rejecting("humon_moving")
    /// Makes all tables reject writes.
    static let reject = rejecting("humon_closed")
    /// Undoes the others.
    static let accept = ["humon_moving", "humon_closed"].map { trigger in
        forEachTable { "ALTER TABLE \($0) DISABLE TRIGGER \(trigger)" }
    }.joined()

    private static func rejecting(_ trigger: String) -> String {
        """
        CREATE OR REPLACE FUNCTION humon_reject_write() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF TG_NAME = 'humon_closed'
                OR NOT pg_try_advisory_xact_lock_shared(1836021349, hashtext(TG_TABLE_SCHEMA))
            THEN
                RAISE EXCEPTION 'the data is being moved' USING ERRCODE = 'HM001';
            END IF;
            RETURN NULL;
        END $$;
        """
            + forEachTable { table in
                """
                CREATE TRIGGER \(trigger) BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON \(table)
                FOR EACH STATEMENT EXECUTE FUNCTION humon_reject_write()
                """
            } + forEachTable { "ALTER TABLE \($0) ENABLE TRIGGER \(trigger)" }
    }

    /// Returns a statement for each table, which has no effect if its trigger exists already or
    /// doesn't exist.
    private static func forEachTable(_ statement: (_ table: String) -> String) -> String {
        Table.records.map { table in
            """
            DO $$ BEGIN \(statement(table.name));
            EXCEPTION WHEN duplicate_object OR undefined_object THEN NULL; END $$;

            """
        }.joined()
    }
}
