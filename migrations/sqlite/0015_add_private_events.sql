-- Who can see an event: NULL is everybody, and any other value its owner and the users who attend it.
ALTER TABLE events ADD COLUMN visibility TEXT CHECK (length(visibility) <= 20);

-- The codes with which users can attend an event that they can't see.
CREATE TABLE invitations (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    event_id INTEGER NOT NULL REFERENCES events (id) ON DELETE CASCADE,
    -- SHA-256. The code itself is stored nowhere.
    code_digest BLOB NOT NULL UNIQUE CHECK (length(code_digest) = 32),
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX invitations_event_id ON invitations (event_id);

-- The log says whether an event was public before a change.
DROP TRIGGER log_replaced_event;
CREATE TRIGGER log_replaced_event BEFORE INSERT ON events
WHEN EXISTS (SELECT 1 FROM events WHERE id = NEW.id) BEGIN
    INSERT INTO changes
        (kind, record_id, user_id, was_public, latitude, longitude, changed_at)
    SELECT 1, id, owner_id, visibility IS NULL, latitude, longitude,
        CAST(strftime('%s', 'now') AS INTEGER) * 1000
    FROM events WHERE id = NEW.id;
END;
DROP TRIGGER log_changed_event;
CREATE TRIGGER log_changed_event AFTER UPDATE ON events BEGIN
    INSERT INTO changes
        (kind, record_id, user_id, was_public, latitude, longitude, changed_at)
    VALUES (1, OLD.id, OLD.owner_id, OLD.visibility IS NULL, OLD.latitude, OLD.longitude,
        CAST(strftime('%s', 'now') AS INTEGER) * 1000);
END;
DROP TRIGGER log_deleted_event;
CREATE TRIGGER log_deleted_event AFTER DELETE ON events BEGIN
    INSERT INTO changes
        (kind, record_id, user_id, was_public, latitude, longitude, changed_at)
    VALUES (1, OLD.id, OLD.owner_id, OLD.visibility IS NULL, OLD.latitude, OLD.longitude,
        CAST(strftime('%s', 'now') AS INTEGER) * 1000);
END;
