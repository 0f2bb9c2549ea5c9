-- The receivers of changes by HTTP.
CREATE TABLE webhooks (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    url TEXT NOT NULL CHECK (length(url) BETWEEN 1 AND 2000),
    -- The secret is made of it and of the setting WEBHOOK_KEY.
    salt BLOB NOT NULL CHECK (length(salt) = 16),
    -- The former one also signs messages until the time.
    former_salt BLOB CHECK (length(former_salt) = 16),
    former_until INTEGER,
    types TEXT NOT NULL CHECK (types IN ('event', 'attendance', 'event,attendance')),
    -- The query of a URL.
    filter TEXT NOT NULL CHECK (length(filter) <= 4000),
    batch INTEGER NOT NULL CHECK (batch BETWEEN 1 AND 100),
    allow_private INTEGER NOT NULL CHECK (allow_private IN (0, 1)),
    -- The log, and the number of the last change that the receiver has acknowledged.
    epoch TEXT NOT NULL CHECK (length(epoch) = 8),
    cursor INTEGER NOT NULL CHECK (cursor >= 0),
    -- The last event of a snapshot that the receiver has acknowledged; NULL without a snapshot.
    snapshot_id INTEGER CHECK (snapshot_id >= 0),
    -- What is being sent: changes END, reset END or snapshot ID.
    message TEXT CHECK (length(message) BETWEEN 7 AND 40),
    attempts INTEGER NOT NULL CHECK (attempts >= 0),
    failing_since INTEGER,
    next_attempt_at INTEGER NOT NULL,
    last_result TEXT CHECK (length(last_result) <= 200),
    disabled_at INTEGER,
    -- The server that sends messages, and until when no other one does.
    leased_by TEXT NOT NULL CHECK (length(leased_by) <= 40),
    leased_until INTEGER NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
