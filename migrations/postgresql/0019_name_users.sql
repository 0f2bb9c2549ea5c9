-- Users have a name if they want one. Their tokens are in user_tokens.
ALTER TABLE users DROP COLUMN IF EXISTS token_digest;
ALTER TABLE users ADD COLUMN IF NOT EXISTS name TEXT COLLATE "C"
    CHECK (char_length(name) BETWEEN 1 AND 100);
-- The user who has the data since both were merged.
ALTER TABLE users ADD COLUMN IF NOT EXISTS merged_into BIGINT;
CREATE INDEX IF NOT EXISTS users_named ON users (id) WHERE name IS NOT NULL;
