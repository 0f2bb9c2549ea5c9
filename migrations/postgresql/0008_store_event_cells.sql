-- The place of each event as a key on a curve that fills the sphere (Sources/Cells). Events near a
-- place are in a few ranges of keys, so a B-tree finds them.
--
-- The column is added here and not in 0002, so that each number stands for the same tables and
-- columns on every engine. There are no events to compute cells for: Humon has never run on
-- PostgreSQL without them. So the column needs no default, and an INSERT without a cell fails.
-- A cell is less than 6 * 2^58.
ALTER TABLE events ADD COLUMN IF NOT EXISTS cell BIGINT NOT NULL
    CHECK (cell BETWEEN 0 AND 1729382256910270463);
CREATE INDEX IF NOT EXISTS events_cell ON events (cell);
