-- The one list that all MyTasks apps share.
CREATE TABLE shared_tasks (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    -- Made by the apps from their clocks, so that several tasks may have one.
    task_id INTEGER NOT NULL,
    name TEXT NOT NULL CHECK (length(name) <= 255),
    is_completed INTEGER NOT NULL DEFAULT 0 CHECK (is_completed IN (0, 1)),
    created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX shared_tasks_pending ON shared_tasks (id) WHERE is_completed = 0;
CREATE INDEX shared_tasks_pending_task_id ON shared_tasks (task_id) WHERE is_completed = 0;
