from saniwa.process.record import Record
from saniwa.store.gate.memory import MemoryLog
from tests.fakes.gate import artifact, door_process, next_record, opening_record, run_id


def _log() -> MemoryLog:
    log = MemoryLog(patience=0.01)
    door = door_process()
    log.create(run_id(), opening_record(door), door)
    return log


def test_reading_waits_for_nobody() -> None:
    """Where a run stands and what happened can be read while somebody holds it."""
    log = _log()

    with log.passage(run_id()) as passage:
        passage.append(next_record(passage.standing))
        assert 2 == log.standing(run_id()).revision
        assert [1, 2] == [entry.revision for entry in log.entries(run_id())]


def test_what_comes_back_is_what_a_lasting_log_would_give() -> None:
    """Values are those that JSON has: nobody finds a difference when the log is changed."""
    log = _log()
    with log.passage(run_id()) as passage:
        given = next_record(passage.standing, variables={"pair": (1, 2), "by": {3: 4}})
        passage.append(given)

    assert {"knocks": 0, "pair": [1, 2], "by": {"3": 4}} == log.standing(
        run_id()
    ).variables


def test_what_was_kept_does_not_change_with_what_was_given() -> None:
    """Whoever alters a payload afterwards alters nothing that was kept."""
    log, payload = _log(), {"a": [1]}
    with log.passage(run_id()) as passage:
        passage.append(next_record(passage.standing, key="k", payload=payload))
        payload["a"].append(2)
        kept = passage.kept("k")

    assert isinstance(kept, Record)
    assert {"a": [1]} == kept.payload


def test_a_stream_goes_on_with_what_is_added() -> None:
    """Whoever reads slowly also sees what came meanwhile."""
    log = _log()
    reading = log.entries(run_id())
    next(reading)
    with log.passage(run_id()) as passage:
        passage.append(next_record(passage.standing, artifacts=(artifact(),)))

    assert [2] == [entry.revision for entry in reading]
