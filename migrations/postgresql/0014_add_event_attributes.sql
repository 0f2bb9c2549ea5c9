-- Attributes that apps can add to an event. NULL is their default. Tags are separated by commas.
--
-- The object is a text: a JSON type would change the order of its keys and the spelling of its numbers.
ALTER TABLE events ADD COLUMN IF NOT EXISTS description TEXT COLLATE "C"
    CHECK (char_length(description) <= 4000);
ALTER TABLE events ADD COLUMN IF NOT EXISTS url TEXT COLLATE "C"
    CHECK (char_length(url) <= 2000);
ALTER TABLE events ADD COLUMN IF NOT EXISTS image_url TEXT COLLATE "C"
    CHECK (char_length(image_url) <= 2000);
ALTER TABLE events ADD COLUMN IF NOT EXISTS category TEXT COLLATE "C"
    CHECK (char_length(category) <= 40);
ALTER TABLE events ADD COLUMN IF NOT EXISTS tags TEXT COLLATE "C"
    CHECK (char_length(tags) <= 520);
ALTER TABLE events ADD COLUMN IF NOT EXISTS status TEXT COLLATE "C"
    CHECK (char_length(status) <= 20);
ALTER TABLE events ADD COLUMN IF NOT EXISTS series_id TEXT COLLATE "C"
    CHECK (char_length(series_id) <= 100);
ALTER TABLE events ADD COLUMN IF NOT EXISTS data TEXT COLLATE "C"
    CHECK (octet_length(data) BETWEEN 2 AND 4096 AND substr(data, 1, 1) = '{');
