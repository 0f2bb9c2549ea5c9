-- The log of changes to events, attendances and tasks. Triggers write it in the transaction of each
-- change, so it has the changes of every program in the order of their commits.
--
-- A row says what was before the change; the record itself says what is now. A cascade is a change, and
-- so is an update that changes no value. An update that changes an id, or whose record it is, has a
-- second row with the new values.
--
-- Without AUTOINCREMENT, because that nearly doubles the cost of a row. The newest row is never deleted,
-- so no number is used twice.
CREATE TABLE changes (
    seq INTEGER NOT NULL PRIMARY KEY CHECK (seq > 0),
    -- 1 event, 2 attendance, 3 task, 4 block, 5 user, 9 everything.
    kind INTEGER NOT NULL CHECK (kind BETWEEN 1 AND 9),
    -- The id of the record; NULL if everything may have changed.
    record_id INTEGER CHECK (record_id IS NOT NULL OR kind = 9),
    -- The owner of an event before the change, or of a new one; the user of an attendance; the account of
    -- a task.
    user_id INTEGER,
    -- The event of an attendance.
    event_id INTEGER,
    -- Whether everybody could see the event before the change; NULL if it did not exist.
    was_public INTEGER CHECK (was_public BETWEEN 0 AND 1),
    -- The place of the event before the change.
    latitude REAL,
    longitude REAL,
    -- Milliseconds since 1970-01-01T00:00:00Z, to delete old rows.
    changed_at INTEGER NOT NULL
) STRICT;

CREATE TABLE feed (
    id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    -- Identifies the numbers: random hexadecimal digits, which differ once numbers may be used again.
    epoch TEXT NOT NULL CHECK (length(epoch) = 8),
    -- The last number that was deleted from the log.
    floor INTEGER NOT NULL DEFAULT 0 CHECK (floor >= 0),
    -- The start of the system under which numbers may be lost by a power failure.
    boot TEXT
) STRICT;
INSERT INTO feed (id, epoch) VALUES (1, lower(hex(randomblob(4))));

CREATE TRIGGER log_new_event AFTER INSERT ON events BEGIN
    INSERT INTO changes (kind, record_id, user_id, changed_at)
    VALUES (1, NEW.id, NEW.owner_id, CAST(strftime('%s', 'now') AS INTEGER) * 1000);
END;
-- REPLACE deletes rows without firing the triggers of DELETE.
CREATE TRIGGER log_replaced_event BEFORE INSERT ON events
WHEN EXISTS (SELECT 1 FROM events WHERE id = NEW.id) BEGIN
    INSERT INTO changes
        (kind, record_id, user_id, was_public, latitude, longitude, changed_at)
    SELECT 1, id, owner_id, 1, latitude, longitude, CAST(strftime('%s', 'now') AS INTEGER) * 1000
    FROM events WHERE id = NEW.id;
END;
CREATE TRIGGER log_changed_event AFTER UPDATE ON events BEGIN
    INSERT INTO changes
        (kind, record_id, user_id, was_public, latitude, longitude, changed_at)
    VALUES (1, OLD.id, OLD.owner_id, 1, OLD.latitude, OLD.longitude,
        CAST(strftime('%s', 'now') AS INTEGER) * 1000);
END;
CREATE TRIGGER log_renumbered_event AFTER UPDATE OF id ON events WHEN NEW.id <> OLD.id BEGIN
    INSERT INTO changes (kind, record_id, user_id, changed_at)
    VALUES (1, NEW.id, NEW.owner_id, CAST(strftime('%s', 'now') AS INTEGER) * 1000);
END;
CREATE TRIGGER log_deleted_event AFTER DELETE ON events BEGIN
    INSERT INTO changes
        (kind, record_id, user_id, was_public, latitude, longitude, changed_at)
    VALUES (1, OLD.id, OLD.owner_id, 1, OLD.latitude, OLD.longitude,
        CAST(strftime('%s', 'now') AS INTEGER) * 1000);
END;

CREATE TRIGGER log_new_attendance AFTER INSERT ON attendances BEGIN
    INSERT INTO changes (kind, record_id, user_id, event_id, changed_at)
    VALUES (2, NEW.id, NEW.user_id, NEW.event_id, CAST(strftime('%s', 'now') AS INTEGER) * 1000);
END;
CREATE TRIGGER log_replaced_attendance BEFORE INSERT ON attendances
WHEN EXISTS (
    SELECT 1 FROM attendances
    WHERE id = NEW.id OR (event_id = NEW.event_id AND user_id = NEW.user_id)
) BEGIN
    INSERT INTO changes (kind, record_id, user_id, event_id, changed_at)
    SELECT 2, id, user_id, event_id, CAST(strftime('%s', 'now') AS INTEGER) * 1000
    FROM attendances
    WHERE id = NEW.id OR (event_id = NEW.event_id AND user_id = NEW.user_id);
END;
CREATE TRIGGER log_changed_attendance AFTER UPDATE ON attendances BEGIN
    INSERT INTO changes (kind, record_id, user_id, event_id, changed_at)
    VALUES (2, OLD.id, OLD.user_id, OLD.event_id, CAST(strftime('%s', 'now') AS INTEGER) * 1000);
END;
CREATE TRIGGER log_moved_attendance AFTER UPDATE OF id, user_id, event_id ON attendances
WHEN NEW.id <> OLD.id OR NEW.user_id <> OLD.user_id OR NEW.event_id <> OLD.event_id BEGIN
    INSERT INTO changes (kind, record_id, user_id, event_id, changed_at)
    VALUES (2, NEW.id, NEW.user_id, NEW.event_id, CAST(strftime('%s', 'now') AS INTEGER) * 1000);
END;
CREATE TRIGGER log_deleted_attendance AFTER DELETE ON attendances BEGIN
    INSERT INTO changes (kind, record_id, user_id, event_id, changed_at)
    VALUES (2, OLD.id, OLD.user_id, OLD.event_id, CAST(strftime('%s', 'now') AS INTEGER) * 1000);
END;

CREATE TRIGGER log_new_task AFTER INSERT ON todo_tasks BEGIN
    INSERT INTO changes (kind, record_id, user_id, changed_at)
    VALUES (3, NEW.id, NEW.account_id, CAST(strftime('%s', 'now') AS INTEGER) * 1000);
END;
CREATE TRIGGER log_replaced_task BEFORE INSERT ON todo_tasks
WHEN EXISTS (SELECT 1 FROM todo_tasks WHERE id = NEW.id) BEGIN
    INSERT INTO changes (kind, record_id, user_id, changed_at)
    SELECT 3, id, account_id, CAST(strftime('%s', 'now') AS INTEGER) * 1000
    FROM todo_tasks WHERE id = NEW.id;
END;
CREATE TRIGGER log_changed_task AFTER UPDATE ON todo_tasks BEGIN
    INSERT INTO changes (kind, record_id, user_id, changed_at)
    VALUES (3, OLD.id, OLD.account_id, CAST(strftime('%s', 'now') AS INTEGER) * 1000);
END;
CREATE TRIGGER log_moved_task AFTER UPDATE OF id, account_id ON todo_tasks
WHEN NEW.id <> OLD.id OR NEW.account_id <> OLD.account_id BEGIN
    INSERT INTO changes (kind, record_id, user_id, changed_at)
    VALUES (3, NEW.id, NEW.account_id, CAST(strftime('%s', 'now') AS INTEGER) * 1000);
END;
CREATE TRIGGER log_deleted_task AFTER DELETE ON todo_tasks BEGIN
    INSERT INTO changes (kind, record_id, user_id, changed_at)
    VALUES (3, OLD.id, OLD.account_id, CAST(strftime('%s', 'now') AS INTEGER) * 1000);
END;
