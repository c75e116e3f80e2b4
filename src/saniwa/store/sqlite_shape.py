"""The tables of a SQLite file of runs, and what is asked of them.

Every table is one b-tree: no index beside it can tell another story. What one table
says is borne out by another (a run by its head, its turns by the head's count and
seal), so no single damaged page goes unnoticed.
"""

from saniwa.store.ledger import Questions

TABLES = (
    """CREATE TABLE runs (
  run_id TEXT PRIMARY KEY, scenario_id TEXT NOT NULL, created INTEGER NOT NULL,
  line BLOB NOT NULL, seal BLOB NOT NULL, record INTEGER NOT NULL
) STRICT, WITHOUT ROWID""",
    # Apart: a search by run would read the whole of every record on its way.
    """CREATE TABLE records (
  id INTEGER PRIMARY KEY, record BLOB NOT NULL
) STRICT""",
    """CREATE TABLE heads (
  run_id TEXT PRIMARY KEY, count INTEGER NOT NULL, seal BLOB NOT NULL,
  saves BLOB NOT NULL
) STRICT, WITHOUT ROWID""",
    """CREATE TABLE turns (
  run_id TEXT NOT NULL, number INTEGER NOT NULL,
  seal BLOB NOT NULL, turn BLOB NOT NULL,
  PRIMARY KEY (run_id, number)
) STRICT, WITHOUT ROWID""",
    """CREATE TABLE saves (
  run_id TEXT NOT NULL, name TEXT NOT NULL,
  turn INTEGER NOT NULL, created INTEGER NOT NULL,
  PRIMARY KEY (run_id, name)
) STRICT, WITHOUT ROWID""",
)
RECORDED = "INSERT INTO records (record) VALUES (?)"
CREATE = """
INSERT INTO runs VALUES (?, ?, ?, ?, ?, last_insert_rowid()) ON CONFLICT DO NOTHING
"""
BEGIN = "INSERT INTO heads VALUES (?, 0, ?, ?) ON CONFLICT DO NOTHING"
# What the head says beside what the last row says; the record's seal where no turn is.
_HEAD = """
SELECT heads.count, heads.seal, COALESCE(last.number + 1, 0), COALESCE(last.seal,
  (SELECT seal FROM runs WHERE run_id = :run))
FROM heads LEFT JOIN turns AS last ON last.run_id = :run
WHERE heads.run_id = :run ORDER BY last.number DESC LIMIT 1
"""
APPEND = "INSERT INTO turns VALUES (?, ?, ?, ?)"
# Only from the number and the seal that the rows bear out.
ADVANCE = """
UPDATE heads SET count = ?2 + 1, seal = ?3 WHERE run_id = ?1 AND count = ?2 AND seal = ?4
AND ?4 = COALESCE(
  (SELECT seal FROM turns WHERE run_id = ?1 ORDER BY number DESC LIMIT 1),
  (SELECT seal FROM runs WHERE run_id = ?1))
AND EXISTS (SELECT 1 FROM runs WHERE run_id = ?1)
"""
_START = """
SELECT MIN(:start, count), CASE WHEN MIN(:start, count) = 0
  THEN (SELECT seal FROM runs WHERE run_id = :run)
  ELSE (SELECT seal FROM turns WHERE run_id = :run AND number = MIN(:start, count) - 1) END
FROM heads WHERE run_id = :run
"""
# One statement, so that head and turns are of one moment.
_TURNS = """
SELECT heads.count, heads.seal, turns.number, turns.seal, turns.turn
FROM heads LEFT JOIN turns ON turns.run_id = :run AND turns.number >= :number
WHERE heads.run_id = :run ORDER BY turns.number LIMIT :most
"""
# Records are numbered as they come, whatever a clock says.
_RUNS = """
SELECT run_id, scenario_id, created, line,
  (SELECT count FROM heads WHERE heads.run_id = runs.run_id),
  (SELECT COALESCE(MAX(number) + 1, 0) FROM turns WHERE turns.run_id = runs.run_id)
FROM runs ORDER BY record
"""
_LOST = "SELECT run_id FROM heads WHERE run_id NOT IN (SELECT run_id FROM runs)"
_IDS = "SELECT run_id FROM runs UNION SELECT run_id FROM heads"
_KNOWN = """
SELECT EXISTS (SELECT 1 FROM runs WHERE run_id = :run),
  EXISTS (SELECT 1 FROM heads WHERE run_id = :run)
    OR EXISTS (SELECT 1 FROM turns WHERE run_id = :run)
"""
_RECORD = """
SELECT records.record, runs.seal FROM runs LEFT JOIN records ON records.id = runs.record
WHERE runs.run_id = :run
"""
SAVE = "INSERT OR REPLACE INTO saves VALUES (?, ?, ?, ?)"
SEAL_SAVES = "UPDATE heads SET saves = ?2 WHERE run_id = ?1"
_SAVES = """
SELECT heads.saves, saves.name, saves.turn, saves.created
FROM heads LEFT JOIN saves ON saves.run_id = :run
WHERE heads.run_id = :run ORDER BY saves.name
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
