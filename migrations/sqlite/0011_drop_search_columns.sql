-- humon: replaces 0011_narrow_event_indexes 0012_drop_owner_blocks
--
-- Servers search for events in memory, so the database has nothing that only searches need: an insert
-- writes one row, and any program can insert and change events with their ordinary columns alone.
-- Servers between two releases also made tables, indexes and triggers of their own.
DROP TRIGGER IF EXISTS event_segments_replace;
DROP TRIGGER IF EXISTS event_segments_insert;
DROP TRIGGER IF EXISTS event_segments_delete;
DROP TRIGGER IF EXISTS event_segments_update;
DROP TRIGGER IF EXISTS event_segments_move;
DROP TABLE IF EXISTS event_segments;
DROP TABLE IF EXISTS event_segments_2;
DROP INDEX IF EXISTS events_cell_covering;
DROP INDEX IF EXISTS events_owner_id_covering;
DROP INDEX IF EXISTS events_cell;
DROP INDEX IF EXISTS events_span_started_at;
DROP INDEX IF EXISTS events_owner_id;
DROP INDEX IF EXISTS events_block_owner_id;
ALTER TABLE events DROP COLUMN span;
ALTER TABLE events DROP COLUMN cell;
