-- Other servers whose fleets are shown here. SQLite has the same tables and columns (../sqlite).

CREATE TABLE mirrors (
    id         TEXT NOT NULL PRIMARY KEY,
    -- Where its delegates are shown.
    account    TEXT NOT NULL,
    name       TEXT NOT NULL,
    url        TEXT NOT NULL,
    -- JSON list: what is asked for at the source, such as ["acme"] or ["acme/payments"].
    scopes     TEXT NOT NULL,
    -- The API key, sealed under the master key.
    sealed     BYTEA NOT NULL,
    created_at BIGINT NOT NULL,
    created_by TEXT,
    -- The last look, good or bad.
    tried_at   BIGINT,
    -- Why it failed; NULL while all is well.
    trouble    TEXT,
    -- The same in words.
    detail     TEXT NOT NULL,
    -- Instant of the last good list, and its entries that could not be understood.
    as_of      BIGINT,
    skipped    BIGINT NOT NULL,
    -- When the next look is due, or may be taken over.
    due_at     BIGINT NOT NULL,
    -- JSON: what one look leaves to the next.
    memory     TEXT NOT NULL,
    UNIQUE (account, name)
);

-- The last good list of each, kept apart because it may be long.
CREATE TABLE mirror_lists (
    mirror     TEXT NOT NULL PRIMARY KEY REFERENCES mirrors (id) ON DELETE CASCADE,
    -- JSON.
    body       TEXT NOT NULL
);
