/// The statements about the log of changed events, which need PostgreSQL itself.
///
/// Triggers write the log, so that it has the changes of every program. Its tables are unlogged:
/// they are empty after a crash and after a failover, when the numbers of transactions can be used
/// again. See `EventReplica`.
enum ChangeLogStatements {
    /// Creates the log.
    ///
    /// Each statement that changes events adds one row with their ids. TRUNCATE adds NULL.
    ///
    /// The function of the triggers has the rights of its owner, so a role that changes events
    /// needs no rights to the log. Other roles must not use the function for tables of their own:
    /// the types of their columns could run code with the owner's rights. All roles can read the
    /// tables, because pg_dump fails if it can't read a table.
    static let create = """
        DO $humon$
        BEGIN
            -- While this waits for a lock, all writers wait, too.
            PERFORM set_config('lock_timeout', '1s', TRUE);
            -- A damaged log may lack changes.
            DROP TRIGGER IF EXISTS note_new_events ON events;
            DROP TRIGGER IF EXISTS note_updated_events ON events;
            DROP TRIGGER IF EXISTS note_deleted_events ON events;
            DROP TRIGGER IF EXISTS note_all_events ON events;
            DROP TABLE IF EXISTS event_changes, event_change_log;
            CREATE UNLOGGED TABLE event_changes (
                transaction_id BIGINT NOT NULL DEFAULT pg_current_xact_id()::TEXT::BIGINT,
                event_ids BIGINT[]
            );
            CREATE INDEX event_changes_transaction_id ON event_changes (transaction_id);
            CREATE UNLOGGED TABLE event_change_log (
                id BIGINT PRIMARY KEY CHECK (id = 1),
                identity BIGINT NOT NULL,
                first_transaction BIGINT NOT NULL
            );
            EXECUTE format($statement$
                CREATE OR REPLACE FUNCTION %1$I.note_event_changes() RETURNS TRIGGER
                LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $body$
                BEGIN
                    IF TG_OP = 'TRUNCATE' THEN
                        INSERT INTO %1$I.event_changes (event_ids) VALUES (NULL);
                    ELSIF TG_OP = 'UPDATE' THEN
                        INSERT INTO %1$I.event_changes (event_ids)
                        SELECT array_agg(id)
                        FROM (SELECT id FROM former UNION SELECT id FROM changed) AS ids
                        HAVING count(*) > 0;
                    ELSE
                        INSERT INTO %1$I.event_changes (event_ids)
                        SELECT array_agg(id) FROM changed HAVING count(*) > 0;
                    END IF;
                    RETURN NULL;
                END
                $body$
                $statement$, current_schema());
            REVOKE ALL ON FUNCTION note_event_changes() FROM PUBLIC;
            GRANT SELECT ON event_changes, event_change_log TO PUBLIC;
            CREATE TRIGGER note_new_events AFTER INSERT ON events
                REFERENCING NEW TABLE AS changed
                FOR EACH STATEMENT EXECUTE FUNCTION note_event_changes();
            CREATE TRIGGER note_updated_events AFTER UPDATE ON events
                REFERENCING OLD TABLE AS former NEW TABLE AS changed
                FOR EACH STATEMENT EXECUTE FUNCTION note_event_changes();
            CREATE TRIGGER note_deleted_events AFTER DELETE ON events
                REFERENCING OLD TABLE AS changed
                FOR EACH STATEMENT EXECUTE FUNCTION note_event_changes();
            CREATE TRIGGER note_all_events AFTER TRUNCATE ON events
                FOR EACH STATEMENT EXECUTE FUNCTION note_event_changes();
            ALTER TABLE events ENABLE ALWAYS TRIGGER note_new_events,
                ENABLE ALWAYS TRIGGER note_updated_events,
                ENABLE ALWAYS TRIGGER note_deleted_events,
                ENABLE ALWAYS TRIGGER note_all_events;
        END
        $humon$;
        """

    /// Returns a row if the log exists and is sound, and if this role can use it.
    static let find: StaticString = """
        SELECT 1 FROM pg_trigger
        WHERE tgrelid = to_regclass('events') AND tgenabled = 'A'
            AND tgname IN (
                'note_new_events', 'note_updated_events', 'note_deleted_events', 'note_all_events'
            )
            AND has_table_privilege(to_regclass('event_changes'), 'DELETE')
            AND has_table_privilege(to_regclass('event_change_log'), 'INSERT')
            AND has_table_privilege(to_regclass('event_change_log'), 'UPDATE')
        HAVING count(*) = 4
        """

    /// Gives the log an identity, which it lacks when it is new.
    ///
    /// The log is complete for all transactions that begin later. Earlier ones may have lost their
    /// changes: a prepared transaction survives a crash, and its row in the log does not.
    static let identify: StaticString = """
        INSERT INTO event_change_log (id, identity, first_transaction)
        VALUES (1, $1, pg_snapshot_xmax(pg_current_snapshot())::TEXT::BIGINT)
        ON CONFLICT DO NOTHING
        """

    /// Deletes changes that were restored from a dump of another database.
    ///
    /// Their transactions have not begun in this database. The present transaction has not ended
    /// either, so its changes are excluded.
    static let deleteForeign: StaticString = """
        DELETE FROM event_changes
        WHERE transaction_id >= pg_snapshot_xmax(pg_current_snapshot())::TEXT::BIGINT
            AND transaction_id
                IS DISTINCT FROM pg_current_xact_id_if_assigned()::TEXT::BIGINT
        """

    /// Returns the snapshot of the statement, the identity of the log, its first transaction, its
    /// file, and when the server was started.
    ///
    /// Returns no row if the log has no identity. A copy of the database has the same identity, but
    /// another file or another start of the server.
    static let position: StaticString = """
        SELECT pg_current_snapshot()::TEXT, identity, first_transaction,
            pg_relation_filepath(tableoid), date_part('epoch', pg_postmaster_start_time())
        FROM event_change_log WHERE id = 1
        """

    /// Returns the changes of the transactions from $1 on and of those in $2, up to the limit $3.
    ///
    /// The columns are those of an event, those of `position`, and the id of the changed event. If
    /// there are no changes, there is one row without an event. If all events have changed, there
    /// is one with the smallest id. Without the LIMIT 1, planners may read all events.
    static let changes: StaticString = """
        SELECT e.id, e.owner_id, e.latitude, e.longitude, e.name, e.address, e.started_at,
            e.ended_at, pg_current_snapshot()::TEXT, log.identity, log.first_transaction,
            pg_relation_filepath(log.tableoid),
            date_part('epoch', pg_postmaster_start_time()), e.event_id
        FROM event_change_log AS log
        LEFT JOIN LATERAL (
            SELECT changes.event_id, events.id, owner_id, latitude, longitude, name, address,
                started_at, ended_at
            FROM (
                SELECT unnest(coalesce(event_ids, ARRAY[-9223372036854775808])) AS event_id
                FROM (
                    (
                        SELECT event_ids FROM event_changes WHERE transaction_id >= $1
                        ORDER BY transaction_id LIMIT $3
                    )
                    UNION ALL
                    (
                        SELECT event_ids FROM event_changes WHERE transaction_id = ANY ($2)
                        LIMIT $3
                    )
                ) AS noted
                LIMIT $3
            ) AS changes
            LEFT JOIN LATERAL (
                SELECT * FROM events WHERE events.id = changes.event_id LIMIT 1
            ) AS events ON TRUE
        ) AS e ON TRUE
        WHERE log.id = 1
        """

    /// Returns the events from the id $1 on, up to the limit $2, in the order of their ids.
    static let events: StaticString = """
        SELECT id, owner_id, latitude, longitude, name, address, started_at, ended_at
        FROM events WHERE id >= $1 ORDER BY id LIMIT $2
        """

    /// Returns the greatest id of an event.
    static let lastID: StaticString = "SELECT max(id) FROM events"

    /// Notes that the log with the identity $2 may lack changes of transactions before $1.
    ///
    /// Does nothing while another node does the same.
    static let advance: StaticString = """
        UPDATE event_change_log SET first_transaction = $1
        WHERE id = (
            SELECT id FROM event_change_log WHERE identity = $2 AND first_transaction < $1
            FOR UPDATE SKIP LOCKED
        )
        """

    /// Deletes changes before the log's first transaction, up to the limit $1, and returns their
    /// number.
    static let deleteOld: StaticString = """
        WITH deleted AS (
            DELETE FROM event_changes WHERE ctid = ANY (ARRAY(
                SELECT ctid FROM event_changes
                WHERE transaction_id < (SELECT first_transaction FROM event_change_log)
                ORDER BY transaction_id LIMIT $1 FOR UPDATE SKIP LOCKED
            ))
            RETURNING 1
        )
        SELECT count(*) FROM deleted
        """

    static let all = [
        find, identify, deleteForeign, position, changes, events, lastID, advance, deleteOld,
    ]
}
