-- What the owner of an account has to do.
CREATE TABLE todo_tasks (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    title TEXT NOT NULL CHECK (length(title) <= 255),
    is_completed INTEGER NOT NULL CHECK (is_completed IN (0, 1)),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;

CREATE INDEX todo_tasks_account_id ON todo_tasks (account_id);
