"""The tables of a PostgreSQL database that keeps a gate's runs, and what is asked of them.

An entry is bytes; the columns beside them only help to find it, and are checked against
what the bytes say. The row of a run tells how it ends, so that no last entry goes missing
unnoticed.
"""

KEYS = "saniwa_gate_keys"
"""The index that keeps a key from being given twice in a run."""

# One lock for everybody who makes the tables: two at once would trip over each other.
TABLES = f"""
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
CREATE UNIQUE INDEX IF NOT EXISTS {KEYS} ON saniwa_gate_entries (run_id, mark);
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
"""
MADE = "SELECT to_regclass('saniwa_gate_shape')::text"
VERSION = "SELECT MAX(version) FROM saniwa_gate_shape"

DEFINE = """
INSERT INTO saniwa_gate_definitions AS d VALUES (%(hash)s, %(content)s)
ON CONFLICT (hash) DO UPDATE SET content = EXCLUDED.content
  WHERE d.content <> EXCLUDED.content
RETURNING 1
"""
DEFINITION = "SELECT content FROM saniwa_gate_definitions WHERE hash = %(hash)s"

CREATE = f"""
WITH defined AS ({DEFINE}), begun AS (
  INSERT INTO saniwa_gate_runs VALUES (%(run)s, 1, %(seal)s)
  ON CONFLICT DO NOTHING RETURNING run_id
)
INSERT INTO saniwa_gate_entries (run_id, number, revision, mark, seal, body)
SELECT run_id, 1, %(revision)s, %(mark)s, %(seal)s, %(body)s FROM begun RETURNING 1
"""
# The run is moved only from where the writer saw it end, and only if its last entry
# bears that out: also a writer whose lock was lost with its connection harms nothing.
APPEND = """
WITH moved AS (
  UPDATE saniwa_gate_runs AS r SET number = r.number + 1, seal = %(seal)s
  WHERE r.run_id = %(run)s AND r.number = %(number)s AND r.seal = %(before)s
    AND EXISTS (SELECT 1 FROM saniwa_gate_entries AS e WHERE e.run_id = r.run_id
                AND e.number = r.number AND e.seal = r.seal)
  RETURNING r.run_id, r.number
)
INSERT INTO saniwa_gate_entries (run_id, number, revision, mark, seal, body)
SELECT run_id, number, %(revision)s, %(mark)s, %(seal)s, %(body)s
FROM moved RETURNING 1
"""
LOCK = "SELECT pg_advisory_lock(%(lock)s)"
UNLOCK = "SELECT pg_advisory_unlock(%(lock)s)"

# One statement, so that the run's row and its entries are of one moment. A page ends at
# a number and not after so many rows: else a server that guesses wrong sorts the rest of
# the run for every page.
FOLLOW = """
SELECT r.number, r.seal, e.number, e.revision, e.mark, e.seal, e.body
FROM saniwa_gate_runs AS r LEFT JOIN saniwa_gate_entries AS e
  ON e.run_id = r.run_id AND e.number > %(number)s AND e.number <= %(until)s
WHERE r.run_id = %(run)s ORDER BY e.number
"""
# The entry behind which a reading begins. A revision's event comes before its notes, but
# a note may come late: so what follows is looked for, not what went before.
START = """
SELECT e.number - 1, (SELECT b.seal FROM saniwa_gate_entries AS b
                      WHERE b.run_id = e.run_id AND b.number = e.number - 1)
FROM saniwa_gate_entries AS e
WHERE e.run_id = %(run)s AND e.revision > %(after)s ORDER BY e.revision, e.number LIMIT 1
"""
KEPT = """
SELECT e.number, e.revision, e.mark, e.seal, e.body,
  (SELECT b.seal FROM saniwa_gate_entries AS b
   WHERE b.run_id = e.run_id AND b.number = e.number - 1)
FROM saniwa_gate_entries AS e WHERE e.run_id = %(run)s AND e.mark = %(mark)s
"""
KNOWN = "SELECT 1 FROM saniwa_gate_runs WHERE run_id = %(run)s"
RUNS = 'SELECT run_id FROM saniwa_gate_runs ORDER BY run_id COLLATE "C"'

SNAPSHOT = """
SELECT s.number, e.seal, s.seal, s.standing
FROM saniwa_gate_snapshots AS s JOIN saniwa_gate_entries AS e
  ON e.run_id = s.run_id AND e.number = s.number
WHERE s.run_id = %(run)s
"""
REMEMBER = """
INSERT INTO saniwa_gate_snapshots AS s
VALUES (%(run)s, %(number)s, %(seal)s, %(standing)s)
ON CONFLICT (run_id) DO UPDATE SET number = EXCLUDED.number, seal = EXCLUDED.seal,
  standing = EXCLUDED.standing
RETURNING 1
"""
