-- The index of places no longer contains the values that searches compare in SQLite. A server that has
-- all events in memory doesn't read them, and each insert wrote them.
--
-- The index of owners is divided into blocks of 1,024 ids. Its entries were ordered by owner alone, so
-- nearly every insert changed another page, and that took as long as the table and the other indexes
-- together. Now an insert changes one of the few pages of the latest block. To find the events of an
-- owner takes a seek for each block, which a server only needs until all events are in memory.
--
-- A server without all events in memory adds wide indexes of its own
-- (Sources/SQLiteStorage/Search/CoveringIndexes.swift). The index of starts is wide for every server:
-- starts are not in memory, and new events are usually next to each other in it.
DROP INDEX events_cell;
CREATE INDEX events_cell ON events (cell);

DROP INDEX events_owner_id;
CREATE INDEX events_block_owner_id ON events (id >> 10, owner_id);
