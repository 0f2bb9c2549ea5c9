import Model

/// The statements of a move, for one table.
struct MoveStatements {
    /// The rows with ids in a range that is open below, at most so many.
    let rows: StaticString
    /// The number of rows, and the greatest id or 0.
    let extent: StaticString
    /// The ids in a range that is open below.
    let ids: StaticString
    let delete: StaticString
    /// Adds a row, or replaces the one with the same id.
    let store: StaticString

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

    /// The id that the latest row of a table has got; no row if it has never had any.
    static let latestID: StaticString = "SELECT seq FROM sqlite_sequence WHERE name = ?"
    static let setLatestID: StaticString = "UPDATE sqlite_sequence SET seq = ? WHERE name = ?"
    static let addLatestID: StaticString = "INSERT INTO sqlite_sequence (seq, name) VALUES (?, ?)"

    static let setInstallation: StaticString = """
        INSERT INTO installation (id, uuid) VALUES (1, ?)
        ON CONFLICT (id) DO UPDATE SET uuid = excluded.uuid
        """

    static let createMoves: StaticString = """
        CREATE TABLE IF NOT EXISTS moves (key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) STRICT
        """
    static let dropMoves: StaticString = "DROP TABLE moves"
    static let findMoves: StaticString = "SELECT 1 FROM sqlite_schema WHERE name = 'moves'"
    static let value: StaticString = "SELECT value FROM moves WHERE key = ?"
    static let setValue: StaticString = """
        INSERT INTO moves (key, value) VALUES (?, ?)
        ON CONFLICT (key) DO UPDATE SET value = excluded.value
        """

    /// The names of all tables.
    static let tables: StaticString = "SELECT name FROM sqlite_schema WHERE type = 'table'"

    /// The number of triggers that reject writes.
    static let closingTriggers: StaticString = """
        SELECT count(*) FROM sqlite_schema
        WHERE type = 'trigger' AND name LIKE 'humon\\_closed\\_%' ESCAPE '\\'
        """
    /// The migrations and when they were applied.
    static let history: StaticString =
        "SELECT name, checksum, applied_at FROM schema_migrations ORDER BY name"
}

extension MoveStatements {
    private static let users = MoveStatements(
        rows: """
            SELECT id, token_digest, created_at
            FROM users WHERE id > ? AND id <= ? ORDER BY id LIMIT ?
            """,
        extent: "SELECT count(*), coalesce(max(id), 0) FROM users",
        ids: "SELECT id FROM users WHERE id > ? AND id <= ?",
        delete: "DELETE FROM users WHERE id = ?",
        store: """
            INSERT INTO users (id, token_digest, created_at)
            VALUES (?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET
                token_digest = excluded.token_digest, created_at = excluded.created_at
            """
    )

    private static let events = MoveStatements(
        rows: """
            SELECT id, owner_id, name, address, latitude, longitude, started_at, ended_at,
                created_at, updated_at
            FROM events WHERE id > ? AND id <= ? ORDER BY id LIMIT ?
            """,
        extent: "SELECT count(*), coalesce(max(id), 0) FROM events",
        ids: "SELECT id FROM events WHERE id > ? AND id <= ?",
        delete: "DELETE FROM events WHERE id = ?",
        store: """
            INSERT INTO events (id, owner_id, name, address, latitude, longitude, started_at,
                ended_at, created_at, updated_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET
                owner_id = excluded.owner_id, name = excluded.name, address = excluded.address,
                    latitude = excluded.latitude, longitude = excluded.longitude, started_at =
                    excluded.started_at, ended_at = excluded.ended_at, created_at =
                    excluded.created_at, updated_at = excluded.updated_at
            """
    )

    private static let attendances = MoveStatements(
        rows: """
            SELECT id, user_id, event_id, created_at
            FROM attendances WHERE id > ? AND id <= ? ORDER BY id LIMIT ?
            """,
        extent: "SELECT count(*), coalesce(max(id), 0) FROM attendances",
        ids: "SELECT id FROM attendances WHERE id > ? AND id <= ?",
        delete: "DELETE FROM attendances WHERE id = ?",
        store: """
            INSERT INTO attendances (id, user_id, event_id, created_at)
            VALUES (?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET
                user_id = excluded.user_id, event_id = excluded.event_id, created_at =
                    excluded.created_at
            """
    )

    private static let sharedTasks = MoveStatements(
        rows: """
            SELECT id, task_id, name, is_completed, created_at
            FROM shared_tasks WHERE id > ? AND id <= ? ORDER BY id LIMIT ?
            """,
        extent: "SELECT count(*), coalesce(max(id), 0) FROM shared_tasks",
        ids: "SELECT id FROM shared_tasks WHERE id > ? AND id <= ?",
        delete: "DELETE FROM shared_tasks WHERE id = ?",
        store: """
            INSERT INTO shared_tasks (id, task_id, name, is_completed, created_at)
            VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET
                task_id = excluded.task_id, name = excluded.name, is_completed =
                    excluded.is_completed, created_at = excluded.created_at
            """
    )

    private static let checkins = MoveStatements(
        rows: """
            SELECT id, name, category, rating, latitude, longitude, user_name, local_time,
                created_at
            FROM checkins WHERE id > ? AND id <= ? ORDER BY id LIMIT ?
            """,
        extent: "SELECT count(*), coalesce(max(id), 0) FROM checkins",
        ids: "SELECT id FROM checkins WHERE id > ? AND id <= ?",
        delete: "DELETE FROM checkins WHERE id = ?",
        store: """
            INSERT INTO checkins (id, name, category, rating, latitude, longitude, user_name,
                local_time, created_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET
                name = excluded.name, category = excluded.category, rating = excluded.rating,
                    latitude = excluded.latitude, longitude = excluded.longitude, user_name =
                    excluded.user_name, local_time = excluded.local_time, created_at =
                    excluded.created_at
            """
    )

    private static let accounts = MoveStatements(
        rows: """
            SELECT id, email, name, password_hash, created_at, updated_at
            FROM accounts WHERE id > ? AND id <= ? ORDER BY id LIMIT ?
            """,
        extent: "SELECT count(*), coalesce(max(id), 0) FROM accounts",
        ids: "SELECT id FROM accounts WHERE id > ? AND id <= ?",
        delete: "DELETE FROM accounts WHERE id = ?",
        store: """
            INSERT INTO accounts (id, email, name, password_hash, created_at, updated_at)
            VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET
                email = excluded.email, name = excluded.name, password_hash =
                    excluded.password_hash, created_at = excluded.created_at, updated_at =
                    excluded.updated_at
            """
    )

    private static let sessions = MoveStatements(
        rows: """
            SELECT id, account_id, token_digest, created_at
            FROM sessions WHERE id > ? AND id <= ? ORDER BY id LIMIT ?
            """,
        extent: "SELECT count(*), coalesce(max(id), 0) FROM sessions",
        ids: "SELECT id FROM sessions WHERE id > ? AND id <= ?",
        delete: "DELETE FROM sessions WHERE id = ?",
        store: """
            INSERT INTO sessions (id, account_id, token_digest, created_at)
            VALUES (?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET
                account_id = excluded.account_id, token_digest = excluded.token_digest, created_at =
                    excluded.created_at
            """
    )

    private static let todoTasks = MoveStatements(
        rows: """
            SELECT id, account_id, title, is_completed, created_at, updated_at
            FROM todo_tasks WHERE id > ? AND id <= ? ORDER BY id LIMIT ?
            """,
        extent: "SELECT count(*), coalesce(max(id), 0) FROM todo_tasks",
        ids: "SELECT id FROM todo_tasks WHERE id > ? AND id <= ?",
        delete: "DELETE FROM todo_tasks WHERE id = ?",
        store: """
            INSERT INTO todo_tasks (id, account_id, title, is_completed, created_at, updated_at)
            VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET
                account_id = excluded.account_id, title = excluded.title, is_completed =
                    excluded.is_completed, created_at = excluded.created_at, updated_at =
                    excluded.updated_at
            """
    )
}
