-- Heartbeats as they come in, a batch a row: an append a second in place of an update of every instance. What a row of
-- instances holds as last_heartbeat may be older; the newer one of the two is right. Batches go once what they hold is
-- settled: every instance has a later one, or its row holds it. PostgreSQL has the same table (../postgres).
CREATE TABLE heartbeats (
    -- In the order of the commits, never used twice.
    number  INTEGER PRIMARY KEY AUTOINCREMENT,
    -- 16 bytes each: 10 of the SHA-256 of account and instance, 6 of its milliseconds since the Unix epoch.
    entries BLOB NOT NULL
) STRICT;
