-- How long each event is, as a power of two: 0 up to an hour, n up to 2^n hours, and 21 beyond 2^20
-- hours. An event without an end, or with an end before its start, has 0.
--
-- Neither the start nor the end alone tells what takes place in a window of time. With the span, the
-- starts are in a range: from 2^span hours before the window to its end.
--
-- The index by span also yields all events in the order of their starts, by merging the spans in
-- use. A second index, of starts alone, would make each insert dearer.
--
-- A virtual column is not stored in the rows, so none is rewritten. Indexes end with the rowid,
-- which is the id.
ALTER TABLE events ADD COLUMN span INTEGER NOT NULL GENERATED ALWAYS AS (
    CASE
        WHEN ended_at IS NULL OR ended_at - started_at <= 3600000 THEN 0
        WHEN ended_at - started_at <= 7200000 THEN 1
        WHEN ended_at - started_at <= 14400000 THEN 2
        WHEN ended_at - started_at <= 28800000 THEN 3
        WHEN ended_at - started_at <= 57600000 THEN 4
        WHEN ended_at - started_at <= 115200000 THEN 5
        WHEN ended_at - started_at <= 230400000 THEN 6
        WHEN ended_at - started_at <= 460800000 THEN 7
        WHEN ended_at - started_at <= 921600000 THEN 8
        WHEN ended_at - started_at <= 1843200000 THEN 9
        WHEN ended_at - started_at <= 3686400000 THEN 10
        WHEN ended_at - started_at <= 7372800000 THEN 11
        WHEN ended_at - started_at <= 14745600000 THEN 12
        WHEN ended_at - started_at <= 29491200000 THEN 13
        WHEN ended_at - started_at <= 58982400000 THEN 14
        WHEN ended_at - started_at <= 117964800000 THEN 15
        WHEN ended_at - started_at <= 235929600000 THEN 16
        WHEN ended_at - started_at <= 471859200000 THEN 17
        WHEN ended_at - started_at <= 943718400000 THEN 18
        WHEN ended_at - started_at <= 1887436800000 THEN 19
        WHEN ended_at - started_at <= 3774873600000 THEN 20
        ELSE 21
    END
) VIRTUAL;
CREATE INDEX events_span_started_at ON events (span, started_at);

-- The events of an owner in the order of their ids, and the events that a user attends.
CREATE INDEX events_owner_id ON events (owner_id);
CREATE INDEX attendances_user_id ON attendances (user_id, event_id);

-- A random UUID (version 4 of RFC 9562), which identifies the records. Backups and moves keep it.
CREATE TABLE installation (
    id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    uuid TEXT NOT NULL CHECK (length(uuid) = 36)
) STRICT;
INSERT INTO installation (id, uuid)
SELECT 1, substr(digits, 1, 8) || '-' || substr(digits, 9, 4) || '-4' || substr(digits, 13, 3)
    || '-' || substr('89ab', 1 + (random() & 3), 1) || substr(digits, 16, 3)
    || '-' || substr(digits, 19, 12)
FROM (SELECT lower(hex(randomblob(15))) AS digits);
