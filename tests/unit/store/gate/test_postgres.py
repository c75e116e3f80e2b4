import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Barrier, Thread
from typing import Any
from urllib.parse import unquote

import psycopg
import pytest

from saniwa.core.errors import StoreError
from saniwa.process.event_record import EventRecord
from saniwa.store.gate import sealed_gate_log
from saniwa.store.gate.postgres_log import SCHEMA, TABLES, PostgresGateLog
from saniwa.store.sql_sealed_log import PAGE_SIZE, PostgresSealedLog, build_log_queries
from tests.fakes.gate import (
    make_door_process,
    make_next_record,
    make_note,
    make_opening_record,
    make_run_id,
)
from tests.fakes.postgres import cut_off
from tests.fakes.processes import end_with_test

RUN = make_run_id(1)
DOOR = make_door_process()
_TABLES = (
    "saniwa_gate_shape, saniwa_gate_runs, saniwa_gate_entries,"
    " saniwa_gate_definitions, saniwa_gate_snapshots"
)


@pytest.fixture
def url(postgres_url: str) -> str:
    """The address of a server without Saniwa's tables."""
    _do(postgres_url, f"DROP TABLE IF EXISTS {_TABLES}")
    return postgres_url


@pytest.fixture
def log(url: str) -> Iterator[PostgresGateLog]:
    """A log with one run of three events and a note."""
    log = PostgresGateLog(url)
    log.create(RUN, make_opening_record(DOOR), DOOR)
    _emit(log)
    with log.lock_run(RUN) as passage:
        passage.append(make_next_record(passage.run))
        passage.append_note(make_note(passage.run))
    yield log
    log.close()


def _do(url: str, statement: str) -> None:
    with psycopg.connect(url, autocommit=True) as server:
        server.execute(statement.encode())


def _emit(log: PostgresGateLog, key: str = "") -> EventRecord:
    with log.lock_run(RUN) as passage:
        record = make_next_record(passage.run, key=key)
        passage.append(record)
        return record


# Opening


def test_without_its_library_the_command_that_installs_it_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without the package, the error names the command that installs it."""
    monkeypatch.setitem(sys.modules, "psycopg", None)

    with pytest.raises(StoreError) as caught:
        PostgresGateLog("postgresql://127.0.0.1/none")
    assert "EXTRA_MISSING" == caught.value.code


@pytest.mark.parametrize(
    ("address", "code"),
    [
        ("postgresql://me:secret@127.0.0.1:1/none", "STORE_UNREACHABLE"),
        ("postgresql://me:secret@[::1/none", "STORE_UNKNOWN"),
    ],
)
def test_an_address_that_does_not_work_reveals_no_password(address: str, code: str) -> None:
    """The error for a wrong address does not contain its password."""
    with pytest.raises(StoreError) as caught:
        PostgresGateLog(address)
    assert code == caught.value.code
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("mode", ["existing", "read"])
def test_a_database_without_our_tables_is_left_alone(url: str, mode: str) -> None:
    """Only the mode that creates tables does so."""
    with pytest.raises(StoreError) as caught:
        PostgresGateLog(url, mode=mode)  # type: ignore[arg-type]
    assert "STORE_UNREADABLE" == caught.value.code
    with psycopg.connect(url) as server:
        found = server.execute("SELECT to_regclass('saniwa_gate_runs')").fetchall()
    assert [(None,)] == found


def test_a_database_of_a_later_shape_is_left_alone(url: str) -> None:
    """Tables of a newer version are refused."""
    PostgresGateLog(url).close()
    _do(url, f"UPDATE saniwa_gate_shape SET version = {SCHEMA.version + 1}")

    with pytest.raises(StoreError) as caught:
        PostgresGateLog(url)
    assert "STORE_TOO_NEW" == caught.value.code


def test_a_log_opened_for_reading_refuses_to_write(url: str, log: PostgresGateLog) -> None:
    """A log opened for reading can be read, and refuses to write."""
    reader = PostgresGateLog(url, mode="read")

    assert log.load_run(RUN) == reader.load_run(RUN)
    with pytest.raises(StoreError) as caught:
        _emit(reader)
    assert "TRACE_UNWRITABLE" == caught.value.code
    assert 3 == log.load_run(RUN).revision
    reader.close()


def test_a_commit_waits_for_the_disk(url: str) -> None:
    """Commits are durable, whatever the server's default."""
    _do(url, "ALTER ROLE saniwa SET synchronous_commit = off")
    log = PostgresGateLog(url)
    found = log._query("SHOW synchronous_commit", {})
    log.close()
    _do(url, "ALTER ROLE saniwa RESET synchronous_commit")

    assert [("on",)] == found


def test_many_may_make_the_tables_at_once(url: str) -> None:
    """Several clients can open an empty database at once."""
    start = Barrier(4)

    def open_and_list(_: int) -> list[str]:
        start.wait()
        log = PostgresGateLog(url)
        runs = list(log.list_runs())
        log.close()
        return runs

    with ThreadPoolExecutor(4) as pool:
        assert [[]] * 4 == list(pool.map(open_and_list, range(4)))


# Changed data

_HARM = {
    "a changed body": ("UPDATE {e} SET body = '{{}}' WHERE number = 2", 2),
    "a changed seal": ("UPDATE {e} SET seal = '' WHERE number = 2", 2),
    "a changed key": ("UPDATE {e} SET mark = 'x' WHERE number = 2", 2),
    "a key taken away": ("UPDATE {e} SET mark = NULL WHERE number = 2", 2),
    "a changed revision": ("UPDATE {e} SET revision = 1 WHERE number = 2", 2),
    "a missing first": ("DELETE FROM {e} WHERE number = 1", 1),
    "a missing entry": ("DELETE FROM {e} WHERE number = 2", 2),
    "a missing last": ("DELETE FROM {e} WHERE number = 4", 4),
    "a run that ends earlier": ("UPDATE saniwa_gate_runs SET number = 3", 4),
    "a run that ends later": ("UPDATE saniwa_gate_runs SET number = 5", 5),
    "another end": ("UPDATE saniwa_gate_runs SET seal = ''", 4),
}


def _harm_entries(url: str, what: str) -> int:
    statement, entry = _HARM[what]
    _do(url, statement.format(e="saniwa_gate_entries"))
    return entry


@pytest.mark.usefixtures("log")
@pytest.mark.parametrize("what", _HARM)
def test_an_entry_that_is_not_what_was_written_is_named(url: str, what: str) -> None:
    """A changed, added or missing entry is reported with its number."""
    entry = _harm_entries(url, what)
    later = PostgresGateLog(url)

    for ask in (later.load_run, lambda run: list(later.read_entries(run)), _make_visit(later)):
        with pytest.raises(StoreError) as caught:
            ask(RUN)
        assert "TRACE_CORRUPT" == caught.value.code
        assert {"run": RUN, "entry": entry} == caught.value.details
    later.close()


def _make_visit(log: PostgresGateLog) -> Callable[[str], object]:
    def visit(run: str) -> None:
        with log.lock_run(run):
            pass

    return visit


@pytest.mark.parametrize("what", _HARM)
def test_all_that_is_wrong_is_found(url: str, log: PostgresGateLog, what: str) -> None:
    """Checking a run reports all faults, the first with its entry."""
    entry = _harm_entries(url, what)

    found = log.find_faults(RUN)
    assert {"TRACE_CORRUPT"} == {each.code for each in found}
    assert {"run": RUN, "entry": entry} == found[0].details


def test_an_entry_fits_no_other_run(url: str, log: PostgresGateLog) -> None:
    """A run copied under another id is corrupt at its first entry."""
    other = make_run_id(2)
    _do(
        url,
        f"INSERT INTO saniwa_gate_runs SELECT '{other}', number, seal"
        " FROM saniwa_gate_runs;"
        f"INSERT INTO saniwa_gate_entries SELECT '{other}', number, revision, mark,"
        " seal, body FROM saniwa_gate_entries",
    )

    for ask in (log.load_run, lambda run: list(log.read_entries(run)), _make_visit(log)):
        with pytest.raises(StoreError) as caught:
            ask(other)
        assert {"run": other, "entry": 1} == caught.value.details
    assert [1] == [each.details["entry"] for each in log.find_faults(other)]
    assert () == log.find_faults(RUN)


def test_harm_in_two_places_is_found_in_both(url: str, log: PostgresGateLog) -> None:
    """Two faults are both reported, and no other entry."""
    _do(url, "UPDATE saniwa_gate_entries SET body = 'x' WHERE number IN (2, 4)")

    assert [2, 4] == [each.details["entry"] for each in log.find_faults(RUN)]


def test_a_wholly_harmed_run_is_reported_in_few_findings(url: str) -> None:
    """The number of reported faults is limited."""
    log = PostgresGateLog(url)
    log.create(RUN, make_opening_record(DOOR), DOOR)
    with log.lock_run(RUN) as passage:
        for _ in range(50):
            passage.append(make_next_record(passage.run))
    _do(url, "UPDATE saniwa_gate_entries SET body = 'x'")

    assert 20 == len(log.find_faults(RUN))
    log.close()


@pytest.mark.parametrize("what", ["a missing last", "another end"])
def test_nothing_is_added_to_a_run_that_lost_its_end(
    url: str, log: PostgresGateLog, what: str
) -> None:
    """Nothing is appended to a run that lost its end, also by a log that knew it before."""
    log.load_run(RUN)
    _harm_entries(url, what)

    with pytest.raises(StoreError) as caught:
        _emit(log)
    assert "TRACE_CORRUPT" == caught.value.code


def test_a_database_brought_back_from_a_copy_is_read_again(url: str, log: PostgresGateLog) -> None:
    """After a copy is restored, a log reports the loss once and continues from the copy's end."""
    for table in ("runs", "entries"):
        _do(url, f"CREATE TABLE copy_{table} AS TABLE saniwa_gate_{table}")
    _emit(log)
    for table in ("runs", "entries"):
        _do(url, f"DELETE FROM saniwa_gate_{table}")
        _do(url, f"INSERT INTO saniwa_gate_{table} TABLE copy_{table}")
        _do(url, f"DROP TABLE copy_{table}")

    with pytest.raises(StoreError) as caught:
        log.load_run(RUN)
    assert "TRACE_CORRUPT" == caught.value.code
    assert 3 == log.load_run(RUN).revision
    assert 4 == _emit(log).revision


def test_a_changed_definition_is_missing(url: str, log: PostgresGateLog) -> None:
    """A definition that does not match its hash is missing; storing it again repairs it."""
    _do(
        url,
        "UPDATE saniwa_gate_definitions SET content ="
        " convert_to(replace(convert_from(content, 'UTF8'), 'door', 'wall'), 'UTF8')",
    )
    hash = log.load_run(RUN).opening.definition

    with pytest.raises(StoreError) as caught:
        log.load_definition(hash)
    assert "DEFINITION_MISSING" == caught.value.code
    assert ["DEFINITION_MISSING"] == [each.code for each in log.find_faults(RUN)]
    log.store_definition(DOOR)
    assert DOOR == log.load_definition(hash)


# Long runs


@pytest.fixture
def long_log(log: PostgresGateLog, monkeypatch: pytest.MonkeyPatch) -> PostgresGateLog:
    """A log with a run long enough for a snapshot."""
    monkeypatch.setattr(sealed_gate_log, "SNAPSHOT_INTERVAL", 10)
    for _ in range(12):
        _emit(log)
    return log


def test_a_long_run_is_opened_without_reading_it_all(url: str, long_log: PostgresGateLog) -> None:
    """Opening a long run does not read the entries before its last snapshot; checking it does."""
    _do(url, "UPDATE saniwa_gate_entries SET body = 'x' WHERE number = 2")
    later = PostgresGateLog(url)

    assert long_log.load_run(RUN) == later.load_run(RUN)
    assert 16 == _emit(later).revision
    assert [2] == [each.details["entry"] for each in later.find_faults(RUN)]
    later.close()


@pytest.mark.parametrize(
    "harm",
    [
        "UPDATE saniwa_gate_snapshots SET standing = '{}'",
        "UPDATE saniwa_gate_snapshots SET seal = ''",
        "UPDATE saniwa_gate_snapshots SET number = number - 1",
        "UPDATE saniwa_gate_snapshots SET number = 1000",
        "UPDATE saniwa_gate_snapshots AS s SET standing = '{}', seal = sha256("
        "(SELECT seal FROM saniwa_gate_entries AS e WHERE e.number = s.number) || '{}')",
        "DELETE FROM saniwa_gate_snapshots",
    ],
)
def test_a_snapshot_that_does_not_fit_is_not_used(
    url: str, long_log: PostgresGateLog, harm: str
) -> None:
    """A snapshot that does not match is ignored."""
    _do(url, harm)
    later = PostgresGateLog(url)

    assert long_log.load_run(RUN) == later.load_run(RUN)
    later.close()


def test_entries_are_read_page_by_page(url: str) -> None:
    """A run of several pages is read in full, from any entry."""
    log = PostgresGateLog(url)
    log.create(RUN, make_opening_record(DOOR), DOOR)
    with log.lock_run(RUN) as passage:
        for _ in range(400):
            passage.append(make_next_record(passage.run))
    later = PostgresGateLog(url)

    for after in (0, 1, 200, 201, 400):
        expected = list(range(after + 1, 402))
        assert expected == [e.revision for e in later.read_entries(RUN, after)]
    assert 401 == later.load_run(RUN).revision
    later.close()
    log.close()


def test_a_page_costs_its_own_entries(url: str) -> None:
    """Reading a page scans only its own rows, however long the run is."""
    log = PostgresGateLog(url)
    log.create(RUN, make_opening_record(DOOR), DOOR)
    with log.lock_run(RUN) as passage:
        for _ in range(1000):
            passage.append(make_next_record(passage.run))
    asked = {"run": RUN, "number": 1, "until": PAGE_SIZE + 1}
    page = build_log_queries(TABLES).page
    explained = log._query(f"EXPLAIN (ANALYZE, FORMAT JSON) {page}", asked)
    log.close()

    assert PAGE_SIZE == max(_count_rows(explained[0][0][0]["Plan"]))


def _count_rows(plan: dict[str, Any]) -> list[int]:
    """The number of rows of each step of a query plan."""
    below = [n for step in plan.get("Plans", ()) for n in _count_rows(step)]
    return [int(plan["Actual Rows"]) + plan.get("Rows Removed by Filter", 0), *below]


def test_a_gap_is_reported_and_the_rest_is_checked(url: str) -> None:
    """Checking continues after a gap, also at the end of a page."""
    log = PostgresGateLog(url)
    log.create(RUN, make_opening_record(DOOR), DOOR)
    with log.lock_run(RUN) as passage:
        for _ in range(2 * PAGE_SIZE):
            passage.append(make_next_record(passage.run))
    _do(
        url,
        "DELETE FROM saniwa_gate_entries"
        f" WHERE number IN ({PAGE_SIZE // 2}, {PAGE_SIZE}, {PAGE_SIZE + 1})",
    )
    _do(url, f"UPDATE saniwa_gate_entries SET body = 'x' WHERE number = {2 * PAGE_SIZE}")

    told = [each.details["entry"] for each in log.find_faults(RUN)]
    assert [PAGE_SIZE // 2, PAGE_SIZE, 2 * PAGE_SIZE] == told
    log.close()


@pytest.mark.usefixtures("log")
def test_a_run_is_no_longer_than_its_entries(url: str) -> None:
    """A run row that claims too many entries is reported."""
    _do(url, f"UPDATE saniwa_gate_runs SET number = {10**12}")
    later = PostgresGateLog(url)

    with pytest.raises(StoreError) as caught:
        later.load_run(RUN)
    assert {"run": RUN, "entry": 5} == caught.value.details
    later.close()


# Lost connections


def test_an_event_whose_connection_was_cut_is_uncertain(url: str, log: PostgresGateLog) -> None:
    """If the connection breaks during a commit, the result is LOG_UNCERTAIN."""
    with log.lock_run(RUN) as passage:
        record = make_next_record(passage.run, key="k")
        cut_off(url)
        with pytest.raises(StoreError) as caught:
            passage.append(record)
    assert "LOG_UNCERTAIN" == caught.value.code
    assert caught.value.recoverable

    assert 3 == log.load_run(RUN).revision
    with log.lock_run(RUN) as passage:
        assert passage.find_by_key("k") is None
        passage.append(record)
    assert 4 == log.load_run(RUN).revision


class _ForgetfulServer:
    """A proxy between a log and its server that can lose an answer."""

    def __init__(self, url: str) -> None:
        self._path = unquote(url.split("host=")[1]) + "/.s.PGSQL.5432"
        self._door = socket.create_server(("127.0.0.1", 0))
        self.lose = False
        self.url = f"postgresql://saniwa@127.0.0.1:{self._door.getsockname()[1]}/postgres"
        self._host = Thread(target=self._serve)
        self._host.start()

    def close(self) -> None:
        """Close the listening socket."""
        self._door.shutdown(socket.SHUT_RDWR)
        self._host.join()
        self._door.close()

    def _serve(self) -> None:
        while True:
            try:
                caller, _ = self._door.accept()
            except OSError:
                return
            Thread(target=self._join, args=(caller,), daemon=True).start()

    def _join(self, caller: socket.socket) -> None:
        with caller, socket.socket(socket.AF_UNIX) as server:
            server.connect(self._path)
            asking = Thread(target=self._pass, args=(caller, server, False))
            asking.start()
            self._pass(server, caller, True)
            asking.join()

    def _pass(self, source: socket.socket, to: socket.socket, back: bool) -> None:
        with suppress(OSError):
            while piece := source.recv(65536):
                if back and self.lose:
                    break
                to.sendall(piece)
        # One side has closed, so close the other.
        for each in (source, to):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)


@pytest.mark.usefixtures("log")
def test_an_event_whose_answer_was_lost_is_found_by_its_key(url: str) -> None:
    """An event whose answer was lost is found by its key when it is sent again."""
    between = _ForgetfulServer(url)
    far = PostgresGateLog(between.url)
    with far.lock_run(RUN) as passage:
        record = make_next_record(passage.run, key="k")
        between.lose = True
        with pytest.raises(StoreError) as caught:
            passage.append(record)
        between.lose = False
    assert "LOG_UNCERTAIN" == caught.value.code

    with far.lock_run(RUN) as passage:
        assert record == passage.find_by_key("k")
        assert 4 == passage.run.revision
    far.close()
    between.close()


def test_after_the_server_stopped_one_call_fails_and_the_next_connects(
    url: str, log: PostgresGateLog
) -> None:
    """After a restart of the server, one call fails with a recoverable error."""
    with log.lock_run(RUN):
        log.load_run(RUN)
    assert 1 < len(log._lines._idle)
    cut_off(url)

    with pytest.raises(StoreError) as caught:
        log.load_run(RUN)
    assert "STORE_UNREACHABLE" == caught.value.code
    assert caught.value.recoverable
    assert 3 == log.load_run(RUN).revision


def test_a_run_is_free_again_when_its_holder_dies(url: str, log: PostgresGateLog) -> None:
    """The lock of a run ends with its holder's connection."""
    holder = PostgresGateLog(url)
    with holder.lock_run(RUN):
        cut_off(url)
        with pytest.raises(StoreError):
            log.load_run(RUN)
        assert 4 == _emit(log).revision
    holder.close()


def test_a_writer_that_lost_the_lock_overwrites_nothing(url: str, log: PostgresGateLog) -> None:
    """A writer that has lost its lock gets REVISION_CONFLICT."""
    other = PostgresGateLog(url)
    with log.lock_run(RUN) as passage:
        mine = make_next_record(passage.run, key="mine")
        assert isinstance(passage._log, PostgresSealedLog)
        passage._log._query("SELECT pg_advisory_unlock_all()", {})
        theirs = _emit(other, key="theirs")
        with pytest.raises(StoreError) as caught:
            passage.append(mine)
        assert theirs == passage.find_by_key("theirs")
        assert passage.find_by_key("mine") is None
    assert "REVISION_CONFLICT" == caught.value.code
    assert 4 == caught.value.details["current"]
    assert () == other.find_faults(RUN)
    other.close()


# Forks


def _list_backends(log: PostgresGateLog) -> list[int]:
    """The server's process id of each idle connection."""
    asked = [line.query("SELECT pg_backend_pid()", {}) for line in log._lines._idle]
    return [pid for ((pid,),) in asked]


def _run_in_child(does: Callable[[], str]) -> str:
    """The output of a forked child, which then exits."""
    hear, tell = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            told = does()
        except BaseException as problem:  # noqa: BLE001 - passed to the parent
            told = repr(problem)
        os.write(tell, told.encode())
        os._exit(0)
    os.close(tell)
    with os.fdopen(hear) as stream:
        said = stream.read()
    os.waitpid(child, 0)
    return said


def test_a_forked_child_connects_for_itself(log: PostgresGateLog) -> None:
    """A forked child uses its own connections, and closes none of its parent's."""
    before = _list_backends(log)

    def emit_in_child() -> str:
        revision = _emit(log).revision
        shared = set(before) & set(_list_backends(log))
        log.close()
        return f"{revision} {len(shared)}"

    assert "4 0" == _run_in_child(emit_in_child)
    assert before == _list_backends(log)
    assert 5 == _emit(log).revision


def test_a_forked_process_holds_no_run_of_its_parent(log: PostgresGateLog) -> None:
    """A run held at the time of the fork belongs to the parent only."""

    def append_in_child() -> str:
        with pytest.raises(StoreError) as caught:
            passage.append(make_next_record(passage.run))
        holding.__exit__(None, None, None)
        waiting = PostgresGateLog(log._lines._url, patience=0.05)
        with pytest.raises(StoreError) as held, waiting.lock_run(RUN):
            pass
        return f"{caught.value.code} {held.value.code} {log.load_run(RUN).revision}"

    holding = log.lock_run(RUN)
    with holding as passage:
        assert "LOG_UNCERTAIN LOCK_TIMEOUT 3" == _run_in_child(append_in_child)
        passage.append(make_next_record(passage.run))
    assert 5 == _emit(log).revision
    assert () == log.find_faults(RUN)


def test_a_child_waits_for_no_thread_of_its_parent(log: PostgresGateLog) -> None:
    """A forked child does not wait for locks that threads of its parent held."""
    state = log._get_state(RUN)
    with log._states_lock, log._lines._lock, state.lock:
        assert "3" == _run_in_child(lambda: str(_read_revision(log)))


def _read_revision(log: PostgresGateLog) -> int:
    """The run's revision; an alarm ends a child that waits too long."""
    signal.alarm(10)
    return log.load_run(RUN).revision


# Many writers

_RIVAL = """
import sys
from saniwa.store.gate.postgres_log import PostgresGateLog
from saniwa.store.gate.postgres_log import SCHEMA
from tests.fakes.gate import make_next_record, make_run_id

url, who = sys.argv[1:]
log = PostgresGateLog(url)
log.load_run(make_run_id(1))
print("ready", flush=True)
for line in sys.stdin:
    with log.lock_run(make_run_id(1)) as passage:
        seen = passage.run.revision
        if won := seen < int(line):
            passage.append(make_next_record(passage.run, key=f"{who}-{seen + 1}"))
    print("won" if won else f"lost, for it stands at {seen}", flush=True)
"""


def test_two_processes_never_win_one_revision(url: str, log: PostgresGateLog) -> None:
    """Of two processes racing for a revision, one wins and the other sees it."""
    rivals = {who: _RivalWriter(url, who) for who in "ab"}
    winners = []
    for revision in range(4, 104):
        for rival in rivals.values():
            rival.race(revision)
        told = {who: rival.hear() for who, rival in rivals.items()}
        assert [f"lost, for it stands at {revision}", "won"] == sorted(told.values())
        winners += [f"{who}-{revision}" for who in told if told[who] == "won"]
    for rival in rivals.values():
        rival.end()

    kept = [e.key for e in log.read_entries(RUN, after=3) if isinstance(e, EventRecord)]
    assert winners == kept
    assert () == log.find_faults(RUN)


class _RivalWriter:
    """Another process that tries for the same revisions."""

    def __init__(self, url: str, who: str) -> None:
        self._other = end_with_test(
            subprocess.Popen(
                [sys.executable, "-c", _RIVAL, url, who],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        )
        assert "ready" == self.hear()

    def race(self, revision: int) -> None:
        """Let it try for a revision."""
        assert self._other.stdin is not None
        self._other.stdin.write(f"{revision}\n")
        self._other.stdin.flush()

    def hear(self) -> str:
        """Its result."""
        assert self._other.stdout is not None
        return self._other.stdout.readline().strip()

    def end(self) -> None:
        """Close its input, and wait for its end."""
        self._other.communicate(timeout=120)
