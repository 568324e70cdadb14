-- Other servers whose fleets are shown here. PostgreSQL has the same tables and columns (../postgres).

CREATE TABLE mirrors (
    id         TEXT NOT NULL PRIMARY KEY,
    -- Where its delegates are shown.
    account    TEXT NOT NULL,
    name       TEXT NOT NULL,
    url        TEXT NOT NULL,
    -- JSON list: what is asked for at the source, such as ["acme"] or ["acme/payments"].
    scopes     TEXT NOT NULL,
    -- The API key, sealed under the master key.
    sealed     BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    created_by TEXT,
    -- The last look, good or bad.
    tried_at   INTEGER,
    -- Why it failed; NULL while all is well.
    trouble    TEXT,
    -- The same in words.
    detail     TEXT NOT NULL,
    -- Instant of the last good list, and its entries that could not be understood.
    as_of      INTEGER,
    skipped    INTEGER NOT NULL,
    -- When the next look is due, or may be taken over.
    due_at     INTEGER NOT NULL,
    -- JSON: what one look leaves to the next.
    memory     TEXT NOT NULL,
    UNIQUE (account, name)
) STRICT;

-- The last good list of each, kept apart because it may be long.
CREATE TABLE mirror_lists (
    mirror     TEXT NOT NULL PRIMARY KEY REFERENCES mirrors (id) ON DELETE CASCADE,
    -- JSON.
    body       TEXT NOT NULL
) STRICT;
