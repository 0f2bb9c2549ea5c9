-- Several devices of one user, and the identities with which a user signs in on another device.
--
-- The tokens of users, one for each device. A token is a secret; only its digest is stored.
CREATE TABLE user_tokens (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE RESTRICT,
    -- SHA-256 of the token.
    digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
    -- The name of the device.
    name TEXT CHECK (length(name) BETWEEN 1 AND 100),
    created_at INTEGER NOT NULL,
    -- The last day on which it was used, in days since 1970-01-01.
    last_seen_on INTEGER,
    -- The token that ends once this one is used.
    replaces INTEGER,
    -- When the token ends; NULL unless another one replaces it.
    ends_at INTEGER,
    -- The user for whom it was made, also after a merge.
    scope_id INTEGER NOT NULL
) STRICT;
-- In the order of the digests, which is many times as fast as a random one.
INSERT INTO user_tokens (user_id, digest, created_at, scope_id)
SELECT id, token_digest, created_at, id FROM users WHERE token_digest IS NOT NULL
ORDER BY token_digest;
CREATE INDEX user_tokens_user_id ON user_tokens (user_id);
-- The tokens that have not ended.
CREATE VIEW valid_tokens AS
SELECT digest, user_id FROM user_tokens
WHERE ends_at IS NULL OR ends_at > CAST(strftime('%s', 'now') AS INTEGER) * 1000;

-- The persons at issuers, such as Apple, who sign in as a user.
CREATE TABLE identities (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE RESTRICT,
    issuer TEXT NOT NULL CHECK (length(issuer) <= 255),
    subject TEXT NOT NULL CHECK (length(subject) <= 255),
    created_at INTEGER NOT NULL,
    UNIQUE (issuer, subject)
) STRICT;
CREATE INDEX identities_user_id ON identities (user_id);
