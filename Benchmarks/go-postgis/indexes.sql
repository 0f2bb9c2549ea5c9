-- Creating indexes after the rows is faster. The second index is for boxes with straight edges.
CREATE INDEX events_place ON events USING gist (place);
CREATE INDEX events_flat_place ON events USING gist ((place::geometry));
CREATE INDEX events_started_at ON events (started_at);
CREATE INDEX events_ended_at ON events (ended_at);
CREATE INDEX events_user_id ON events (user_id, id);
VACUUM ANALYZE;
