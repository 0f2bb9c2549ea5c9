-- One row for each person who uses Todo.
CREATE TABLE accounts (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    -- In lower case; NOCASE all the same, so that no two can differ in that alone.
    email TEXT NOT NULL COLLATE NOCASE UNIQUE CHECK (length(email) BETWEEN 5 AND 255),
    name TEXT NOT NULL CHECK (length(name) <= 255),
    -- By argon2id, with its parameters; NULL where nobody can sign in until a password is set.
    password_hash TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;

-- The tokens that are signed in to an account.
CREATE TABLE sessions (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    -- SHA-256 of the token.
    token_digest BLOB NOT NULL UNIQUE CHECK (length(token_digest) = 32),
    created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX sessions_account_id ON sessions (account_id);
