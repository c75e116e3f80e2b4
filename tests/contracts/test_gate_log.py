"""What every log of a gate's runs promises; over memory, files and a real PostgreSQL."""

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import msgspec
import psycopg
import pytest

from saniwa.core.errors import StoreError
from saniwa.process.artifact import Author
from saniwa.process.definition import MIGRATED, hash_process
from saniwa.process.event_record import Approval, EventRecord, LogEntry, RunOpening, render_rows
from saniwa.process.ports import GateLog
from saniwa.process.run_state import ProcessRun
from saniwa.store.gate.file_access import GateFolders
from saniwa.store.gate.file_log import FileGateLog
from saniwa.store.gate.log_entries import LARGEST_ENTRY
from saniwa.store.gate.postgres_log import PostgresGateLog
from saniwa.store.gate.sealed_gate_log import MemoryGateLog
from tests.fakes.gate import (
    make_artifact,
    make_door_process,
    make_next_record,
    make_note,
    make_opening_record,
    make_run_id,
)

RUN = make_run_id(1)
DOOR = make_door_process()
_SHORT = 0.05
_LONG = 60.0


class GateLogOpener:
    """Opens the log under test any number of times; all see the same runs."""

    def __init__(self, kind: str, folder: Path, url: Callable[[], str]) -> None:
        self._kind = kind
        self._folder = folder
        self._url = url() if kind == "postgres" else ""
        self._memory = MemoryGateLog(patience=_LONG)
        self._opened: list[GateLog] = []

    def open(self, patience: float = _LONG) -> GateLog:
        """Open the log again."""
        log = self._open_log(patience)
        self._opened.append(log)
        return log

    def close(self) -> None:
        """Close every log that was opened."""
        for log in self._opened:
            log.close()

    def _open_log(self, patience: float) -> GateLog:
        match self._kind:
            case "memory":
                # There is only one memory log: it has the patience of the last caller.
                self._memory._patience = patience
                return self._memory
            case "files":
                folders = GateFolders.from_root(self._folder / ".state_gate")
                return FileGateLog(folders, patience=patience)
            case _:
                return PostgresGateLog(self._url, patience=patience)


@pytest.fixture(params=["memory", "files", "postgres"])
def logs(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[GateLogOpener]:
    """The log under test, without any run."""

    def get_url() -> str:
        address: str = request.getfixturevalue("postgres_url")
        drop_tables(address)
        return address

    logs = GateLogOpener(request.param, tmp_path, get_url)
    yield logs
    logs.close()


@pytest.fixture
def log(logs: GateLogOpener) -> GateLog:
    """The log under test with one new run."""
    log = logs.open()
    log.create(RUN, make_opening_record(DOOR), DOOR)
    return log


def drop_tables(url: str) -> None:
    """Remove Saniwa's tables."""
    with psycopg.connect(url, autocommit=True) as server:
        server.execute(
            "DROP TABLE IF EXISTS saniwa_gate_shape, saniwa_gate_runs,"
            " saniwa_gate_entries, saniwa_gate_definitions, saniwa_gate_snapshots"
        )


def _emit(log: GateLog, event: str = "knock", key: str = "", **changes: Any) -> EventRecord:
    with log.lock_run(RUN) as passage:
        record = make_next_record(passage.run, event, key, **changes)
        passage.append(record)
        return record


def _fold_entries(entries: list[LogEntry]) -> ProcessRun:
    first, *others = entries
    assert isinstance(first, EventRecord)
    standing = ProcessRun.from_first_record(RUN, first)
    for entry in others:
        if isinstance(entry, EventRecord):
            standing.apply_record(entry)
        else:
            standing.apply_note(entry)
    return standing


def _make_odd_records(standing: ProcessRun) -> list[EventRecord]:
    """Records with every field set and unusual texts."""
    full = make_next_record(
        standing,
        "open",
        key='k,"1"\r\n;\x00キー',
        payload={"text": "a\x00b\u2028\\", "list": [2**70, 2.5, None, True, {"": []}]},
        variables={"knocks": 2**53, "名前": {"deep": ["値"]}},
        artifacts=(make_artifact("根拠/許可.md"), make_artifact("a,b;c.md", kind="")),
        approval=Approval(revision=1, digest="d" * 64),
        overridden=("permitted",),
        author=Author(type="human", id="花子"),
    )
    later = msgspec.structs.replace(standing, revision=2, state="open")
    content = make_artifact("", content={"a": [1]}, hash="b" * 64, metadata={"x": None})
    return [full, make_next_record(later, "pass", at=0, artifacts=(content,))]


def test_a_run_is_where_its_first_record_says(logs: GateLogOpener, log: GateLog) -> None:
    """A new run is in the state of its first record, also for a log that is opened later."""
    expected = ProcessRun.from_first_record(RUN, make_opening_record(DOOR))

    assert expected == log.load_run(RUN)
    assert expected == logs.open().load_run(RUN)
    assert [make_opening_record(DOOR)] == list(log.read_entries(RUN))


def test_what_is_appended_is_where_the_run_is(logs: GateLogOpener, log: GateLog) -> None:
    """The state of a run has every appended record, inside the lock and in a log opened later."""
    first = make_opening_record(DOOR)
    with log.lock_run(RUN) as passage:
        records = _make_odd_records(passage.run)
        for record in records:
            passage.append(record)
        expected = _fold_entries([first, *records])
        assert expected == passage.run

    assert expected == log.load_run(RUN)
    later = logs.open()
    assert expected == later.load_run(RUN)
    assert list(expected.list_artifacts()) == list(later.load_run(RUN).list_artifacts())
    assert [first, *records] == list(later.read_entries(RUN))


def test_a_reader_keeps_what_it_learned(log: GateLog) -> None:
    """A state that was read does not change when the run does."""
    before = log.load_run(RUN)
    _emit(log, artifacts=(make_artifact(),))

    assert ProcessRun.from_first_record(RUN, make_opening_record(DOOR)) == before


def test_an_event_is_found_by_its_key(logs: GateLogOpener, log: GateLog) -> None:
    """An event is found by its key at once, later, and in a log that is opened later."""
    with log.lock_run(RUN) as passage:
        assert passage.find_by_key("Key, 1 ") is None
        record = make_next_record(passage.run, key="Key, 1 ", payload={"a": 1})
        passage.append(record)
        assert record == passage.find_by_key("Key, 1 ")
    _emit(log, key="another")

    for each in (log, logs.open()):
        with each.lock_run(RUN) as passage:
            assert record == passage.find_by_key("Key, 1 ")


def test_the_first_event_is_found_by_its_key_too(logs: GateLogOpener) -> None:
    """A first event that has a key is found by it."""
    log, first = logs.open(), make_opening_record(DOOR, key="k")
    log.create(RUN, first, DOOR)

    for each in (log, logs.open()):
        with each.lock_run(RUN) as passage:
            assert first == passage.find_by_key("k")


def test_a_late_note_hides_nothing(log: GateLog) -> None:
    """A note about an earlier revision is listed where it was written."""
    late = make_note(log.load_run(RUN))
    _emit(log)
    with log.lock_run(RUN) as passage:
        passage.append_note(late)

    assert [1, 2, 1] == [entry.revision for entry in log.read_entries(RUN)]
    assert [2] == [entry.revision for entry in log.read_entries(RUN, after=1)]


@pytest.mark.parametrize("key", ["", "K", "k ", "k\x00", "\ud800", "k" * 5000])
def test_a_key_that_was_not_used_finds_nothing(log: GateLog, key: str) -> None:
    """Only the exact key finds an event, and an empty key finds none."""
    _emit(log, key="k")

    with log.lock_run(RUN) as passage:
        assert passage.find_by_key(key) is None


def test_a_long_key_is_a_key(log: GateLog) -> None:
    """A key may be longer than a database index allows."""
    record = _emit(log, key="鍵" * 50_000)

    with log.lock_run(RUN) as passage:
        assert record == passage.find_by_key("鍵" * 50_000)


def test_a_key_is_given_once(log: GateLog) -> None:
    """A second event under one key is refused, and the run can be continued."""
    record = _emit(log, key="k")

    with pytest.raises(StoreError) as caught:
        _emit(log, key="k", payload={"a": 1})
    assert "IDEMPOTENCY_CONFLICT" == caught.value.code
    assert 2 == caught.value.details["revision"]
    assert 2 == log.load_run(RUN).revision
    assert _emit(log, key="l").revision == log.load_run(RUN).revision == 3
    with log.lock_run(RUN) as passage:
        assert record == passage.find_by_key("k")


def test_a_key_belongs_to_its_run(log: GateLog) -> None:
    """Two runs may use the same key."""
    log.create(make_run_id(2), make_opening_record(DOOR), DOOR)
    _emit(log, key="k")

    with log.lock_run(make_run_id(2)) as passage:
        assert passage.find_by_key("k") is None
        passage.append(make_next_record(passage.run, key="k"))
    assert 2 == log.load_run(make_run_id(2)).revision


@pytest.mark.parametrize("revision", [-1, 0, 1, 2, 4])
def test_only_the_next_revision_is_kept(log: GateLog, revision: int) -> None:
    """An event out of order is a recoverable conflict that has the current revision."""
    _emit(log)

    with pytest.raises(StoreError) as caught:
        _emit(log, revision=revision)
    assert "REVISION_CONFLICT" == caught.value.code
    assert caught.value.recoverable
    assert 2 == caught.value.details["current"]
    assert [1, 2] == [entry.revision for entry in log.read_entries(RUN)]


@pytest.mark.parametrize("at", [253_402_300_800_000, -62_135_596_800_001, 2**63 - 1])
def test_a_moment_without_a_date_is_refused_before_it_is_kept(
    logs: GateLogOpener, log: GateLog, at: int
) -> None:
    """A time outside the calendar is refused, nothing is written, and the run can be continued."""
    with pytest.raises(StoreError) as begun:
        log.create(make_run_id(2), make_opening_record(DOOR, at=at), DOOR)
    with pytest.raises(StoreError) as caught:
        _emit(log, at=at)
    with log.lock_run(RUN) as passage, pytest.raises(StoreError) as noted:
        passage.append_note(make_note(passage.run, at=at))

    assert "TRACE_UNWRITABLE" == begun.value.code == caught.value.code
    assert "TRACE_UNWRITABLE" == noted.value.code
    assert [RUN] == list(logs.open().list_runs())
    assert 2 == _emit(log).revision
    assert () == logs.open().find_faults(RUN)


def test_of_two_writers_one_wins_and_the_other_sees_it(logs: GateLogOpener, log: GateLog) -> None:
    """Of two writers that race for a revision, one wins and the other sees its record."""
    start = Barrier(2)

    def race(log: GateLog, revision: int, who: str) -> str:
        start.wait()
        with log.lock_run(RUN) as passage:
            if passage.run.revision >= revision:
                return f"lost to {passage.run.revision}"
            passage.append(make_next_record(passage.run, key=f"{who}-{revision}"))
            return who

    rivals = {"a": log, "b": logs.open()}
    with ThreadPoolExecutor(2) as pool:
        for revision in range(2, 27):
            told = pool.map(race, rivals.values(), [revision] * 2, rivals)
            winner, loser = sorted(told)
            assert f"lost to {revision}" == loser
            *_, last = log.read_entries(RUN, after=revision - 1)
            assert isinstance(last, EventRecord)
            assert f"{winner}-{revision}" == last.key


def test_threads_may_share_a_log(log: GateLog) -> None:
    """With four threads on one log, every revision is given once and every key is kept."""

    def write(who: int) -> None:
        for count in range(25):
            _emit(log, key=f"{who}-{count}")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))

    kept = [e for e in log.read_entries(RUN) if isinstance(e, EventRecord)]
    assert list(range(1, 102)) == [record.revision for record in kept]
    assert {f"{w}-{c}" for w in range(4) for c in range(25)} == {record.key for record in kept[1:]}
    assert () == log.find_faults(RUN)


def test_waiting_too_long_for_a_lock_is_an_error(logs: GateLogOpener, log: GateLog) -> None:
    """Locking a run that is locked is a recoverable error after a while."""
    impatient = logs.open(patience=_SHORT)

    def visit() -> int:
        with impatient.lock_run(RUN) as passage:
            return passage.run.revision

    with ThreadPoolExecutor(1) as pool:
        with log.lock_run(RUN) as passage:
            passage.append(make_next_record(passage.run))
            refused = pool.submit(visit).exception()
            passage.append_note(make_note(passage.run))
        assert 2 == pool.submit(visit).result()
    assert isinstance(refused, StoreError)
    assert "LOCK_TIMEOUT" == refused.code
    assert refused.recoverable
    assert RUN in refused.message


def test_two_runs_can_be_held_at_once(logs: GateLogOpener, log: GateLog) -> None:
    """A lock on one run does not block another run."""
    log.create(make_run_id(2), make_opening_record(DOOR), DOOR)
    other = logs.open(patience=_SHORT)

    with log.lock_run(RUN), other.lock_run(make_run_id(2)) as passage:
        passage.append(make_next_record(passage.run))
    assert 2 == log.load_run(make_run_id(2)).revision


def test_a_passage_that_fails_lets_go(log: GateLog) -> None:
    """Records appended before an error are kept, and the run can be locked again."""

    def fail() -> None:
        with log.lock_run(RUN) as passage:
            passage.append(make_next_record(passage.run))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert _emit(log).revision == 3


def test_notes_are_next_to_the_events(logs: GateLogOpener, log: GateLog) -> None:
    """Notes come back in order, and are part of the state of the run."""
    _emit(log)
    with log.lock_run(RUN) as passage:
        told = [
            make_note(passage.run, hook=0, variables={"lamp": "on"}),
            make_note(passage.run, hook=1, artifacts=(make_artifact("x.md"),), failed=True),
            make_note(passage.run),
        ]
        for each in told:
            passage.append_note(each)
        assert 2 == passage.run.hooks_done
        assert {"knocks": 0, "lamp": "on"} == passage.run.variables

    for each_log in (log, logs.open()):
        kept = list(each_log.read_entries(RUN))
        assert told == kept[2:]
        assert _fold_entries(kept) == each_log.load_run(RUN)
    assert 2 == log.load_run(RUN).revision


def test_entries_are_read_from_any_revision_on(logs: GateLogOpener, log: GateLog) -> None:
    """Reading after a revision returns later events and notes only, and nothing after the last."""
    for revision in range(2, 6):
        _emit(log, key=f"key-{revision}")
        with log.lock_run(RUN) as passage:
            passage.append_note(make_note(passage.run))

    def read(log: GateLog, after: int) -> list[str]:
        entries = log.read_entries(RUN, after)
        return [f"{e.revision}{'NR'[isinstance(e, EventRecord)]}" for e in entries]

    for each in (log, logs.open()):
        assert ["5R", "5N"] == read(each, 4)
        assert ["4R", "4N", "5R", "5N"] == read(each, 3)
        assert [] == read(each, 5)
        assert [] == read(each, 1000)
        assert 9 == len(read(each, 0)) == len(read(each, -1))


def test_runs_are_listed_oldest_first(logs: GateLogOpener) -> None:
    """Runs are listed in the order of their ids, which is the order of time."""
    log = logs.open()
    assert [] == list(log.list_runs())
    for number in (3, 1, 255, 2):
        log.create(make_run_id(number), make_opening_record(DOOR), DOOR)

    assert [make_run_id(n) for n in (1, 2, 3, 255)] == list(logs.open().list_runs())


def _list_ways_in() -> dict[str, Callable[[GateLog, str], object]]:
    def hold(log: GateLog, run: str) -> None:
        with log.lock_run(run):
            pass

    return {
        "passage": hold,
        "standing": lambda log, run: log.load_run(run),
        "entries": lambda log, run: list(log.read_entries(run)),
        "faults": lambda log, run: log.find_faults(run),
    }


@pytest.mark.parametrize("way", sorted(_list_ways_in()))
def test_a_run_that_is_not_there_is_named_with_its_nearest(log: GateLog, way: str) -> None:
    """An unknown id is an error whose hint names the most similar id."""
    with pytest.raises(StoreError) as caught:
        _list_ways_in()[way](log, RUN[:-1] + "7")
    assert "RUN_NOT_FOUND" == caught.value.code
    assert repr(RUN) in caught.value.hint


@pytest.mark.parametrize("way", sorted(_list_ways_in()))
@pytest.mark.parametrize("run", ["", "../x", "run-\x00", "run-\ud800", "a" * 5000])
def test_what_cannot_be_an_id_is_no_run(log: GateLog, way: str, run: str) -> None:
    """An invalid id gets the answer that there is no such run."""
    with pytest.raises(StoreError) as caught:
        _list_ways_in()[way](log, run)
    assert "RUN_NOT_FOUND" == caught.value.code


def test_a_run_id_is_given_once(logs: GateLogOpener, log: GateLog) -> None:
    """A second run under one id is refused, and the first is not changed."""
    _emit(log)

    with pytest.raises(StoreError) as caught:
        logs.open().create(RUN, make_opening_record(DOOR, state="open"), DOOR)
    assert "RUN_EXISTS" == caught.value.code
    assert (2, "closed") == (log.load_run(RUN).revision, log.load_run(RUN).state)


def test_a_run_brings_its_definition(logs: GateLogOpener, log: GateLog) -> None:
    """The definition of a run is found by its hash, also in a log opened later."""
    opening = log.load_run(RUN).opening

    assert DOOR == log.load_definition(opening.definition)
    assert DOOR == logs.open().load_definition(opening.definition)


def test_definitions_are_kept_by_what_they_say(logs: GateLogOpener, log: GateLog) -> None:
    """Each version of a definition is kept, and keeping one twice changes nothing."""
    newer = make_door_process(version="2.0.0")
    log.store_definition(newer)
    log.store_definition(newer)

    later = logs.open()
    assert newer == later.load_definition(hash_process(newer))
    assert DOOR == later.load_definition(hash_process(DOOR))


@pytest.mark.parametrize("hash", ["", "0" * 64, "../x", "\x00", "\ud800"])
def test_a_definition_that_is_not_kept_is_missing(log: GateLog, hash: str) -> None:
    """A definition with an unknown hash is an error."""
    with pytest.raises(StoreError) as caught:
        log.load_definition(hash)
    assert "DEFINITION_MISSING" == caught.value.code


def test_a_run_without_its_definition_is_found(log: GateLog) -> None:
    """A run without its definition is one finding; a run with it has none."""
    assert () == log.find_faults(RUN)
    lost = RunOpening(process_id="door", process_version="2", definition="0" * 64)
    _emit(log, MIGRATED, opening=lost)
    _emit(log, MIGRATED, opening=lost)

    assert ["DEFINITION_MISSING"] == [f.code for f in log.find_faults(RUN)]


@pytest.mark.parametrize(
    ("payload", "code"),
    [
        ({"text": "\ud800"}, "TRACE_UNWRITABLE"),
        ({"number": 1j}, "TRACE_UNWRITABLE"),
        ({"thing": object()}, "TRACE_UNWRITABLE"),
        ({"text": "x" * LARGEST_ENTRY}, "RECORD_TOO_LARGE"),
    ],
)
def test_what_cannot_be_written_changes_nothing(
    log: GateLog, payload: dict[str, object], code: str
) -> None:
    """An event that cannot be written is an error, and the run can be continued."""
    with pytest.raises(StoreError) as caught:
        _emit(log, payload=payload)
    assert code == caught.value.code
    assert 1 == log.load_run(RUN).revision
    assert 2 == _emit(log).revision


def test_a_large_record_is_kept_whole(logs: GateLogOpener, log: GateLog) -> None:
    """A record just below the size limit comes back unchanged."""
    record = _emit(log, payload={"text": "あ" * (LARGEST_ENTRY // 3 - 1000)})

    assert [record] == list(logs.open().read_entries(RUN, after=1))


def test_closing_loses_nothing(logs: GateLogOpener, log: GateLog) -> None:
    """A log may be closed twice, and loses nothing."""
    _emit(log)
    before = log.load_run(RUN)
    log.close()
    log.close()

    assert before == logs.open().load_run(RUN)


def _count_calls(action: Callable[[], object]) -> int:
    """How many calls an action makes, in Python and in C."""
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        action()
    finally:
        sys.setprofile(None)
    return calls


def test_a_long_history_costs_no_more(log: GateLog) -> None:
    """After 5,000 records, reading the state and adding an event need no more calls."""

    def visit() -> None:
        with log.lock_run(RUN) as passage:
            assert passage.find_by_key("nobody's") is None
            passage.append(make_next_record(passage.run))

    def measure() -> tuple[int, int]:
        for _ in range(10):
            visit()
            log.load_run(RUN)
        looks = [_count_calls(lambda: log.load_run(RUN)) for _ in range(5)]
        return min(looks), min(_count_calls(visit) for _ in range(5))

    early = measure()
    with log.lock_run(RUN) as passage:
        while passage.run.revision < 5000:
            passage.append(make_next_record(passage.run))
    late = measure()

    assert 5000 < log.load_run(RUN).revision
    assert late[0] < 1.5 * early[0]
    assert late[1] < 1.5 * early[1]


def test_a_table_is_the_same_from_every_log(logs: GateLogOpener, log: GateLog) -> None:
    """Every log exports the same table, which is the one that the files publish."""
    with log.lock_run(RUN) as passage:
        for record in _make_odd_records(passage.run):
            passage.append(record)
        passage.append_note(make_note(passage.run))
    log.close()

    text = "".join(render_rows(logs.open().read_entries(RUN))).encode()
    assert 3 == text.count(b"Z,")
    assert _TABLE == text
    published = logs._folder / ".state_gate" / "runs" / f"{RUN}.csv"
    assert not published.exists() or published.read_bytes() == text


_TABLE = (
    "timestamp,state,revision,event,idempotency_key,artifact_paths\r\n"
    "2026-01-01T00:00:00Z,closed,1,created,,\r\n"
    '2026-01-01T00:00:01Z,open,2,open,"k,""1""\r\n;\x00キー",'
    '"根拠/許可.md;a,b;c.md"\r\n'
    "1970-01-01T00:00:00Z,passed,3,pass,key-3,inline:permit:bbbbbbbbbbbb\r\n"
).encode()
