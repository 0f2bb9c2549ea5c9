-- humon: replaces 0011_narrow_event_indexes 0012_drop_owner_blocks
--
-- Servers search for events in memory, so the database has nothing that only searches need: any program
-- can insert and change events with their ordinary columns alone. The replaced migrations were in no
-- release, and have changed nothing on PostgreSQL.
DROP INDEX IF EXISTS events_cell;
DROP INDEX IF EXISTS events_span_started_at;
DROP INDEX IF EXISTS events_owner_id;
ALTER TABLE events DROP COLUMN IF EXISTS cell;
ALTER TABLE events DROP COLUMN IF EXISTS span;
