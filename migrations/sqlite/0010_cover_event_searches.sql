-- The indexes of starts and of places get all values that searches compare. So a search reads the
-- rows of its results only: a row is on another page than the ones before and after it, an index
-- entry is not.
DROP INDEX events_span_started_at;
CREATE INDEX events_span_started_at
    ON events (span, started_at, id, ended_at, owner_id, latitude, longitude);

DROP INDEX events_cell;
CREATE INDEX events_cell ON events (cell, started_at, ended_at, owner_id, latitude, longitude);
