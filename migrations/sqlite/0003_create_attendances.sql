-- Who will be where: once for each user and event.
CREATE TABLE attendances (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE RESTRICT,
    event_id INTEGER NOT NULL REFERENCES events (id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    -- Its index also finds an event's attendances, to list them or to delete them with it.
    UNIQUE (event_id, user_id)
) STRICT;
