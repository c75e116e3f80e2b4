"""What every sealed log promises, for turns and for events.

The files of a gate have a separate journal; `test_gate_log.py` tests it as well.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, nullcontext
from pathlib import Path
from threading import Barrier

import psycopg
import pytest

from saniwa.core.errors import StoreError
from saniwa.store.gate.postgres_log import PostgresGateLog
from saniwa.store.gate.sealed_gate_log import MemoryGateLog
from saniwa.store.memory_run_store import MemoryRunStore
from saniwa.store.postgres_stores import PostgresRunStore
from saniwa.store.run_records import seal_record
from saniwa.store.sealed_log import (
    EVENTS,
    TURNS,
    LogEnd,
    LogKind,
    SealedChain,
    SealedEntry,
    SealedLog,
    compute_first_seal,
    compute_seal,
    compute_turn_seal,
    encode_record,
)
from saniwa.store.sqlite_runs_and_plays import SqliteRunStore
from tests.fakes.gate import make_door_process, make_opening_record, make_run_id
from tests.fakes.records import make_record

RUN = make_run_id(1)
KEY = b"k" * 32


class LogSubject:
    """A log with one new run."""

    def __init__(
        self,
        kind: LogKind,
        log: SealedLog,
        begin: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        self.kind, self.log, self._begin = kind, log, begin
        first = seal_record(RUN, encode_record(make_record(RUN)))
        self.start = LogEnd(0, first if kind is TURNS else compute_first_seal(RUN))

    def append(self, entry: SealedEntry, before: bytes) -> bool:
        """Append an entry durably."""
        with self._begin():
            return self.log.append(RUN, before, entry)

    def read(self, after: LogEnd | None = None) -> list[SealedEntry]:
        """Every entry after a point."""
        return list(self.log.read(RUN, after or self.start))

    def find_end(self) -> LogEnd:
        """The end of the log, computed from its entries."""
        chain = SealedChain(self.kind, RUN, "here", self.start)
        for entry in self.read():
            chain.end = LogEnd(entry.number + 1, entry.seal)
        return chain.end

    def make_entry(self, end: LogEnd, body: bytes, key: bytes | None = None) -> SealedEntry:
        """The entry that follows a point."""
        number, before = end
        if self.kind is TURNS:
            return SealedEntry(number, compute_turn_seal(before, RUN, number, body), body)
        return SealedEntry(number, compute_seal(before, body), body, number + 1, key)


@pytest.fixture(params=["memory turns", "sqlite turns", "postgres turns", "memory", "postgres"])
def subject(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[LogSubject]:
    """Each kind of log, for turns and for events."""
    url = request.getfixturevalue("postgres_url") if "postgres" in request.param else ""
    if url:
        _drop_tables(url)
    match request.param:
        case "memory turns":
            memory = MemoryRunStore()
            memory.create(make_record(RUN))
            yield LogSubject(TURNS, memory._log)
        case "sqlite turns":
            with closing(SqliteRunStore(tmp_path / "runs.db")) as store:
                store.create(make_record(RUN))
                yield LogSubject(TURNS, store._log, store._file.begin_transaction)
        case "postgres turns":
            with closing(PostgresRunStore(url)) as kept:
                kept.create(make_record(RUN))
                yield LogSubject(TURNS, kept._log)
        case _:
            with closing(PostgresGateLog(url) if url else MemoryGateLog()) as gate:
                door = make_door_process()
                gate.create(RUN, make_opening_record(door), door)
                yield LogSubject(EVENTS, gate._log)


def _drop_tables(url: str) -> None:
    names = "shape runs heads turns saves"
    gate = "shape runs entries definitions snapshots"
    tables = [f"saniwa_{n}" for n in names.split()] + [f"saniwa_gate_{n}" for n in gate.split()]
    with psycopg.connect(url, autocommit=True) as server:
        server.execute(f"DROP TABLE IF EXISTS {', '.join(tables)}".encode())


def test_entries_come_back_as_they_were_from_any_point(subject: LogSubject) -> None:
    """Entries come back in order with their seals, from any point on."""
    end, kept = subject.find_end(), subject.read()
    for number in range(5):
        entry = subject.make_entry(end, b'{"\x00":%d}' % number)
        assert subject.append(entry, end.seal)
        kept.append(entry)
        end = LogEnd(entry.number + 1, entry.seal)

    assert kept == subject.read()
    assert kept[-2:] == subject.read(LogEnd(kept[-3].number + 1, kept[-3].seal))
    assert [] == subject.read(end)


@pytest.mark.parametrize("numbers", [-1, 1, 5])
def test_only_the_next_entry_is_kept(subject: LogSubject, numbers: int) -> None:
    """An entry with another number than the next is refused and changes nothing."""
    end, before = subject.find_end(), subject.read()
    entry = subject.make_entry(end, b"{}")

    assert not subject.append(entry._replace(number=end.number + numbers), end.seal)
    assert before == subject.read()
    assert subject.append(entry, end.seal)


def test_an_entry_follows_the_seal_that_its_writer_saw(subject: LogSubject) -> None:
    """An entry with the right number is refused if its writer saw another history."""
    end = subject.find_end()
    assert subject.append(subject.make_entry(end, b"{}"), end.seal)
    later = subject.find_end()

    assert not subject.append(subject.make_entry(later, b"{}"), b"x" * 32)
    assert later == subject.find_end()


def test_of_two_writers_one_wins(subject: LogSubject) -> None:
    """Of two writers that race for a number, exactly one succeeds."""
    start = Barrier(2)

    def race(end: LogEnd, who: bytes) -> bool:
        start.wait()
        return subject.append(subject.make_entry(end, who), end.seal)

    with ThreadPoolExecutor(2) as pool:
        for _ in range(10):
            end = subject.find_end()
            assert [False, True] == sorted(pool.map(race, [end, end], [b'"a"', b'"b"']))
            assert end.number + 1 == subject.find_end().number


@pytest.mark.parametrize("subject", ["memory", "postgres"], indirect=True)
def test_a_key_is_given_once(subject: LogSubject) -> None:
    """An entry is found by its key, and a second one under the key is refused."""
    end = subject.find_end()
    first = subject.make_entry(end, b'{"a":1}', KEY)
    assert subject.log.find_by_key(RUN, KEY) is None
    assert subject.append(first, end.seal)
    end = LogEnd(first.number + 1, first.seal)

    assert not subject.append(subject.make_entry(end, b'{"b":1}', KEY), end.seal)
    assert first == subject.log.find_by_key(RUN, KEY)
    assert subject.append(subject.make_entry(end, b'{"b":1}'), end.seal)


def test_a_run_without_a_log_is_an_error(subject: LogSubject) -> None:
    """A run without a log is an error, not an empty log."""
    with pytest.raises(StoreError):
        list(subject.log.read(make_run_id(2), subject.start))
