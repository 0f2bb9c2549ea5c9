-- The place of each event as a key on a curve that fills the sphere (Sources/Cells). Events near a
-- place are in a few ranges of keys, so a B-tree finds them. It replaces the R*Tree, which was more
-- than half of the work of an insert.
--
-- SQLite adds no NOT NULL column without a default. No event of Humon has it: the program always
-- writes the cell with the event, and the UPDATE computes it for all events that exist. An event that
-- another program inserts without it has a wrong cell, which `humon doctor --full` reports.
--
-- The connection provides cell_key. The schema does not use it, so every program can read and write
-- the table. A cell is less than 6 * 2^58.
ALTER TABLE events ADD COLUMN cell INTEGER NOT NULL DEFAULT 0
    CHECK (cell BETWEEN 0 AND 1729382256910270463);
UPDATE events SET cell = cell_key(latitude, longitude);
CREATE INDEX events_cell ON events (cell);
DROP TABLE events_rtree;
