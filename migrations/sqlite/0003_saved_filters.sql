-- Filters that people keep under a name. PostgreSQL has the same table and columns (../postgres).

CREATE TABLE saved_filters (
    id           TEXT NOT NULL PRIMARY KEY,
    account      TEXT NOT NULL,
    organization TEXT NOT NULL,
    project      TEXT NOT NULL,
    -- Who made it; the only one who sees it unless everyone does.
    user_id      TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name         TEXT NOT NULL,
    -- 1: everyone who sees the scope.
    everyone     INTEGER NOT NULL,
    -- Query of the Delegates page.
    query        TEXT NOT NULL,
    created_at   INTEGER NOT NULL,
    changed_at   INTEGER NOT NULL,
    UNIQUE (account, organization, project, user_id, name)
) STRICT;
