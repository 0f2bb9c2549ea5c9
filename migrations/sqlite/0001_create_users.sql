-- One row for each installation of an app. Ids are never used again: AUTOINCREMENT.
CREATE TABLE users (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    -- SHA-256 of the token; NULL once it is revoked, and for owners of imported events.
    token_digest BLOB UNIQUE CHECK (length(token_digest) = 32),
    -- Milliseconds since 1970-01-01T00:00:00Z, as all times are.
    created_at INTEGER NOT NULL
) STRICT;
