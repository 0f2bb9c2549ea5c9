import Events
import Model
import PostgreSQL
import Rules
import System

/// The statements of an import: one for each kind of record, which is stored if its id is free.
///
/// No row means that the id is taken. An id of NULL is the next one.
enum ImportStatements {
    /// The columns that an imported event gets.
    static let imported = EventColumn.allCases
    private static let importedList = imported.columns.list

    /// Returns what is stored of a column: the cause `ban` (4) of an owner who is not banned here
    /// becomes `admin` (1), because no end of a ban would show the event.
    private static func stored(
        _ column: EventColumn,
        _ given: (EventColumn) -> String
    ) -> String {
        guard column == .hidden else { return given(column) }
        return """
            CASE WHEN EXISTS (
                SELECT 1 FROM users WHERE users.id = \(given(.ownerID)) AND banned_at IS NOT NULL
            ) THEN 4 WHEN \(given(column)) = 4 THEN 1 ELSE \(given(column)) END
            """
    }

    /// Also creates the owner, unless it exists.
    static let event = SQL(
        made: """
            WITH free AS (SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM events WHERE id = $1)),
                owner AS (
                    INSERT INTO users (id, created_at)
                    SELECT \(EventColumn.ownerID.parameter), \(EventColumn.createdAt.parameter)
                    FROM free
                    ON CONFLICT (id) DO NOTHING
                )
            INSERT INTO events (\(importedList))
            SELECT coalesce($1, nextval('events_id_seq')),
                \(imported.dropFirst().map { stored($0) { $0.parameter } }.joined(separator: ", "))
            FROM free
            RETURNING id
            """
    )

    /// Stores several events in the order of their positions, and creates the owners of those that
    /// are stored; returns the id and the position of each that is.
    ///
    /// Without NOT EXISTS, no plan that was made for a small table reads all of a large one.
    static let events = SQL(
        made: """
            WITH made AS (
                SELECT coalesce(given.id, nextval('events_id_seq')) AS id,
                    \(imported.dropFirst().columns.list), position
                FROM (
                    SELECT * FROM unnest(
                        \(imported.columns.parameters("$")), $\(imported.count + 1)
                    ) AS unordered (\(importedList), position)
                    ORDER BY position
                ) AS given
            ), stored AS (
                INSERT INTO events (\(importedList))
                SELECT \(imported.map { stored($0) { $0.column.name } }.joined(separator: ", "))
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
    )

    /// The users among `$1` whose data was deleted.
    static let deletedUsers: SQL =
        "SELECT id FROM users WHERE id = ANY($1) AND deleted_at IS NOT NULL"

    /// Also creates the user, unless it exists.
    static let attendance = SQL(
        made: """
            WITH free AS (SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM attendances WHERE id = $1)),
                owner AS (
                    INSERT INTO users (id, created_at)
                    SELECT \(AttendanceColumn.userID.parameter),
                        \(AttendanceColumn.createdAt.parameter)
                    FROM free
                    ON CONFLICT (id) DO NOTHING
                )
            INSERT INTO attendances (\(Table.attendances.list))
            SELECT coalesce($1, nextval('attendances_id_seq')),
                \(Table.attendances.columns.dropFirst().parameters("$", from: 2))
            FROM free
            RETURNING id
            """
    )

    /// Also creates the account, unless it exists.
    ///
    /// The values are the id, those of `AccountStatements.find`, the address and the time of a new
    /// account, and those of the columns after the account.
    static let todoTask = SQL(
        made: """
            WITH free AS (SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM todo_tasks WHERE id = $1)),
                known AS (
                    SELECT id FROM accounts WHERE lower(email) IN ($2, $3)
                    ORDER BY lower(email) = $2 DESC LIMIT 1
                ),
                made AS (
                    INSERT INTO accounts (email, name, created_at, updated_at)
                    SELECT $4, '', $5, $5 FROM free WHERE NOT EXISTS (SELECT 1 FROM known)
                    RETURNING id
                ),
                account AS (SELECT id FROM known UNION ALL SELECT id FROM made)
            INSERT INTO todo_tasks (\(Table.todoTasks.list))
            SELECT coalesce($1, nextval('todo_tasks_id_seq')), account.id,
                \(Table.todoTasks.columns.dropFirst(2).parameters("$", from: 6))
            FROM free CROSS JOIN account
            RETURNING id
            """
    )

    static let sharedTask = SQL(importingInto: .sharedTasks)
    static let checkin = SQL(importingInto: .checkins)

    static let all = [
        event, events, deletedUsers, attendance, todoTask, sharedTask, checkin,
    ]
}

/// The statements that change the next value of a sequence; `$1` is its name.
enum SequenceStatements {
    /// Advances the sequence until it has returned `$2` or more.
    static let takeIDs: SQL = """
        WITH RECURSIVE taken (id) AS (
            SELECT nextval($1::text::regclass)
            UNION ALL
            SELECT nextval($1::text::regclass) FROM taken WHERE id < $2
        )
        SELECT max(id) FROM taken
        """
    static let setNextID: SQL = "SELECT setval($1::text::regclass, $2, false)"

    static let all = [takeIDs, setNextID]
}
