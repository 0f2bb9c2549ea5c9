-- What an operator needs to keep apps free of abuse: hidden events, banned users, reports and blocks.
--
-- Why only the owner can see an event: 0 everybody can, 1 an operator hid it, 2 reports, 3 blocked words,
-- 4 the owner is banned.
ALTER TABLE events ADD COLUMN hidden INTEGER NOT NULL DEFAULT 0 CHECK (hidden BETWEEN 0 AND 4);
CREATE INDEX events_hidden ON events (id) WHERE hidden <> 0;

ALTER TABLE users ADD COLUMN banned_at INTEGER;
-- A deleted user's row stays without what belongs to the person, so that the id is never used again.
ALTER TABLE users ADD COLUMN deleted_at INTEGER;
-- SHA-256 of the code that deletes the user's data without the app, and when it expires.
ALTER TABLE users ADD COLUMN deletion_digest BLOB CHECK (length(deletion_digest) = 32);
ALTER TABLE users ADD COLUMN deletion_expires_at INTEGER;
CREATE INDEX users_banned ON users (id) WHERE banned_at IS NOT NULL;
CREATE UNIQUE INDEX users_deletion_digest ON users (deletion_digest)
    WHERE deletion_digest IS NOT NULL;

CREATE TABLE reports (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    -- 1 event, 2 user.
    kind INTEGER NOT NULL CHECK (kind IN (1, 2)),
    record_id INTEGER NOT NULL,
    -- 0 is the list of blocked words, and a negative id that of a user who was deleted.
    reporter_id INTEGER NOT NULL,
    reason TEXT NOT NULL,
    note TEXT CHECK (length(note) <= 1000),
    created_at INTEGER NOT NULL,
    resolved_at INTEGER,
    outcome TEXT CHECK (outcome IN ('hide', 'delete', 'ban', 'dismiss', 'edited', 'gone'))
) STRICT;
CREATE UNIQUE INDEX reports_open ON reports (kind, record_id, reporter_id) WHERE resolved_at IS NULL;
CREATE INDEX reports_oldest ON reports (created_at) WHERE resolved_at IS NULL;
CREATE INDEX reports_closed ON reports (resolved_at) WHERE resolved_at IS NOT NULL;
CREATE INDEX reports_record ON reports (kind, record_id);
CREATE INDEX reports_reporter ON reports (reporter_id);
CREATE TRIGGER close_reports AFTER DELETE ON events BEGIN
    UPDATE reports
    SET resolved_at = CAST(strftime('%s', 'now') AS INTEGER) * 1000, outcome = 'gone'
    WHERE kind = 1 AND record_id = OLD.id AND resolved_at IS NULL;
END;

-- The users that a user has blocked, and whose events this user doesn't see.
CREATE TABLE blocks (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE RESTRICT,
    blocked_id INTEGER NOT NULL REFERENCES users (id) ON DELETE RESTRICT,
    created_at INTEGER NOT NULL,
    UNIQUE (user_id, blocked_id),
    CHECK (user_id <> blocked_id)
) STRICT;
CREATE INDEX blocks_blocked_id ON blocks (blocked_id);
CREATE TRIGGER log_new_block AFTER INSERT ON blocks BEGIN
    INSERT INTO changes (kind, record_id, user_id, changed_at)
    VALUES (4, NEW.blocked_id, NEW.user_id, CAST(strftime('%s', 'now') AS INTEGER) * 1000);
END;
CREATE TRIGGER log_changed_block AFTER UPDATE ON blocks BEGIN
    INSERT INTO changes (kind, record_id, user_id, changed_at)
    VALUES (4, OLD.blocked_id, OLD.user_id, CAST(strftime('%s', 'now') AS INTEGER) * 1000),
        (4, NEW.blocked_id, NEW.user_id, CAST(strftime('%s', 'now') AS INTEGER) * 1000);
END;
CREATE TRIGGER log_deleted_block AFTER DELETE ON blocks BEGIN
    INSERT INTO changes (kind, record_id, user_id, changed_at)
    VALUES (4, OLD.blocked_id, OLD.user_id, CAST(strftime('%s', 'now') AS INTEGER) * 1000);
END;

-- Deleted accounts, so that their deletion can be repeated after a restore.
CREATE TABLE deleted_accounts (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    account_id INTEGER NOT NULL UNIQUE,
    deleted_at INTEGER NOT NULL
) STRICT;

-- What operators have done. The values before and after are JSON, without anything secret.
CREATE TABLE admin_actions (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    -- Such as cli:ana, the command line and the name of the system's user.
    actor TEXT NOT NULL,
    at INTEGER NOT NULL,
    action TEXT NOT NULL,
    kind TEXT NOT NULL,
    record_id INTEGER,
    -- The user whose data it was about.
    user_id INTEGER,
    before TEXT,
    after TEXT,
    -- The action that has undone this one.
    undone_by INTEGER
) STRICT;
CREATE INDEX admin_actions_record ON admin_actions (kind, record_id);
CREATE INDEX admin_actions_user_id ON admin_actions (user_id);
CREATE INDEX admin_actions_at ON admin_actions (at);

-- Nobody but the owner could see a hidden event.
DROP TRIGGER log_replaced_event;
CREATE TRIGGER log_replaced_event BEFORE INSERT ON events
WHEN EXISTS (SELECT 1 FROM events WHERE id = NEW.id) BEGIN
    INSERT INTO changes
        (kind, record_id, user_id, was_public, latitude, longitude, changed_at)
    SELECT 1, id, owner_id, visibility IS NULL AND hidden = 0, latitude, longitude,
        CAST(strftime('%s', 'now') AS INTEGER) * 1000
    FROM events WHERE id = NEW.id;
END;
DROP TRIGGER log_changed_event;
CREATE TRIGGER log_changed_event AFTER UPDATE ON events BEGIN
    INSERT INTO changes
        (kind, record_id, user_id, was_public, latitude, longitude, changed_at)
    VALUES (1, OLD.id, OLD.owner_id, OLD.visibility IS NULL AND OLD.hidden = 0, OLD.latitude,
        OLD.longitude, CAST(strftime('%s', 'now') AS INTEGER) * 1000);
END;
DROP TRIGGER log_deleted_event;
CREATE TRIGGER log_deleted_event AFTER DELETE ON events BEGIN
    INSERT INTO changes
        (kind, record_id, user_id, was_public, latitude, longitude, changed_at)
    VALUES (1, OLD.id, OLD.owner_id, OLD.visibility IS NULL AND OLD.hidden = 0, OLD.latitude,
        OLD.longitude, CAST(strftime('%s', 'now') AS INTEGER) * 1000);
END;
