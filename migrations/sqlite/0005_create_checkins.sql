-- Where somebody says to have been. Every field may be missing: the app leaves them out.
CREATE TABLE checkins (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    name TEXT CHECK (length(name) <= 255),
    category TEXT CHECK (length(category) <= 255),
    rating REAL,
    latitude REAL CHECK (latitude BETWEEN -90 AND 90),
    longitude REAL CHECK (longitude BETWEEN -180 AND 180),
    user_name TEXT CHECK (length(user_name) <= 255),
    -- What a clock on the wall showed, in ms since it showed 1970-01-01T00:00:00.
    local_time INTEGER NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX checkins_category ON checkins (category);
