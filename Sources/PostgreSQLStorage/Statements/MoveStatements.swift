import Model
import PostgreSQL

/// The statements of a move that differ from table to table.
struct MoveStatements {
    /// The rows after an id, at most `$2` of them.
    let rows: SQL
    let count: SQL
    /// The id that the next row gets.
    let nextID: SQL
    /// Appends rows in binary format.
    let copy: SQL

    private init(_ table: Table) {
        let (name, list) = (table.name, table.list)
        // -0.0 becomes 0.0, because not every engine stores the sign.
        let values = table.columns.map { $0.kind == .double ? "\($0.name) + 0::float8" : $0.name }
        rows = SQL(
            made: """
                SELECT \(values.joined(separator: ", ")) FROM \(name) WHERE id > $1
                ORDER BY id LIMIT $2
                """
        )
        count = SQL(made: "SELECT count(*) FROM \(name)")
        nextID = SQL(
            made: """
                SELECT CASE WHEN is_called THEN last_value + 1 ELSE last_value END
                FROM \(table.sequence)
                """
        )
        copy = SQL(made: "COPY \(name) (\(list)) FROM STDIN (FORMAT binary)")
    }

    private static let tables = Dictionary(Table.records.map { ($0.name, Self($0)) }) { $1 }

    /// Returns the statements of a table.
    static func of(_ table: Table) -> MoveStatements { tables[table.name] ?? Self(table) }

    /// The statements of all tables.
    static let all: [SQL] = tables.values.flatMap { [$0.rows, $0.count, $0.nextID, $0.copy] }
}

/// The statements of a move that are the same for all tables.
enum MoveControlStatements {
    static let commit: SQL = "COMMIT"
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
    static let empty = SQL(made: "TRUNCATE \(names)")
    static let analyze = SQL(made: "ANALYZE \(names)")

    static let all = [
        commit, limitWait, takeLock, lockTables, closedTables, createMoves, dropMoves,
        findMoves, source, setSource, empty, analyze,
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
    static let rejectWhileMoving = rejecting(
        "humon_moving",
        unless: "pg_try_advisory_xact_lock_shared(1836021349, hashtext(TG_TABLE_SCHEMA))"
    )
    /// Makes all tables reject writes.
    static let reject = disabling("humon_moving") + rejecting("humon_closed", unless: "false")
    /// Undoes the others.
    static let accept = disabling("humon_moving") + disabling("humon_closed")

    private static func rejecting(_ trigger: String, unless condition: String) -> String {
        """
        CREATE OR REPLACE FUNCTION \(trigger)() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF NOT \(condition) THEN
                RAISE EXCEPTION 'the data is being moved' USING ERRCODE = 'HM001';
            END IF;
            RETURN NULL;
        END $$;
        """
            + forEachTable(
                trigger,
                ifPresent: "ALTER TABLE %I ENABLE TRIGGER \(trigger)",
                otherwise: """
                    CREATE TRIGGER \(trigger) BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON %I
                    FOR EACH STATEMENT EXECUTE FUNCTION \(trigger)()
                    """
            )
    }

    private static func disabling(_ trigger: String) -> String {
        forEachTable(
            trigger,
            ifPresent: "ALTER TABLE %I DISABLE TRIGGER \(trigger)",
            otherwise: ""
        )
    }

    private static func forEachTable(
        _ trigger: String,
        ifPresent change: String,
        otherwise creation: String
    ) -> String {
        let names = Table.records.map { "'\($0.name)'" }.joined(separator: ", ")
        let creation = creation.isEmpty ? "NULL" : "EXECUTE format('\(creation)', name)"
        return """
            DO $$
            DECLARE name TEXT;
            BEGIN
                FOREACH name IN ARRAY ARRAY[\(names)] LOOP
                    IF EXISTS (
                        SELECT 1 FROM pg_trigger
                        WHERE tgrelid = name::regclass AND tgname = '\(trigger)'
                    ) THEN
                        EXECUTE format('\(change)', name);
                    ELSE
                        \(creation);
                    END IF;
                END LOOP;
            END $$;
            """
    }
}
