-- What takes place somewhere at some time.
CREATE TABLE events (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    owner_id INTEGER NOT NULL REFERENCES users (id) ON DELETE RESTRICT,
    name TEXT NOT NULL
        CHECK (length(name) <= 255 AND trim(name, char(9, 10, 11, 12, 13, 32)) <> ''),
    address TEXT CHECK (length(address) <= 1000),
    -- Degrees.
    latitude REAL NOT NULL CHECK (latitude BETWEEN -90 AND 90),
    longitude REAL NOT NULL CHECK (longitude BETWEEN -180 AND 180),
    started_at INTEGER NOT NULL,
    ended_at INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;

-- Each event's place as a point on the sphere of radius 1, which has no seam at the antimeridian
-- and none at the poles. The coordinates are kept as 32-bit floats: to about half a metre.
--
-- The program writes it in the transaction that writes the event. Triggers would be safer, but
-- with trusted_schema=OFF SQLite does not let them write to a virtual table.
CREATE VIRTUAL TABLE events_rtree USING rtree (id, x_min, x_max, y_min, y_max, z_min, z_max);
