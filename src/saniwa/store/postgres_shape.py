"""The tables of a PostgreSQL database of runs, and what is asked of them.

The same shape as the SQLite file's: what one table says is borne out by another.
"""

from saniwa.store.ledger import Questions

# One lock for everybody who makes the tables: two at once would trip over each other.
TABLES = """
SELECT pg_advisory_xact_lock(53616);
CREATE TABLE IF NOT EXISTS saniwa_shape (version integer PRIMARY KEY);
CREATE TABLE IF NOT EXISTS saniwa_runs (
  run_id text PRIMARY KEY, scenario_id text NOT NULL, created bigint NOT NULL,
  line bytea NOT NULL, seal bytea NOT NULL, record bytea NOT NULL
);
CREATE TABLE IF NOT EXISTS saniwa_heads (
  run_id text PRIMARY KEY, count bigint NOT NULL, seal bytea NOT NULL,
  saves bytea NOT NULL
);
CREATE TABLE IF NOT EXISTS saniwa_turns (
  run_id text NOT NULL, number bigint NOT NULL,
  seal bytea NOT NULL, turn bytea NOT NULL,
  PRIMARY KEY (run_id, number)
);
CREATE TABLE IF NOT EXISTS saniwa_saves (
  run_id text NOT NULL, name text NOT NULL,
  turn bigint NOT NULL, created bigint NOT NULL,
  PRIMARY KEY (run_id, name)
);
INSERT INTO saniwa_shape SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM saniwa_shape);
"""
CREATE = """
WITH kept AS (
  INSERT INTO saniwa_runs
  SELECT %(run)s, %(name)s, %(created)s, %(line)s, %(seal)s, %(record)s
  WHERE NOT EXISTS (SELECT 1 FROM saniwa_heads WHERE run_id = %(run)s)
  ON CONFLICT DO NOTHING RETURNING run_id, seal
)
INSERT INTO saniwa_heads SELECT run_id, 0, seal, %(saves)s FROM kept RETURNING 1
"""
_LAST = """COALESCE(
    (SELECT t.seal FROM saniwa_turns AS t WHERE t.run_id = h.run_id
     ORDER BY t.number DESC LIMIT 1),
    (SELECT r.seal FROM saniwa_runs AS r WHERE r.run_id = h.run_id))"""
# The head is moved only from the number and the seal that the rows bear out. Two writers
# of one number meet at the head: one waits, and then finds another number there.
APPEND = f"""
WITH moved AS (
  UPDATE saniwa_heads AS h
  SET count = h.count + 1, seal = sha256(h.seal || %(mark)s::bytea || %(turn)s::bytea)
  WHERE h.run_id = %(run)s AND h.count = %(number)s AND h.seal = {_LAST}
    AND EXISTS (SELECT 1 FROM saniwa_runs AS r WHERE r.run_id = h.run_id)
  RETURNING h.run_id, h.seal
)
INSERT INTO saniwa_turns (run_id, number, seal, turn)
SELECT run_id, %(number)s, seal, %(turn)s::bytea FROM moved RETURNING 1
"""
_HEAD = f"""
SELECT h.count, h.seal,
  (SELECT COALESCE(MAX(number) + 1, 0) FROM saniwa_turns AS t
   WHERE t.run_id = h.run_id),
  {_LAST}
FROM saniwa_heads AS h WHERE h.run_id = %(run)s
"""
_START = """
SELECT LEAST(%(start)s, h.count), CASE WHEN LEAST(%(start)s, h.count) = 0
  THEN (SELECT r.seal FROM saniwa_runs AS r WHERE r.run_id = h.run_id)
  ELSE (SELECT t.seal FROM saniwa_turns AS t WHERE t.run_id = h.run_id
        AND t.number = LEAST(%(start)s, h.count) - 1) END
FROM saniwa_heads AS h WHERE h.run_id = %(run)s
"""
# One statement, so that head and turns are of one moment.
_TURNS = """
SELECT h.count, h.seal, t.number, t.seal, t.turn
FROM saniwa_heads AS h LEFT JOIN saniwa_turns AS t
  ON t.run_id = h.run_id AND t.number >= %(number)s
WHERE h.run_id = %(run)s ORDER BY t.number LIMIT %(most)s
"""
# Transactions are numbered as they come, whatever a clock says; rows are never changed.
# Runs that were brought here from a copy have come at once: there the clock has to do.
_RUNS = """
SELECT run_id, scenario_id, created, line,
  (SELECT h.count FROM saniwa_heads AS h WHERE h.run_id = r.run_id),
  (SELECT COALESCE(MAX(number) + 1, 0) FROM saniwa_turns AS t WHERE t.run_id = r.run_id)
FROM saniwa_runs AS r ORDER BY age(r.xmin) DESC, created, run_id COLLATE "C"
"""
_LOST = """
SELECT run_id FROM saniwa_heads AS h
WHERE NOT EXISTS (SELECT 1 FROM saniwa_runs AS r WHERE r.run_id = h.run_id)
"""
_IDS = "SELECT run_id FROM saniwa_runs UNION SELECT run_id FROM saniwa_heads"
_KNOWN = """
SELECT EXISTS (SELECT 1 FROM saniwa_runs WHERE run_id = %(run)s),
  EXISTS (SELECT 1 FROM saniwa_heads WHERE run_id = %(run)s)
    OR EXISTS (SELECT 1 FROM saniwa_turns WHERE run_id = %(run)s)
"""
_RECORD = "SELECT record, seal FROM saniwa_runs WHERE run_id = %(run)s"
ALONE = "SELECT 1 FROM saniwa_heads WHERE run_id = %(run)s FOR UPDATE"
SAVE = """
WITH kept AS (
  INSERT INTO saniwa_saves VALUES (%(run)s, %(name)s, %(turn)s, %(created)s)
  ON CONFLICT (run_id, name) DO UPDATE
  SET turn = EXCLUDED.turn, created = EXCLUDED.created
)
UPDATE saniwa_heads SET saves = %(seal)s WHERE run_id = %(run)s RETURNING 1
"""
_SAVES = """
SELECT h.saves, s.name, s.turn, s.created
FROM saniwa_heads AS h LEFT JOIN saniwa_saves AS s ON s.run_id = h.run_id
WHERE h.run_id = %(run)s ORDER BY s.name COLLATE "C"
"""
QUESTIONS = Questions(
    head=_HEAD,
    start=_START,
    turns=_TURNS,
    runs=_RUNS,
    lost=_LOST,
    ids=_IDS,
    known=_KNOWN,
    record=_RECORD,
    saves=_SAVES,
)
"""What the ledger asks, in this dialect."""
