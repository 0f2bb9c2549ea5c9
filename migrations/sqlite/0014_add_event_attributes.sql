-- Attributes that apps can add to an event. NULL is their default. Tags are separated by commas.
--
-- No check looks into the JSON: SQLite 3.40 calls that unsafe in a schema that it doesn't trust.
ALTER TABLE events ADD COLUMN description TEXT CHECK (length(description) <= 4000);
ALTER TABLE events ADD COLUMN url TEXT CHECK (length(url) <= 2000);
ALTER TABLE events ADD COLUMN image_url TEXT CHECK (length(image_url) <= 2000);
ALTER TABLE events ADD COLUMN category TEXT CHECK (length(category) <= 40);
ALTER TABLE events ADD COLUMN tags TEXT CHECK (length(tags) <= 520);
ALTER TABLE events ADD COLUMN status TEXT CHECK (length(status) <= 20);
ALTER TABLE events ADD COLUMN series_id TEXT CHECK (length(series_id) <= 100);
ALTER TABLE events ADD COLUMN data TEXT
    CHECK (length(CAST(data AS BLOB)) BETWEEN 2 AND 4096 AND substr(data, 1, 1) = '{');
