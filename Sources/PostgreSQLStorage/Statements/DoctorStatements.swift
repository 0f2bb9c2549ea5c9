import Rules
import Model
import PostgreSQL
import System

/// The statements of `humon doctor`, which read what PostgreSQL reports about itself.
///
/// They are not among `Statements.all`: other engines may lack what they read. The findings that
/// depend on it are left out then.
enum DoctorStatements {
    static let settings: StaticString = """
        SELECT name, setting FROM pg_settings WHERE name IN (
            'fsync', 'full_page_writes', 'synchronous_commit', 'synchronous_standby_names',
            'statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout',
            'max_connections', 'superuser_reserved_connections', 'autovacuum', 'archive_mode',
            'max_prepared_transactions')
        UNION ALL
        SELECT 'pg_control_system', CASE
            WHEN has_function_privilege(oid, 'EXECUTE') THEN 'on' ELSE 'off' END
        FROM pg_proc WHERE proname = 'pg_control_system'
        """
    static let isReadOnly: StaticString = "SELECT current_setting('transaction_read_only')"
    static let processID: StaticString = "SELECT pg_backend_pid()"
    static let clock: StaticString =
        "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint"

    static let role: StaticString = """
        SELECT rolname, rolsuper, rolconnlimit,
            (SELECT datconnlimit FROM pg_database WHERE datname = current_database()),
            coalesce(has_schema_privilege(current_schema(), 'CREATE'), FALSE),
            current_schema() IS NOT NULL
        FROM pg_roles WHERE rolname = current_user
        """
    static let missingTableRights = SQL(
        made: """
            SELECT privilege || ' on ' || relname FROM pg_class
            CROSS JOIN unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS privilege
            WHERE relnamespace = current_schema()::regnamespace
                AND relname IN (\(quoted(records + ["installation", "schema_migrations"])))
                AND relkind = 'r' AND NOT has_table_privilege(pg_class.oid, privilege)
                -- Only migrations and moves change these otherwise.
                AND NOT (relname = 'installation' AND privilege <> 'SELECT')
                AND NOT (relname = 'schema_migrations' AND privilege IN ('INSERT', 'DELETE'))
            ORDER BY relname, privilege
            """
    )
    static let missingSequenceRights = SQL(
        made: """
            SELECT privilege || ' on ' || relname FROM pg_class
            CROSS JOIN unnest(ARRAY['USAGE', 'SELECT', 'UPDATE']) AS privilege
            WHERE relnamespace = current_schema()::regnamespace
                AND relname IN (\(quoted(Table.records.map(\.sequence))))
                AND relkind = 'S' AND NOT has_sequence_privilege(pg_class.oid, privilege)
            ORDER BY relname, privilege
            """
    )
    static let missingTables = SQL(
        made: """
            SELECT 'table ' || name
            FROM unnest(ARRAY[\(quoted(records + ["changes", "feed", "installation"]))]) AS name
            WHERE to_regclass(name) IS NULL
            """
    )
    /// Tables and indexes that the migrations have created and that don't exist, and indexes whose
    /// creation has failed.
    static let missingObjects = SQL(
        made: """
            \(missingTables)
            UNION ALL
            SELECT 'index ' || name FROM unnest(ARRAY[
                'accounts_email', 'attendances_user_id', 'checkins_category',
                'sessions_account_id', 'shared_tasks_pending', 'shared_tasks_pending_task_id',
                'todo_tasks_account_id']) AS name
            WHERE NOT EXISTS (
                SELECT 1 FROM pg_index WHERE indexrelid = to_regclass(name) AND indisvalid)
            """
    )

    private static let records = Table.records.map(\.name)

    private static func quoted(_ names: [String]) -> String {
        names.sorted().map { "'\($0)'" }.joined(separator: ", ")
    }

    static let missingInstallation: StaticString = """
        SELECT 'row of table installation' WHERE NOT EXISTS (
            SELECT 1 FROM installation WHERE id = 1)
        """

    static let connections: StaticString = """
        SELECT count(*) FILTER (WHERE application_name <> 'humon'),
            count(*) FILTER (WHERE application_name = 'humon' AND datname = current_database())
        FROM pg_stat_activity WHERE datname IS NOT NULL AND pid <> pg_backend_pid()
        """
    static let longTransactions: StaticString = """
        SELECT 'pid ' || pid || CASE application_name WHEN '' THEN ''
                ELSE ' (' || application_name || ')' END,
            (extract(epoch FROM clock_timestamp() - xact_start) / 60)::bigint AS minutes,
            'SELECT pg_terminate_backend(' || pid || ')'
        FROM pg_stat_activity
        WHERE clock_timestamp() - xact_start > interval '10 minutes' AND datname IS NOT NULL
            AND pid <> pg_backend_pid()
        UNION ALL
        SELECT 'the prepared transaction ' || quote_literal(gid),
            (extract(epoch FROM clock_timestamp() - prepared) / 60)::bigint,
            'ROLLBACK PREPARED ' || quote_literal(gid)
        FROM pg_prepared_xacts WHERE clock_timestamp() - prepared > interval '10 minutes'
        ORDER BY minutes DESC
        """
    static let standbys: StaticString = """
        SELECT coalesce(application_name, ''), coalesce(sync_state, '') IN ('sync', 'quorum'),
            pg_wal_lsn_diff(pg_current_wal_lsn(), flush_lsn)::bigint
        FROM pg_stat_replication ORDER BY 1
        """
    static let idleSlots: StaticString = """
        SELECT slot_name, pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)::bigint
        FROM pg_replication_slots WHERE NOT active ORDER BY 1
        """
    static let unvacuumedTables: StaticString = """
        SELECT relname FROM pg_class
        WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
            AND reloptions::text ~ 'autovacuum_enabled=(false|off|no|0)' ORDER BY 1
        """
    static let transactionAge: StaticString =
        "SELECT age(datfrozenxid) FROM pg_database WHERE datname = current_database()"
    static let failedArchive: StaticString = """
        SELECT last_failed_wal FROM pg_stat_archiver
        WHERE last_failed_time > coalesce(last_archived_time, '-infinity')
        """

    /// Returns the time of the oldest report that waits for the operator.
    static let oldestReport: StaticString =
        "SELECT min(created_at) FROM reports WHERE resolved_at IS NULL"

    /// Returns the id and the state of each webhook.
    static let webhooks: StaticString = """
        SELECT id, CASE WHEN disabled_at IS NOT NULL THEN 'disabled'
            WHEN cursor < (SELECT floor FROM feed WHERE feed.id = 1) THEN 'lost' ELSE 'active' END
        FROM webhooks ORDER BY id
        """

    /// Each table, its greatest id, and whether its next id is not greater.
    static let takenIDs = SQL(
        made: """
            SELECT name, id, 'SELECT setval(''' || name || '_id_seq'', ' || id || ')'
            FROM (\(ids.joined(separator: " UNION ALL "))) AS ids
            WHERE id > last_value OR (id = last_value AND NOT is_called)
            """
    )
    private static let ids = Table.records.sorted { $0.name < $1.name }.map { table in
        """
        SELECT '\(table.name)' AS name, (SELECT max(id) FROM \(table.name)) AS id, last_value,
            is_called
        FROM \(table.sequence)
        """
    }
    /// Ids ascend with the creation time, so no table has to be scanned.
    static let latestRecord = SQL(
        made: "SELECT greatest("
            + Table.dated.map { "(SELECT created_at FROM \($0.name) ORDER BY id DESC LIMIT 1)" }
            .joined(separator: ", ") + ")"
    )

    /// The references of records that don't exist, and checks that PostgreSQL does not make.
    static let faults: StaticString = """
        SELECT 'event ' || e.id || ' belongs to user ' || e.owner_id || ', who does not exist'
            FROM events AS e LEFT JOIN users AS u ON u.id = e.owner_id WHERE u.id IS NULL
        UNION ALL
        SELECT 'attendance ' || a.id || ' is one of user ' || a.user_id || ', who does not exist'
            FROM attendances AS a LEFT JOIN users AS u ON u.id = a.user_id WHERE u.id IS NULL
        UNION ALL
        SELECT 'attendance ' || a.id || ' is one at event ' || a.event_id
                || ', which does not exist'
            FROM attendances AS a LEFT JOIN events AS e ON e.id = a.event_id WHERE e.id IS NULL
        UNION ALL
        SELECT 'session ' || s.id || ' is one of account ' || s.account_id
                || ', which does not exist'
            FROM sessions AS s LEFT JOIN accounts AS a ON a.id = s.account_id WHERE a.id IS NULL
        UNION ALL
        SELECT 'task ' || t.id || ' belongs to account ' || t.account_id
                || ', which does not exist'
            FROM todo_tasks AS t LEFT JOIN accounts AS a ON a.id = t.account_id
            WHERE a.id IS NULL
        UNION ALL
        SELECT 'invitation ' || i.id || ' is one to event ' || i.event_id
                || ', which does not exist'
            FROM invitations AS i LEFT JOIN events AS e ON e.id = i.event_id WHERE e.id IS NULL
        """

    /// Some of the values of events that Humon would not store.
    static let unusualValues: StaticString = """
        SELECT 'event ' || id || ' has the visibility ' || visibility
        FROM events WHERE visibility NOT IN ('private')
        UNION ALL SELECT 'event ' || id || ' has the status ' || status
        FROM events WHERE status NOT IN ('cancelled', 'postponed')
        LIMIT 20
        """

    /// The tags and the data of the events after the id `$1`.
    static let tagsAndData: StaticString = """
        SELECT id, tags, data FROM events
        WHERE id > $1 AND (tags IS NOT NULL OR data IS NOT NULL) ORDER BY id LIMIT 1000
        """

    static let all = [
        settings, isReadOnly, processID, clock, role, missingTableRights, missingSequenceRights,
        missingTables, missingObjects, missingInstallation, connections, longTransactions, standbys,
        idleSlots,
        unvacuumedTables, transactionAge, failedArchive, takenIDs, latestRecord,
        oldestReport, webhooks, faults,
        unusualValues, tagsAndData,
    ]
}
