-- The index of owners in blocks of ids was only read until all events were in memory, or in segments.
-- Each commit wrote some pages of it. Until then, an owner's events are now found among all events: SQLite
-- compares a million in 40 ms.
DROP INDEX events_block_owner_id;
