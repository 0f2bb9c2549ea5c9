-- Whether an event takes whole days: then its start is a date, and its end is the last day. NULL is false.
ALTER TABLE events ADD COLUMN IF NOT EXISTS all_day BOOLEAN;
