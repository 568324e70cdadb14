-- A start of the server reads what instances became in the past day, of all accounts.
CREATE INDEX transitions_time ON transitions (happened_at);
