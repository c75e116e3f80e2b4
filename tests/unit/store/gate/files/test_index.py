import os
import shutil
from collections.abc import Callable
from pathlib import Path
from threading import Timer
from typing import Any

import msgspec
import pytest

from saniwa.store.gate import key_index
from saniwa.store.gate.file_access import GateFolders
from saniwa.store.gate.file_log import FileGateLog
from saniwa.store.gate.key_index import IndexSnapshot
from tests.fakes.gate import make_artifact, make_next_record
from tests.unit.store.gate.files.door_run import RUN, add, read_journal


def test_an_index_gives_what_the_record_gives(
    log: FileGateLog, folders: GateFolders, log_opener: Callable[[], FileGateLog]
) -> None:
    """A run opened with and without its index is the same, with keys and evidence."""
    pieces = [make_artifact(f"{n}.md", kind=f"k{n % 3}") for n in range(40)]
    with log.lock_run(RUN) as passage:
        for n in range(1100):
            record = make_next_record(
                passage.run, artifacts=(pieces[n % 40],), variables={f"v{n % 7}": n}
            )
            passage.append(record)
    log.close()
    assert folders.locate_index(RUN).exists()
    with_index = log_opener()
    add(with_index, 5)
    shown = with_index.load_run(RUN)
    afters = (0, 1, 700, 998, 999, 1000, 1050, 1106, 9999)
    tails = [list(with_index.read_entries(RUN, after)) for after in afters]
    shutil.rmtree(folders.index)
    without = log_opener()

    assert without.load_run(RUN) == shown
    entries = list(without.read_entries(RUN))
    assert tails == [[e for e in entries if e.revision > after] for after in afters]
    assert list(shown.list_artifacts()) == list(without.load_run(RUN).list_artifacts())
    for key in ("key-2", "key-777", "key-1106", "key-9999"):
        with with_index.lock_run(RUN) as one:
            found = one.find_by_key(key)
        with without.lock_run(RUN) as other:
            assert found == other.find_by_key(key)


def _spoil_nothing(path: Path) -> None:
    path.unlink()


def _spoil_byte(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))


def _spoil_cut(path: Path) -> None:
    os.truncate(path, 500)


def _spoil_all(path: Path) -> None:
    path.write_bytes(b"")


@pytest.mark.parametrize("spoil", [_spoil_nothing, _spoil_byte, _spoil_cut, _spoil_all])
def test_a_damaged_index_is_made_again(
    log: FileGateLog,
    folders: GateFolders,
    log_opener: Callable[[], FileGateLog],
    spoil: Callable[[Path], None],
) -> None:
    """A damaged index is rebuilt, with all keys."""
    with log.lock_run(RUN) as passage:
        for _ in range(1100):
            passage.append(make_next_record(passage.run))
    log.close()
    good = folders.locate_index(RUN).read_bytes()
    spoil(folders.locate_index(RUN))
    log = log_opener()
    with log.lock_run(RUN) as passage:
        found = passage.find_by_key("key-3")
    log.close()

    assert found is not None
    assert 3 == found.revision
    assert good == folders.locate_index(RUN).read_bytes()


def test_an_index_of_another_past_is_not_believed(
    log: FileGateLog, folders: GateFolders, log_opener: Callable[[], FileGateLog]
) -> None:
    """An index that does not match the journal is ignored."""
    with log.lock_run(RUN) as passage:
        for _ in range(1100):
            passage.append(make_next_record(passage.run))
    log.close()
    older = read_journal(folders)[: sum(map(len, read_journal(folders).splitlines(True)[:9]))]
    folders.locate_journal(RUN).write_bytes(older)
    folders.locate_table(RUN).unlink()
    log = log_opener()

    assert 9 == log.load_run(RUN).revision
    with log.lock_run(RUN) as passage:
        assert passage.find_by_key("key-900") is None


@pytest.fixture
def index_snapshot(log: FileGateLog, folders: GateFolders) -> IndexSnapshot:
    """The index of a closed run of 1101 events."""
    with log.lock_run(RUN) as passage:
        for _ in range(1100):
            passage.append(make_next_record(passage.run))
    log.close()
    found = key_index.read_index(folders.locate_index(RUN), RUN)
    assert found is not None
    return found


def _encode_numbers(*numbers: int) -> bytes:
    return b"".join(number.to_bytes(8, "little") for number in numbers)


def _change_index(known: IndexSnapshot, change: str) -> IndexSnapshot:
    """An index with a valid hash and impossible content."""
    point, replace = known.point, msgspec.structs.replace
    turned = bytes(reversed(known.hashes))
    pieces: dict[str, dict[str, Any]] = {
        "nine bytes": {"hashes": b"123456789"},
        "unequal": {"starts": known.starts[8:]},
        "starts beyond": {"starts": _encode_numbers(point.end) + known.starts[8:]},
        "start of 2**63": {"starts": _encode_numbers(1 << 63) * (len(known.starts) // 8)},
        "out of order": {"hashes": turned},
        "wrong starts": {"starts": known.starts[-8:] * (len(known.starts) // 8)},
        "within lines": {"starts": _encode_numbers(7) * (len(known.starts) // 8)},
        "mark of 2**63": {"marks": [(1, 1 << 63, b"")]},
        "mark before": {"marks": [(1, -1, b"")]},
        "point of 2**63": {"point": replace(point, start=(1 << 63) - 1, end=1 << 63)},
        "point before": {"point": replace(point, start=-1)},
        "size before": {"point": replace(point, size=-1)},
        "no text": {"standing": b'{"run_id":"\xff"}'},
        "another run": {"standing": known.standing.replace(b"run-0", b"run-1", 1)},
        "another version": {"version": 2},
        "deep standing": {"standing": b'{"x":' + b"[" * 100_000},
    }
    return replace(known, **pieces[change])


@pytest.mark.parametrize(
    "change",
    [
        "nine bytes",
        "unequal",
        "starts beyond",
        "start of 2**63",
        "out of order",
        "wrong starts",
        "within lines",
        "mark of 2**63",
        "mark before",
        "point of 2**63",
        "point before",
        "size before",
        "no text",
        "another run",
        "another version",
        "deep standing",
    ],
)
def test_an_impossible_index_is_made_again(
    index_snapshot: IndexSnapshot,
    folders: GateFolders,
    log_opener: Callable[[], FileGateLog],
    change: str,
) -> None:
    """An impossible index with a valid hash is rebuilt, with all keys."""
    key_index.write_index(folders.locate_index(RUN), _change_index(index_snapshot, change))
    log = log_opener()
    with log.lock_run(RUN) as passage:
        found = passage.find_by_key("key-3")
    entries = [entry.revision for entry in log.read_entries(RUN, after=1)]
    log.close()

    assert found is not None
    assert 3 == found.revision
    assert list(range(2, 1102)) == entries
    assert index_snapshot == key_index.read_index(folders.locate_index(RUN), RUN)


def test_a_pipe_in_place_of_the_index_is_not_waited_for(
    index_snapshot: IndexSnapshot, folders: GateFolders, log_opener: Callable[[], FileGateLog]
) -> None:
    """A pipe in place of the index is ignored without waiting."""
    folders.locate_index(RUN).unlink()
    os.mkfifo(folders.locate_index(RUN))
    pipe = folders.locate_index(RUN)
    # Opened for reading and writing, a pipe does not block, and a waiting reader continues.
    rescue = Timer(5, lambda: os.close(os.open(pipe, os.O_RDWR)))
    rescue.start()

    revision = log_opener().load_run(RUN).revision
    waited = not rescue.is_alive()
    rescue.cancel()

    assert not waited
    assert index_snapshot.point.count == revision


def test_an_index_that_cannot_be_written_is_done_without(
    log: FileGateLog, folders: GateFolders
) -> None:
    """If the index cannot be written, the run works without it."""
    folders.index.write_bytes(b"no folder")
    with log.lock_run(RUN) as passage:
        for _ in range(1100):
            passage.append(make_next_record(passage.run))
    log.close()

    assert 1101 == log.load_run(RUN).revision
