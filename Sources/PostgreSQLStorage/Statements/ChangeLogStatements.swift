/// The statements about the log of changed events, which need PostgreSQL itself.
///
/// Triggers write the log, so that it has the changes of every program. Its tables are unlogged:
/// they are empty after a crash and after a failover, when the numbers of transactions can be used
/// again. See `EventReplica`.
enum ChangeLogStatements {
    /// Creates the log.
    ///
    /// A statement adds one row with all events that it has changed: a row for each event takes
    /// PostgreSQL several times as long if one statement stores several. The functions of the
    /// triggers have the rights of their owner, so that whoever can change events can do so without
    /// rights to the log.
    static let create = """
        DO $humon$
        BEGIN
            IF version() NOT LIKE 'PostgreSQL %' OR version() LIKE '%-YB-%' THEN
                RAISE feature_not_supported USING MESSAGE = 'the engine is not PostgreSQL itself';
            END IF;
            -- Writers wait for a lock that waits for another transaction.
            PERFORM set_config('lock_timeout', '1s', TRUE);
            CREATE UNLOGGED TABLE event_changes (
                transaction_id BIGINT NOT NULL DEFAULT pg_current_xact_id()::TEXT::BIGINT,
                event_ids BIGINT[] NOT NULL
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
                    INSERT INTO %1$I.event_changes (event_ids)
                    SELECT array_agg(id) FROM changed HAVING count(*) > 0;
                    RETURN NULL;
                END
                $body$
                $statement$, current_schema());
            EXECUTE format($statement$
                CREATE OR REPLACE FUNCTION %1$I.note_event_updates() RETURNS TRIGGER
                LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $body$
                BEGIN
                    INSERT INTO %1$I.event_changes (event_ids)
                    SELECT array_agg(id)
                    FROM (SELECT id FROM former UNION SELECT id FROM changed) AS ids
                    HAVING count(*) > 0;
                    RETURN NULL;
                END
                $body$
                $statement$, current_schema());
            EXECUTE format($statement$
                CREATE OR REPLACE FUNCTION %1$I.forget_event_changes() RETURNS TRIGGER
                LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $body$
                BEGIN
                    DELETE FROM %1$I.event_change_log;
                    RETURN NULL;
                END
                $body$
                $statement$, current_schema());
            CREATE TRIGGER note_new_events AFTER INSERT ON events
                REFERENCING NEW TABLE AS changed
                FOR EACH STATEMENT EXECUTE FUNCTION note_event_changes();
            CREATE TRIGGER note_updated_events AFTER UPDATE ON events
                REFERENCING OLD TABLE AS former NEW TABLE AS changed
                FOR EACH STATEMENT EXECUTE FUNCTION note_event_updates();
            CREATE TRIGGER note_deleted_events AFTER DELETE ON events
                REFERENCING OLD TABLE AS changed
                FOR EACH STATEMENT EXECUTE FUNCTION note_event_changes();
            CREATE TRIGGER forget_event_changes AFTER TRUNCATE ON events
                FOR EACH STATEMENT EXECUTE FUNCTION forget_event_changes();
            ALTER TABLE events ENABLE ALWAYS TRIGGER note_new_events,
                ENABLE ALWAYS TRIGGER note_updated_events,
                ENABLE ALWAYS TRIGGER note_deleted_events,
                ENABLE ALWAYS TRIGGER forget_event_changes;
        END
        $humon$;
        """

    /// Returns a row if the log exists.
    static let find: StaticString = """
        SELECT 1 FROM pg_trigger
        WHERE tgrelid = to_regclass('events') AND tgname = 'forget_event_changes'
        """

    /// Gives the log an identity, which it lacks after it was emptied.
    static let identify: StaticString = """
        INSERT INTO event_change_log (id, identity, first_transaction) VALUES (1, $1, 0)
        ON CONFLICT DO NOTHING
        """

    /// Deletes the changes that came from another database with a dump.
    ///
    /// In this one, their transactions have not begun. The own transaction may have changes, too.
    static let deleteForeign: StaticString = """
        DELETE FROM event_changes
        WHERE transaction_id >= pg_snapshot_xmax(pg_current_snapshot())::TEXT::BIGINT
            AND transaction_id
                IS DISTINCT FROM pg_current_xact_id_if_assigned()::TEXT::BIGINT
        """

    /// Returns the snapshot of the statement, the identity of the log, and its first transaction;
    /// no row if the log has no identity.
    static let position: StaticString = """
        SELECT pg_current_snapshot()::TEXT, identity, first_transaction
        FROM event_change_log WHERE id = 1
        """

    /// Returns the changes of the transactions from $1 on and of those in $2, up to the limit $3.
    ///
    /// The columns are those of an event, those of `position`, and the id of the changed event. If
    /// there are no changes, there is one row without an event.
    static let changes: StaticString = """
        SELECT e.id, e.owner_id, e.latitude, e.longitude, e.name, e.address, e.started_at,
            e.ended_at, pg_current_snapshot()::TEXT, log.identity, log.first_transaction,
            e.event_id
        FROM event_change_log AS log
        LEFT JOIN LATERAL (
            SELECT changes.event_id, events.id, owner_id, latitude, longitude, name, address,
                started_at, ended_at
            FROM (
                SELECT unnest(event_ids) AS event_id
                FROM (
                    (
                        SELECT event_ids FROM event_changes WHERE transaction_id >= $1
                        ORDER BY transaction_id LIMIT $3
                    )
                    UNION ALL
                    (SELECT event_ids FROM event_changes WHERE transaction_id = ANY ($2) LIMIT $3)
                ) AS noted
                LIMIT $3
            ) AS changes
            LEFT JOIN events ON events.id = changes.event_id
        ) AS e ON TRUE
        WHERE log.id = 1
        """

    /// Returns the events from the id $1 on, up to the limit $2, in the order of their ids.
    static let events: StaticString = """
        SELECT id, owner_id, latitude, longitude, name, address, started_at, ended_at
        FROM events WHERE id >= $1 ORDER BY id LIMIT $2
        """

    /// Notes that the log lacks changes of transactions before $1.
    ///
    /// Another node that does the same is not waited for.
    static let advance: StaticString = """
        UPDATE event_change_log SET first_transaction = $1
        WHERE id = (
            SELECT id FROM event_change_log WHERE first_transaction < $1 FOR UPDATE SKIP LOCKED
        )
        """

    /// Deletes the changes that the log need not have, up to the limit $1; returns their number.
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
        find, identify, deleteForeign, position, changes, events, advance, deleteOld,
    ]
}
