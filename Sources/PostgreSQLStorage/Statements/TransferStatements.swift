/// The statements of an import: one for each kind of record, which is stored if its id is free.
///
/// No row means that the id is taken. An id of NULL is the next one.
enum ImportStatements {
    /// Also creates the owner, unless it exists.
    static let event: StaticString = """
        WITH free AS (SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM events WHERE id = $1)),
            owner AS (
                INSERT INTO users (id, created_at) SELECT $2, $9 FROM free
                ON CONFLICT (id) DO NOTHING
            )
        INSERT INTO events
            (id, owner_id, name, address, latitude, longitude, started_at, ended_at, created_at,
            updated_at)
        SELECT coalesce($1, nextval('events_id_seq')), $2, $3, $4, $5, $6, $7, $8, $9, $9
        FROM free
        RETURNING id
        """

    /// Stores several events in the order of their positions, and creates the owners of those that
    /// are stored; returns the id and the position of each that is.
    ///
    /// Without NOT EXISTS, no plan that was made for a small table reads all of a large one.
    static let events: StaticString = """
        WITH made AS (
            SELECT coalesce(given.id, nextval('events_id_seq')) AS id, owner_id, name, address,
                latitude, longitude, started_at, ended_at, created_at, position
            FROM (
                SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) AS unordered
                    (id, owner_id, name, address, latitude, longitude, started_at, ended_at,
                    created_at, position)
                ORDER BY position
            ) AS given
        ), stored AS (
            INSERT INTO events
                (id, owner_id, name, address, latitude, longitude, started_at, ended_at, created_at,
                updated_at)
            SELECT id, owner_id, name, address, latitude, longitude, started_at, ended_at,
                created_at, created_at
            FROM made
            ON CONFLICT (id) DO NOTHING
            RETURNING id, owner_id, created_at
        ), owners AS (
            INSERT INTO users (id, created_at)
            SELECT owner_id, min(created_at) FROM stored GROUP BY owner_id ORDER BY owner_id
            ON CONFLICT (id) DO NOTHING
        )
        SELECT made.id, min(position)
        FROM made JOIN stored ON stored.id = made.id
        GROUP BY made.id
        """

    /// Whether the event exists, and whether the user attends it.
    static let attendanceObstacles: StaticString = """
        SELECT EXISTS (SELECT 1 FROM events WHERE id = $1),
            EXISTS (SELECT 1 FROM attendances WHERE event_id = $1 AND user_id = $2)
        """

    /// Also creates the user, unless it exists.
    static let attendance: StaticString = """
        WITH free AS (SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM attendances WHERE id = $1)),
            owner AS (
                INSERT INTO users (id, created_at) SELECT $2, $4 FROM free
                ON CONFLICT (id) DO NOTHING
            )
        INSERT INTO attendances (id, user_id, event_id, created_at)
        SELECT coalesce($1, nextval('attendances_id_seq')), $2, $3, $4 FROM free
        RETURNING id
        """

    /// Also creates the account, unless it exists.
    static let todoTask: StaticString = """
        WITH free AS (SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM todo_tasks WHERE id = $1)),
            known AS (
                SELECT id FROM accounts WHERE lower(email) IN ($2, $3)
                ORDER BY lower(email) = $2 DESC LIMIT 1
            ),
            made AS (
                INSERT INTO accounts (email, name, created_at, updated_at)
                SELECT $4, '', $9, $9 FROM free WHERE NOT EXISTS (SELECT 1 FROM known)
                RETURNING id
            ),
            account AS (SELECT id FROM known UNION ALL SELECT id FROM made)
        INSERT INTO todo_tasks (id, account_id, title, is_completed, created_at, updated_at)
        SELECT coalesce($1, nextval('todo_tasks_id_seq')), account.id, $5, $6, $7, $8
        FROM free CROSS JOIN account
        RETURNING id
        """

    static let sharedTask: StaticString = """
        INSERT INTO shared_tasks (id, task_id, name, is_completed, created_at)
        SELECT coalesce($1, nextval('shared_tasks_id_seq')), $2, $3, $4, $5
        WHERE NOT EXISTS (SELECT 1 FROM shared_tasks WHERE id = $1)
        RETURNING id
        """

    static let checkin: StaticString = """
        INSERT INTO checkins
            (id, name, category, rating, latitude, longitude, user_name, local_time, created_at)
        SELECT coalesce($1, nextval('checkins_id_seq')), $2, $3, $4, $5, $6, $7, $8, $9
        WHERE NOT EXISTS (SELECT 1 FROM checkins WHERE id = $1)
        RETURNING id
        """

    static let all = [
        event, events, attendanceObstacles, attendance, todoTask, sharedTask, checkin,
    ]
}

/// The statements that change the next value of a sequence; `$1` is its name.
enum SequenceStatements {
    /// Advances the sequence until it has returned `$2` or more.
    static let takeIDs: StaticString = """
        WITH RECURSIVE taken (id) AS (
            SELECT nextval($1::text::regclass)
            UNION ALL
            SELECT nextval($1::text::regclass) FROM taken WHERE id < $2
        )
        SELECT max(id) FROM taken
        """
    static let setNextID: StaticString = "SELECT setval($1::text::regclass, $2, false)"

    static let all = [takeIDs, setNextID]
}

/// The statements of an export: the rows after an id, at most so many.
enum ExportStatements {
    static let events: StaticString = """
        SELECT id, owner_id, latitude, longitude, name, address, started_at, ended_at
        FROM events WHERE id > $1 ORDER BY id LIMIT $2
        """
    static let attendances: StaticString =
        "SELECT id, event_id, user_id FROM attendances WHERE id > $1 ORDER BY id LIMIT $2"
    static let todoTasks: StaticString = """
        SELECT todo_tasks.id, email, title, is_completed,
            todo_tasks.created_at, todo_tasks.updated_at
        FROM todo_tasks JOIN accounts ON accounts.id = account_id
        WHERE todo_tasks.id > $1 ORDER BY todo_tasks.id LIMIT $2
        """
    static let sharedTasks: StaticString = """
        SELECT id, task_id, name, is_completed
        FROM shared_tasks WHERE id > $1 ORDER BY id LIMIT $2
        """
    static let checkins: StaticString = """
        SELECT id, name, category, rating, latitude, longitude, user_name, local_time
        FROM checkins WHERE id > $1 ORDER BY id LIMIT $2
        """

    static let all = [events, attendances, todoTasks, sharedTasks, checkins]
}
