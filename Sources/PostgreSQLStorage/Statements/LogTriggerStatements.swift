import PostgreSQL
import System

/// The statements about the triggers that write the log, which need PostgreSQL itself.
enum LogTriggerStatements {
    /// Returns the process of the connection, and whether the role can notify.
    static let notifications: SQL = """
        SELECT pg_backend_pid()::BIGINT, has_function_privilege('pg_notify(text, text)', 'EXECUTE')
        """

    /// Subscribes to the notifications of servers that have written.
    static let listen: SQL = "LISTEN humon_changes"

    /// Notifies other servers at COMMIT; $1 is the name of this one.
    static let notify: SQL = "SELECT pg_notify('humon_changes', $1)"

    /// Creates the triggers, or creates them again.
    ///
    /// A number is taken when the transaction commits, under a lock that is released once the
    /// commit is visible. So numbers become visible in ascending order, and a transaction that is
    /// open delays no other.
    ///
    /// The function has the rights of its owner, so a role that changes events needs no rights to
    /// the log. Other roles must not use the function for tables of their own. Its search path has
    /// the schema after pg_catalog, which comes first unless it is named.
    static let create = """
        SELECT set_config('lock_timeout', '1s', TRUE);
        SELECT set_config(
            'search_path', quote_ident(current_schema()) || ', pg_temp', TRUE
        );
        DROP FUNCTION IF EXISTS note_event_changes CASCADE;
        DROP TABLE IF EXISTS event_changes, event_change_log;
        DROP TRIGGER IF EXISTS log_event ON events;
        DROP TRIGGER IF EXISTS log_truncated_events ON events;
        DROP TRIGGER IF EXISTS log_attendance ON attendances;
        DROP TRIGGER IF EXISTS log_truncated_attendances ON attendances;
        DROP TRIGGER IF EXISTS log_task ON todo_tasks;
        DROP TRIGGER IF EXISTS log_truncated_tasks ON todo_tasks;
        DROP TRIGGER IF EXISTS log_block ON blocks;
        DROP TRIGGER IF EXISTS log_truncated_blocks ON blocks;
        DROP TRIGGER IF EXISTS log_renamed_user ON users;
        CREATE OR REPLACE FUNCTION log_change() RETURNS TRIGGER
        LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $body$
        DECLARE
            bulk TEXT := current_setting('humon.bulk', TRUE);
            at BIGINT := floor(extract(epoch FROM clock_timestamp()) * 1000);
        BEGIN
            IF bulk = 'logged' THEN RETURN NULL; END IF;
            PERFORM pg_advisory_xact_lock(7238123002);
            IF TG_OP = 'TRUNCATE' OR bulk = 'on' THEN
                INSERT INTO changes (kind, changed_at) VALUES (9, at);
                IF bulk = 'on' THEN PERFORM set_config('humon.bulk', 'logged', TRUE); END IF;
            ELSIF TG_TABLE_NAME = 'events' THEN
                IF TG_OP <> 'INSERT' THEN
                    INSERT INTO changes
                        (kind, record_id, user_id, was_public, latitude, longitude, changed_at)
                    VALUES (1, OLD.id, OLD.owner_id, OLD.visibility IS NULL AND OLD.hidden = 0,
                        OLD.latitude, OLD.longitude, at);
                END IF;
                IF TG_OP = 'DELETE' THEN
                    UPDATE reports SET resolved_at = at, outcome = 'gone'
                    WHERE kind = 1 AND record_id = OLD.id AND resolved_at IS NULL;
                END IF;
                IF TG_OP = 'INSERT' OR (TG_OP = 'UPDATE' AND NEW.id <> OLD.id) THEN
                    INSERT INTO changes (kind, record_id, user_id, changed_at)
                    VALUES (1, NEW.id, NEW.owner_id, at);
                END IF;
            ELSIF TG_TABLE_NAME = 'attendances' THEN
                IF TG_OP <> 'INSERT' THEN
                    INSERT INTO changes (kind, record_id, user_id, event_id, changed_at)
                    VALUES (2, OLD.id, OLD.user_id, OLD.event_id, at);
                END IF;
                IF TG_OP = 'INSERT' OR (TG_OP = 'UPDATE' AND (
                    NEW.id <> OLD.id OR NEW.user_id <> OLD.user_id
                    OR NEW.event_id <> OLD.event_id
                )) THEN
                    INSERT INTO changes (kind, record_id, user_id, event_id, changed_at)
                    VALUES (2, NEW.id, NEW.user_id, NEW.event_id, at);
                END IF;
            ELSIF TG_TABLE_NAME = 'blocks' THEN
                IF TG_OP <> 'INSERT' THEN
                    INSERT INTO changes (kind, record_id, user_id, changed_at)
                    VALUES (4, OLD.blocked_id, OLD.user_id, at);
                END IF;
                IF TG_OP <> 'DELETE' THEN
                    INSERT INTO changes (kind, record_id, user_id, changed_at)
                    VALUES (4, NEW.blocked_id, NEW.user_id, at);
                END IF;
            ELSIF TG_TABLE_NAME = 'users' THEN
                INSERT INTO changes (kind, record_id, user_id, changed_at)
                VALUES (5, NEW.id, NEW.id, at);
            ELSE
                IF TG_OP <> 'INSERT' THEN
                    INSERT INTO changes (kind, record_id, user_id, changed_at)
                    VALUES (3, OLD.id, OLD.account_id, at);
                END IF;
                IF TG_OP = 'INSERT' OR (TG_OP = 'UPDATE' AND (
                    NEW.id <> OLD.id OR NEW.account_id <> OLD.account_id
                )) THEN
                    INSERT INTO changes (kind, record_id, user_id, changed_at)
                    VALUES (3, NEW.id, NEW.account_id, at);
                END IF;
            END IF;
            RETURN NULL;
        END
        $body$;
        REVOKE ALL ON FUNCTION log_change() FROM PUBLIC;
        CREATE OR REPLACE FUNCTION log_server() RETURNS TEXT
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
        DECLARE
            server TEXT := (SELECT oid FROM pg_database WHERE datname = current_database());
        BEGIN
            -- A standby has no timeline of its own, and may become the primary.
            IF pg_is_in_recovery() THEN RETURN server; END IF;
            server := left(pg_walfile_name(pg_current_wal_lsn()), 8) || ' ' || server;
            IF has_function_privilege('pg_control_system()', 'EXECUTE') THEN
                server := (SELECT system_identifier FROM pg_control_system()) || ' ' || server;
            END IF;
            RETURN set_config('humon.server', server, FALSE);
        END
        $body$;
        CREATE CONSTRAINT TRIGGER log_event AFTER INSERT OR UPDATE OR DELETE ON events
            DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION log_change();
        CREATE TRIGGER log_truncated_events AFTER TRUNCATE ON events
            FOR EACH STATEMENT EXECUTE FUNCTION log_change();
        CREATE CONSTRAINT TRIGGER log_attendance AFTER INSERT OR UPDATE OR DELETE ON attendances
            DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION log_change();
        CREATE TRIGGER log_truncated_attendances AFTER TRUNCATE ON attendances
            FOR EACH STATEMENT EXECUTE FUNCTION log_change();
        CREATE CONSTRAINT TRIGGER log_task AFTER INSERT OR UPDATE OR DELETE ON todo_tasks
            DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION log_change();
        CREATE TRIGGER log_truncated_tasks AFTER TRUNCATE ON todo_tasks
            FOR EACH STATEMENT EXECUTE FUNCTION log_change();
        CREATE CONSTRAINT TRIGGER log_block AFTER INSERT OR UPDATE OR DELETE ON blocks
            DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION log_change();
        CREATE TRIGGER log_truncated_blocks AFTER TRUNCATE ON blocks
            FOR EACH STATEMENT EXECUTE FUNCTION log_change();
        CREATE CONSTRAINT TRIGGER log_renamed_user AFTER UPDATE OF name ON users
            DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
            WHEN (NEW.name IS DISTINCT FROM OLD.name) EXECUTE FUNCTION log_change();
        ALTER TABLE events ENABLE ALWAYS TRIGGER log_event,
            ENABLE ALWAYS TRIGGER log_truncated_events;
        ALTER TABLE attendances ENABLE ALWAYS TRIGGER log_attendance,
            ENABLE ALWAYS TRIGGER log_truncated_attendances;
        ALTER TABLE todo_tasks ENABLE ALWAYS TRIGGER log_task,
            ENABLE ALWAYS TRIGGER log_truncated_tasks;
        ALTER TABLE blocks ENABLE ALWAYS TRIGGER log_block,
            ENABLE ALWAYS TRIGGER log_truncated_blocks;
        ALTER TABLE users ENABLE ALWAYS TRIGGER log_renamed_user;
        ALTER TABLE changes ALTER COLUMN seq SET CACHE 1;
        SELECT setval(
            pg_get_serial_sequence('changes', 'seq'),
            greatest((SELECT max(seq) FROM changes), (SELECT taken FROM feed), 1)
        );
        INSERT INTO changes (kind, changed_at)
        VALUES (9, floor(extract(epoch FROM clock_timestamp()) * 1000));
        """

    /// Waits for the lock under which numbers are taken, until the transaction ends.
    static let lock: StaticString = "SELECT pg_advisory_xact_lock(7238123002)"

    /// Returns a row if all triggers exist and are sound, their function is of this version, and
    /// the function of the identity exists.
    static let find: StaticString = """
        SELECT 1 FROM pg_trigger
        WHERE tgenabled = 'A'
            AND tgrelid IN (
                to_regclass('events'), to_regclass('attendances'), to_regclass('todo_tasks'),
                to_regclass('blocks'), to_regclass('users')
            )
            AND tgname IN (
                'log_event', 'log_truncated_events', 'log_attendance',
                'log_truncated_attendances', 'log_task', 'log_truncated_tasks', 'log_block',
                'log_truncated_blocks', 'log_renamed_user'
            )
        HAVING count(*) = 9 AND to_regproc('log_server') IS NOT NULL AND EXISTS (
            SELECT 1 FROM pg_proc
            WHERE oid = to_regproc('log_change') AND prosrc LIKE '%OLD.hidden%'
        )
        """

    /// The identity of the log, and the start of the server.
    ///
    /// A copy of the database, a failover, and a new table have another identity, which each
    /// connection finds out once. After a crash, numbers may be used again, and the start differs.
    private static let identity = """
        (SELECT left(encode(sha256(convert_to(concat_ws(' ', epoch,
            coalesce(nullif(current_setting('humon.server', TRUE), ''), log_server()),
            to_regclass('changes')::oid), 'UTF8')), 'hex'), 8)
            || ' ' || date_part('epoch', pg_postmaster_start_time())
            FROM feed WHERE id = 1)
        """

    /// Returns the position as `LogStatements.position` does.
    static let position: SQL = LogStatements.position(identity: identity)

    /// Returns the changes of events as `LogStatements.events` does.
    static let events: SQL = LogStatements.events(identity: identity)

    static let all = [notifications, listen, notify, lock, find, position, events]
}
