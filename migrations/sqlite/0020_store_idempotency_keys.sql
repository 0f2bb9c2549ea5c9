-- The responses to writes with an idempotency key, so that a repeated request gets the same one.
CREATE TABLE idempotency_keys (
    -- In the order in which they were stored, so that the oldest ones are found at once.
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    -- The first 16 bytes of SHA-256 of the system, the person and the key.
    digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 16),
    -- SHA-256 of the content of the request.
    fingerprint BLOB NOT NULL CHECK (length(fingerprint) = 32),
    created_at INTEGER NOT NULL,
    status INTEGER NOT NULL CHECK (status BETWEEN 200 AND 299),
    -- The header fields, one in a line.
    fields TEXT NOT NULL CHECK (length(fields) <= 2000),
    body BLOB NOT NULL CHECK (length(body) <= 65536)
) STRICT;
