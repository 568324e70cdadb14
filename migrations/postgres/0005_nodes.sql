-- What several nodes on this database tell each other. SQLite has the same tables (../sqlite); they stay empty there.

-- Processes that serve this database.
CREATE TABLE nodes (
    -- Random, new at each start.
    id      TEXT NOT NULL PRIMARY KEY,
    -- Of its program.
    version TEXT NOT NULL,
    -- Newest sign of life, by the clock of the database: those of nodes may differ.
    seen_at BIGINT NOT NULL,
    -- The newest change that it follows, as the topic 'fleet' counts them.
    applied BIGINT NOT NULL
);

-- What each change touched, for a few minutes: nodes read what they missed in the order of the commits. Unlogged: it is
-- written once a second for every delegate, and a node that finds it empty after a crash of the database reads the
-- fleet anew.
CREATE UNLOGGED TABLE news (
    -- As the topic 'fleet' counts.
    number  BIGINT NOT NULL PRIMARY KEY,
    -- Who changed it.
    node    TEXT NOT NULL,
    -- When, by the clock of the database.
    told_at BIGINT NOT NULL,
    -- JSON: keys of rows, and heartbeats.
    changes TEXT NOT NULL
);

-- Read once and soon gone: not worth packing.
ALTER TABLE news ALTER COLUMN changes SET STORAGE EXTERNAL;

INSERT INTO revisions (topic, revision) VALUES ('fleet', 0);
