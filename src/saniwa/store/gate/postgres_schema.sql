-- One lock for all processes that create the tables: two at once would fail.
SELECT pg_advisory_xact_lock(53617);
CREATE TABLE IF NOT EXISTS saniwa_gate_shape (version integer PRIMARY KEY);
CREATE TABLE IF NOT EXISTS saniwa_gate_runs (
  run_id text PRIMARY KEY, number bigint NOT NULL, seal bytea NOT NULL
) WITH (fillfactor = 50);
CREATE TABLE IF NOT EXISTS saniwa_gate_entries (
  run_id text NOT NULL, number bigint NOT NULL, revision bigint NOT NULL,
  mark bytea, seal bytea NOT NULL, body bytea NOT NULL,
  PRIMARY KEY (run_id, number)
);
CREATE UNIQUE INDEX IF NOT EXISTS saniwa_gate_keys ON saniwa_gate_entries (run_id, mark);
CREATE INDEX IF NOT EXISTS saniwa_gate_revisions
  ON saniwa_gate_entries (run_id, revision);
CREATE TABLE IF NOT EXISTS saniwa_gate_definitions (
  hash text PRIMARY KEY, content bytea NOT NULL
);
CREATE TABLE IF NOT EXISTS saniwa_gate_snapshots (
  run_id text PRIMARY KEY, number bigint NOT NULL,
  seal bytea NOT NULL, standing bytea NOT NULL
);
INSERT INTO saniwa_gate_shape
  SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM saniwa_gate_shape);
