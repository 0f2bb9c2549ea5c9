-- Users have a name if they want one. Their tokens are in user_tokens.
--
-- SQLite can't drop a column that is UNIQUE, so the table is created again. Ids are still never used
-- again.
CREATE TABLE new_users (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    -- Milliseconds since 1970-01-01T00:00:00Z, as all times are.
    created_at INTEGER NOT NULL,
    banned_at INTEGER,
    -- A deleted user's row stays without what belongs to the person, so that the id is never used again.
    deleted_at INTEGER,
    -- SHA-256 of the code that deletes the user's data without the app, and when it expires.
    deletion_digest BLOB CHECK (length(deletion_digest) = 32),
    deletion_expires_at INTEGER,
    name TEXT CHECK (length(name) BETWEEN 1 AND 100),
    -- The user who has the data since both were merged.
    merged_into INTEGER
) STRICT;
INSERT INTO new_users (id, created_at, banned_at, deleted_at, deletion_digest, deletion_expires_at)
SELECT id, created_at, banned_at, deleted_at, deletion_digest, deletion_expires_at
FROM users ORDER BY id;
DELETE FROM sqlite_sequence WHERE name = 'new_users';
INSERT INTO sqlite_sequence (name, seq)
SELECT 'new_users', seq FROM sqlite_sequence WHERE name = 'users';
DROP TABLE users;
ALTER TABLE new_users RENAME TO users;
CREATE INDEX users_banned ON users (id) WHERE banned_at IS NOT NULL;
CREATE UNIQUE INDEX users_deletion_digest ON users (deletion_digest)
    WHERE deletion_digest IS NOT NULL;
CREATE INDEX users_named ON users (id) WHERE name IS NOT NULL;

CREATE TRIGGER log_renamed_user AFTER UPDATE OF name ON users WHEN NEW.name IS NOT OLD.name BEGIN
    INSERT INTO changes (kind, record_id, user_id, changed_at)
    VALUES (5, NEW.id, NEW.id, CAST(strftime('%s', 'now') AS INTEGER) * 1000);
END;
