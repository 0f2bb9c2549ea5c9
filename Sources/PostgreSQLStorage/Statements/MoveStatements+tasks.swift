import PostgreSQL

/// The statements of a move for the table shared_tasks.
enum MoveSharedTasksStatements {
    static let rows: StaticString = """
        SELECT id, task_id, name, is_completed, created_at
        FROM shared_tasks WHERE id > $1 AND id <= $2 ORDER BY id LIMIT $3
        """
    static let extent: StaticString = "SELECT count(*), coalesce(max(id), 0) FROM shared_tasks"
    static let nextID: StaticString = """
        SELECT CASE WHEN is_called THEN last_value + 1 ELSE last_value END
        FROM shared_tasks_id_seq
        """
    static let copy: StaticString = """
        COPY shared_tasks (id, task_id, name, is_completed, created_at)
        FROM STDIN (FORMAT binary)
        """
    static let delete: StaticString =
        "DELETE FROM shared_tasks WHERE id > $1 AND id <= $2 AND NOT (id = ANY ($3))"
    static let createBuffer: StaticString =
        "CREATE TEMPORARY TABLE moved_shared_tasks (LIKE shared_tasks) ON COMMIT DROP"
    static let copyToBuffer: StaticString = """
        COPY moved_shared_tasks (id, task_id, name, is_completed, created_at)
        FROM STDIN (FORMAT binary)
        """
    static let store: StaticString = """
        INSERT INTO shared_tasks (id, task_id, name, is_completed, created_at)
        SELECT id, task_id, name, is_completed, created_at
        FROM moved_shared_tasks ORDER BY id
        ON CONFLICT (id) DO UPDATE SET
            task_id = excluded.task_id, name = excluded.name, is_completed =
            excluded.is_completed, created_at = excluded.created_at
        """
    static let close: StaticString = """
        CREATE TRIGGER humon_closed BEFORE INSERT OR UPDATE OR DELETE ON shared_tasks FOR EACH ROW
        WHEN (current_setting('humon.moving', true) IS DISTINCT FROM 'yes')
        EXECUTE FUNCTION humon_reject_write()
        """
    static let closeAgain: StaticString = "ALTER TABLE shared_tasks ENABLE TRIGGER humon_closed"
    static let reopen: StaticString = "ALTER TABLE shared_tasks DISABLE TRIGGER humon_closed"

    static let all = [
        rows, extent, nextID, copy, delete, createBuffer, copyToBuffer, store, close,
        closeAgain, reopen,
    ]
}

extension MoveStatements {
    static let sharedTasks = MoveStatements(
        rows: MoveSharedTasksStatements.rows,
        extent: MoveSharedTasksStatements.extent,
        nextID: MoveSharedTasksStatements.nextID,
        copy: MoveSharedTasksStatements.copy,
        delete: MoveSharedTasksStatements.delete,
        createBuffer: MoveSharedTasksStatements.createBuffer,
        copyToBuffer: MoveSharedTasksStatements.copyToBuffer,
        store: MoveSharedTasksStatements.store,
        close: MoveSharedTasksStatements.close,
        closeAgain: MoveSharedTasksStatements.closeAgain,
        reopen: MoveSharedTasksStatements.reopen
    )
}

/// The statements of a move for the table checkins.
enum MoveCheckinsStatements {
    static let rows: StaticString = """
        SELECT id, name, category, rating + 0::float8, latitude + 0::float8, longitude +
            0::float8, user_name, local_time, created_at
        FROM checkins WHERE id > $1 AND id <= $2 ORDER BY id LIMIT $3
        """
    static let extent: StaticString = "SELECT count(*), coalesce(max(id), 0) FROM checkins"
    static let nextID: StaticString = """
        SELECT CASE WHEN is_called THEN last_value + 1 ELSE last_value END
        FROM checkins_id_seq
        """
    static let copy: StaticString = """
        COPY checkins (id, name, category, rating, latitude, longitude, user_name,
            local_time, created_at)
        FROM STDIN (FORMAT binary)
        """
    static let delete: StaticString =
        "DELETE FROM checkins WHERE id > $1 AND id <= $2 AND NOT (id = ANY ($3))"
    static let createBuffer: StaticString =
        "CREATE TEMPORARY TABLE moved_checkins (LIKE checkins) ON COMMIT DROP"
    static let copyToBuffer: StaticString = """
        COPY moved_checkins (id, name, category, rating, latitude, longitude, user_name,
            local_time, created_at)
        FROM STDIN (FORMAT binary)
        """
    static let store: StaticString = """
        INSERT INTO checkins (id, name, category, rating, latitude, longitude, user_name,
            local_time, created_at)
        SELECT id, name, category, rating, latitude, longitude, user_name, local_time,
            created_at
        FROM moved_checkins ORDER BY id
        ON CONFLICT (id) DO UPDATE SET
            name = excluded.name, category = excluded.category, rating = excluded.rating,
            latitude = excluded.latitude, longitude = excluded.longitude, user_name =
            excluded.user_name, local_time = excluded.local_time, created_at =
            excluded.created_at
        """
    static let close: StaticString = """
        CREATE TRIGGER humon_closed BEFORE INSERT OR UPDATE OR DELETE ON checkins FOR EACH ROW
        WHEN (current_setting('humon.moving', true) IS DISTINCT FROM 'yes')
        EXECUTE FUNCTION humon_reject_write()
        """
    static let closeAgain: StaticString = "ALTER TABLE checkins ENABLE TRIGGER humon_closed"
    static let reopen: StaticString = "ALTER TABLE checkins DISABLE TRIGGER humon_closed"

    static let all = [
        rows, extent, nextID, copy, delete, createBuffer, copyToBuffer, store, close,
        closeAgain, reopen,
    ]
}

extension MoveStatements {
    static let checkins = MoveStatements(
        rows: MoveCheckinsStatements.rows,
        extent: MoveCheckinsStatements.extent,
        nextID: MoveCheckinsStatements.nextID,
        copy: MoveCheckinsStatements.copy,
        delete: MoveCheckinsStatements.delete,
        createBuffer: MoveCheckinsStatements.createBuffer,
        copyToBuffer: MoveCheckinsStatements.copyToBuffer,
        store: MoveCheckinsStatements.store,
        close: MoveCheckinsStatements.close,
        closeAgain: MoveCheckinsStatements.closeAgain,
        reopen: MoveCheckinsStatements.reopen
    )
}

/// The statements of a move for the table accounts.
enum MoveAccountsStatements {
    static let rows: StaticString = """
        SELECT id, email, name, password_hash, created_at, updated_at
        FROM accounts WHERE id > $1 AND id <= $2 ORDER BY id LIMIT $3
        """
    static let extent: StaticString = "SELECT count(*), coalesce(max(id), 0) FROM accounts"
    static let nextID: StaticString = """
        SELECT CASE WHEN is_called THEN last_value + 1 ELSE last_value END
        FROM accounts_id_seq
        """
    static let copy: StaticString = """
        COPY accounts (id, email, name, password_hash, created_at, updated_at)
        FROM STDIN (FORMAT binary)
        """
    static let delete: StaticString =
        "DELETE FROM accounts WHERE id > $1 AND id <= $2 AND NOT (id = ANY ($3))"
    static let createBuffer: StaticString =
        "CREATE TEMPORARY TABLE moved_accounts (LIKE accounts) ON COMMIT DROP"
    static let copyToBuffer: StaticString = """
        COPY moved_accounts (id, email, name, password_hash, created_at, updated_at)
        FROM STDIN (FORMAT binary)
        """
    static let store: StaticString = """
        INSERT INTO accounts (id, email, name, password_hash, created_at, updated_at)
        SELECT id, email, name, password_hash, created_at, updated_at
        FROM moved_accounts ORDER BY id
        ON CONFLICT (id) DO UPDATE SET
            email = excluded.email, name = excluded.name, password_hash =
            excluded.password_hash, created_at = excluded.created_at, updated_at =
            excluded.updated_at
        """
    static let close: StaticString = """
        CREATE TRIGGER humon_closed BEFORE INSERT OR UPDATE OR DELETE ON accounts FOR EACH ROW
        WHEN (current_setting('humon.moving', true) IS DISTINCT FROM 'yes')
        EXECUTE FUNCTION humon_reject_write()
        """
    static let closeAgain: StaticString = "ALTER TABLE accounts ENABLE TRIGGER humon_closed"
    static let reopen: StaticString = "ALTER TABLE accounts DISABLE TRIGGER humon_closed"

    static let all = [
        rows, extent, nextID, copy, delete, createBuffer, copyToBuffer, store, close,
        closeAgain, reopen,
    ]
}

extension MoveStatements {
    static let accounts = MoveStatements(
        rows: MoveAccountsStatements.rows,
        extent: MoveAccountsStatements.extent,
        nextID: MoveAccountsStatements.nextID,
        copy: MoveAccountsStatements.copy,
        delete: MoveAccountsStatements.delete,
        createBuffer: MoveAccountsStatements.createBuffer,
        copyToBuffer: MoveAccountsStatements.copyToBuffer,
        store: MoveAccountsStatements.store,
        close: MoveAccountsStatements.close,
        closeAgain: MoveAccountsStatements.closeAgain,
        reopen: MoveAccountsStatements.reopen
    )
}

/// The statements of a move for the table sessions.
enum MoveSessionsStatements {
    static let rows: StaticString = """
        SELECT id, account_id, token_digest, created_at
        FROM sessions WHERE id > $1 AND id <= $2 ORDER BY id LIMIT $3
        """
    static let extent: StaticString = "SELECT count(*), coalesce(max(id), 0) FROM sessions"
    static let nextID: StaticString = """
        SELECT CASE WHEN is_called THEN last_value + 1 ELSE last_value END
        FROM sessions_id_seq
        """
    static let copy: StaticString = """
        COPY sessions (id, account_id, token_digest, created_at)
        FROM STDIN (FORMAT binary)
        """
    static let delete: StaticString =
        "DELETE FROM sessions WHERE id > $1 AND id <= $2 AND NOT (id = ANY ($3))"
    static let createBuffer: StaticString =
        "CREATE TEMPORARY TABLE moved_sessions (LIKE sessions) ON COMMIT DROP"
    static let copyToBuffer: StaticString = """
        COPY moved_sessions (id, account_id, token_digest, created_at)
        FROM STDIN (FORMAT binary)
        """
    static let store: StaticString = """
        INSERT INTO sessions (id, account_id, token_digest, created_at)
        SELECT id, account_id, token_digest, created_at
        FROM moved_sessions ORDER BY id
        ON CONFLICT (id) DO UPDATE SET
            account_id = excluded.account_id, token_digest = excluded.token_digest, created_at =
            excluded.created_at
        """
    static let close: StaticString = """
        CREATE TRIGGER humon_closed BEFORE INSERT OR UPDATE OR DELETE ON sessions FOR EACH ROW
        WHEN (current_setting('humon.moving', true) IS DISTINCT FROM 'yes')
        EXECUTE FUNCTION humon_reject_write()
        """
    static let closeAgain: StaticString = "ALTER TABLE sessions ENABLE TRIGGER humon_closed"
    static let reopen: StaticString = "ALTER TABLE sessions DISABLE TRIGGER humon_closed"

    static let all = [
        rows, extent, nextID, copy, delete, createBuffer, copyToBuffer, store, close,
        closeAgain, reopen,
    ]
}

extension MoveStatements {
    static let sessions = MoveStatements(
        rows: MoveSessionsStatements.rows,
        extent: MoveSessionsStatements.extent,
        nextID: MoveSessionsStatements.nextID,
        copy: MoveSessionsStatements.copy,
        delete: MoveSessionsStatements.delete,
        createBuffer: MoveSessionsStatements.createBuffer,
        copyToBuffer: MoveSessionsStatements.copyToBuffer,
        store: MoveSessionsStatements.store,
        close: MoveSessionsStatements.close,
        closeAgain: MoveSessionsStatements.closeAgain,
        reopen: MoveSessionsStatements.reopen
    )
}

/// The statements of a move for the table todo_tasks.
enum MoveTodoTasksStatements {
    static let rows: StaticString = """
        SELECT id, account_id, title, is_completed, created_at, updated_at
        FROM todo_tasks WHERE id > $1 AND id <= $2 ORDER BY id LIMIT $3
        """
    static let extent: StaticString = "SELECT count(*), coalesce(max(id), 0) FROM todo_tasks"
    static let nextID: StaticString = """
        SELECT CASE WHEN is_called THEN last_value + 1 ELSE last_value END
        FROM todo_tasks_id_seq
        """
    static let copy: StaticString = """
        COPY todo_tasks (id, account_id, title, is_completed, created_at, updated_at)
        FROM STDIN (FORMAT binary)
        """
    static let delete: StaticString =
        "DELETE FROM todo_tasks WHERE id > $1 AND id <= $2 AND NOT (id = ANY ($3))"
    static let createBuffer: StaticString =
        "CREATE TEMPORARY TABLE moved_todo_tasks (LIKE todo_tasks) ON COMMIT DROP"
    static let copyToBuffer: StaticString = """
        COPY moved_todo_tasks (id, account_id, title, is_completed, created_at, updated_at)
        FROM STDIN (FORMAT binary)
        """
    static let store: StaticString = """
        INSERT INTO todo_tasks (id, account_id, title, is_completed, created_at, updated_at)
        SELECT id, account_id, title, is_completed, created_at, updated_at
        FROM moved_todo_tasks ORDER BY id
        ON CONFLICT (id) DO UPDATE SET
            account_id = excluded.account_id, title = excluded.title, is_completed =
            excluded.is_completed, created_at = excluded.created_at, updated_at =
            excluded.updated_at
        """
    static let close: StaticString = """
        CREATE TRIGGER humon_closed BEFORE INSERT OR UPDATE OR DELETE ON todo_tasks FOR EACH ROW
        WHEN (current_setting('humon.moving', true) IS DISTINCT FROM 'yes')
        EXECUTE FUNCTION humon_reject_write()
        """
    static let closeAgain: StaticString = "ALTER TABLE todo_tasks ENABLE TRIGGER humon_closed"
    static let reopen: StaticString = "ALTER TABLE todo_tasks DISABLE TRIGGER humon_closed"

    static let all = [
        rows, extent, nextID, copy, delete, createBuffer, copyToBuffer, store, close,
        closeAgain, reopen,
    ]
}

extension MoveStatements {
    static let todoTasks = MoveStatements(
        rows: MoveTodoTasksStatements.rows,
        extent: MoveTodoTasksStatements.extent,
        nextID: MoveTodoTasksStatements.nextID,
        copy: MoveTodoTasksStatements.copy,
        delete: MoveTodoTasksStatements.delete,
        createBuffer: MoveTodoTasksStatements.createBuffer,
        copyToBuffer: MoveTodoTasksStatements.copyToBuffer,
        store: MoveTodoTasksStatements.store,
        close: MoveTodoTasksStatements.close,
        closeAgain: MoveTodoTasksStatements.closeAgain,
        reopen: MoveTodoTasksStatements.reopen
    )
}
