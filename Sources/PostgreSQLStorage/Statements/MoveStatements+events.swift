/// The statements of a move for the table users.
enum MoveUsersStatements {
    static let rows: StaticString = """
        SELECT id, token_digest, created_at
        FROM users WHERE id > $1 AND id <= $2 ORDER BY id LIMIT $3
        """
    static let extent: StaticString = "SELECT count(*), coalesce(max(id), 0) FROM users"
    static let nextID: StaticString = """
        SELECT CASE WHEN is_called THEN last_value + 1 ELSE last_value END
        FROM users_id_seq
        """
    static let copy: StaticString = """
        COPY users (id, token_digest, created_at)
        FROM STDIN (FORMAT binary)
        """
    static let delete: StaticString =
        "DELETE FROM users WHERE id > $1 AND id <= $2 AND NOT (id = ANY ($3))"
    static let createBuffer: StaticString =
        "CREATE TEMPORARY TABLE moved_users (LIKE users) ON COMMIT DROP"
    static let copyToBuffer: StaticString = """
        COPY moved_users (id, token_digest, created_at)
        FROM STDIN (FORMAT binary)
        """
    static let store: StaticString = """
        INSERT INTO users (id, token_digest, created_at)
        SELECT id, token_digest, created_at
        FROM moved_users ORDER BY id
        ON CONFLICT (id) DO UPDATE SET
            token_digest = excluded.token_digest, created_at = excluded.created_at
        """
    static let close: StaticString = """
        CREATE TRIGGER humon_closed BEFORE INSERT OR UPDATE OR DELETE ON users FOR EACH ROW
        WHEN (current_setting('humon.moving', true) IS DISTINCT FROM 'yes')
        EXECUTE FUNCTION humon_reject_write()
        """
    static let closeAgain: StaticString = "ALTER TABLE users ENABLE TRIGGER humon_closed"
    static let reopen: StaticString = "ALTER TABLE users DISABLE TRIGGER humon_closed"

    static let all = [
        rows, extent, nextID, copy, delete, createBuffer, copyToBuffer, store, close,
        closeAgain, reopen,
    ]
}

extension MoveStatements {
    static let users = MoveStatements(
        rows: MoveUsersStatements.rows,
        extent: MoveUsersStatements.extent,
        nextID: MoveUsersStatements.nextID,
        copy: MoveUsersStatements.copy,
        delete: MoveUsersStatements.delete,
        createBuffer: MoveUsersStatements.createBuffer,
        copyToBuffer: MoveUsersStatements.copyToBuffer,
        store: MoveUsersStatements.store,
        close: MoveUsersStatements.close,
        closeAgain: MoveUsersStatements.closeAgain,
        reopen: MoveUsersStatements.reopen
    )
}

/// The statements of a move for the table events.
enum MoveEventsStatements {
    static let rows: StaticString = """
        SELECT id, owner_id, name, address, latitude + 0::float8, longitude + 0::float8,
            started_at, ended_at, created_at, updated_at
        FROM events WHERE id > $1 AND id <= $2 ORDER BY id LIMIT $3
        """
    static let extent: StaticString = "SELECT count(*), coalesce(max(id), 0) FROM events"
    static let nextID: StaticString = """
        SELECT CASE WHEN is_called THEN last_value + 1 ELSE last_value END
        FROM events_id_seq
        """
    static let copy: StaticString = """
        COPY events (id, owner_id, name, address, latitude, longitude, started_at, ended_at,
            created_at, updated_at)
        FROM STDIN (FORMAT binary)
        """
    static let delete: StaticString =
        "DELETE FROM events WHERE id > $1 AND id <= $2 AND NOT (id = ANY ($3))"
    static let createBuffer: StaticString =
        "CREATE TEMPORARY TABLE moved_events (LIKE events) ON COMMIT DROP"
    static let copyToBuffer: StaticString = """
        COPY moved_events (id, owner_id, name, address, latitude, longitude, started_at,
            ended_at, created_at, updated_at)
        FROM STDIN (FORMAT binary)
        """
    static let store: StaticString = """
        INSERT INTO events (id, owner_id, name, address, latitude, longitude, started_at,
            ended_at, created_at, updated_at)
        SELECT id, owner_id, name, address, latitude, longitude, started_at, ended_at,
            created_at, updated_at
        FROM moved_events ORDER BY id
        ON CONFLICT (id) DO UPDATE SET
            owner_id = excluded.owner_id, name = excluded.name, address = excluded.address,
            latitude = excluded.latitude, longitude = excluded.longitude, started_at =
            excluded.started_at, ended_at = excluded.ended_at, created_at = excluded.created_at,
            updated_at = excluded.updated_at
        """
    static let close: StaticString = """
        CREATE TRIGGER humon_closed BEFORE INSERT OR UPDATE OR DELETE ON events FOR EACH ROW
        WHEN (current_setting('humon.moving', true) IS DISTINCT FROM 'yes')
        EXECUTE FUNCTION humon_reject_write()
        """
    static let closeAgain: StaticString = "ALTER TABLE events ENABLE TRIGGER humon_closed"
    static let reopen: StaticString = "ALTER TABLE events DISABLE TRIGGER humon_closed"

    static let all = [
        rows, extent, nextID, copy, delete, createBuffer, copyToBuffer, store, close,
        closeAgain, reopen,
    ]
}

extension MoveStatements {
    static let events = MoveStatements(
        rows: MoveEventsStatements.rows,
        extent: MoveEventsStatements.extent,
        nextID: MoveEventsStatements.nextID,
        copy: MoveEventsStatements.copy,
        delete: MoveEventsStatements.delete,
        createBuffer: MoveEventsStatements.createBuffer,
        copyToBuffer: MoveEventsStatements.copyToBuffer,
        store: MoveEventsStatements.store,
        close: MoveEventsStatements.close,
        closeAgain: MoveEventsStatements.closeAgain,
        reopen: MoveEventsStatements.reopen
    )
}

/// The statements of a move for the table attendances.
enum MoveAttendancesStatements {
    static let rows: StaticString = """
        SELECT id, user_id, event_id, created_at
        FROM attendances WHERE id > $1 AND id <= $2 ORDER BY id LIMIT $3
        """
    static let extent: StaticString = "SELECT count(*), coalesce(max(id), 0) FROM attendances"
    static let nextID: StaticString = """
        SELECT CASE WHEN is_called THEN last_value + 1 ELSE last_value END
        FROM attendances_id_seq
        """
    static let copy: StaticString = """
        COPY attendances (id, user_id, event_id, created_at)
        FROM STDIN (FORMAT binary)
        """
    static let delete: StaticString =
        "DELETE FROM attendances WHERE id > $1 AND id <= $2 AND NOT (id = ANY ($3))"
    static let createBuffer: StaticString =
        "CREATE TEMPORARY TABLE moved_attendances (LIKE attendances) ON COMMIT DROP"
    static let copyToBuffer: StaticString = """
        COPY moved_attendances (id, user_id, event_id, created_at)
        FROM STDIN (FORMAT binary)
        """
    static let store: StaticString = """
        INSERT INTO attendances (id, user_id, event_id, created_at)
        SELECT id, user_id, event_id, created_at
        FROM moved_attendances ORDER BY id
        ON CONFLICT (id) DO UPDATE SET
            user_id = excluded.user_id, event_id = excluded.event_id, created_at =
            excluded.created_at
        """
    static let close: StaticString = """
        CREATE TRIGGER humon_closed BEFORE INSERT OR UPDATE OR DELETE ON attendances FOR EACH ROW
        WHEN (current_setting('humon.moving', true) IS DISTINCT FROM 'yes')
        EXECUTE FUNCTION humon_reject_write()
        """
    static let closeAgain: StaticString = "ALTER TABLE attendances ENABLE TRIGGER humon_closed"
    static let reopen: StaticString = "ALTER TABLE attendances DISABLE TRIGGER humon_closed"

    static let all = [
        rows, extent, nextID, copy, delete, createBuffer, copyToBuffer, store, close,
        closeAgain, reopen,
    ]
}

extension MoveStatements {
    static let attendances = MoveStatements(
        rows: MoveAttendancesStatements.rows,
        extent: MoveAttendancesStatements.extent,
        nextID: MoveAttendancesStatements.nextID,
        copy: MoveAttendancesStatements.copy,
        delete: MoveAttendancesStatements.delete,
        createBuffer: MoveAttendancesStatements.createBuffer,
        copyToBuffer: MoveAttendancesStatements.copyToBuffer,
        store: MoveAttendancesStatements.store,
        close: MoveAttendancesStatements.close,
        closeAgain: MoveAttendancesStatements.closeAgain,
        reopen: MoveAttendancesStatements.reopen
    )
}
