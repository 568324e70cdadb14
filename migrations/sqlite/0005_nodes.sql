-- What several nodes on one database tell each other: PostgreSQL has the same tables and columns (../postgres). A file
-- has one node; here they stay empty.

-- Processes that serve this database.
CREATE TABLE nodes (
    -- Random, new at each start.
    id      TEXT NOT NULL PRIMARY KEY,
    -- Of its program.
    version TEXT NOT NULL,
    -- Newest sign of life, by the clock of the database: those of nodes may differ.
    seen_at INTEGER NOT NULL,
    -- The newest change that it follows, as the topic 'fleet' counts them.
    applied INTEGER NOT NULL
) STRICT;

-- What each change touched.
CREATE TABLE news (
    -- As the topic 'fleet' counts.
    number  INTEGER NOT NULL PRIMARY KEY,
    -- Who changed it.
    node    TEXT NOT NULL,
    -- When, by the clock of the database.
    told_at INTEGER NOT NULL,
    -- JSON: keys of rows, and heartbeats.
    changes TEXT NOT NULL
) STRICT;

INSERT INTO revisions (topic, revision) VALUES ('fleet', 0);
