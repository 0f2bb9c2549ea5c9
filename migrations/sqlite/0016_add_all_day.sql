-- Whether an event takes whole days: then its start is a date, and its end is the last day. NULL is false.
ALTER TABLE events ADD COLUMN all_day INTEGER CHECK (all_day IN (0, 1));
