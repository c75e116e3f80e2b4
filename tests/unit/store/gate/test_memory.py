from saniwa.process.event_record import EventRecord
from saniwa.store.gate.sealed_gate_log import MemoryGateLog
from tests.fakes.gate import (
    make_artifact,
    make_door_process,
    make_next_record,
    make_opening_record,
    make_run_id,
)


def _make_log() -> MemoryGateLog:
    log = MemoryGateLog(patience=0.01)
    door = make_door_process()
    log.create(make_run_id(), make_opening_record(door), door)
    return log


def test_reading_waits_for_no_writer() -> None:
    """A run can be read while it is held."""
    log = _make_log()

    with log.lock_run(make_run_id()) as passage:
        passage.append(make_next_record(passage.run))
        assert 2 == log.load_run(make_run_id()).revision
        assert [1, 2] == [entry.revision for entry in log.read_entries(make_run_id())]


def test_what_comes_back_is_what_a_lasting_log_would_give() -> None:
    """Values are returned as JSON would return them, as by a log on disk."""
    log = _make_log()
    with log.lock_run(make_run_id()) as passage:
        given = make_next_record(passage.run, variables={"pair": (1, 2), "by": {3: 4}})
        passage.append(given)

    assert {"knocks": 0, "pair": [1, 2], "by": {"3": 4}} == log.load_run(make_run_id()).variables


def test_what_was_kept_does_not_change_with_what_was_given() -> None:
    """Changing a payload after it was stored does not change the record."""
    log, payload = _make_log(), {"a": [1]}
    with log.lock_run(make_run_id()) as passage:
        passage.append(make_next_record(passage.run, key="k", payload=payload))
        payload["a"].append(2)
        kept = passage.find_by_key("k")

    assert isinstance(kept, EventRecord)
    assert {"a": [1]} == kept.payload


def test_a_stream_continues_with_what_is_added() -> None:
    """A slow reader also gets entries that are added meanwhile."""
    log = _make_log()
    reading = log.read_entries(make_run_id())
    next(reading)
    with log.lock_run(make_run_id()) as passage:
        passage.append(make_next_record(passage.run, artifacts=(make_artifact(),)))

    assert [2] == [entry.revision for entry in reading]
