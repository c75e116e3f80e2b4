import errno
import mmap
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, Thread, Timer
from typing import Any

import msgspec
import pytest

from saniwa.core.clock import FixedClock
from saniwa.core.errors import StoreError
from saniwa.process.definition import hash_of
from saniwa.process.record import Note, Record, start_of
from saniwa.store.gate.entry import pack
from saniwa.store.gate.files import index, place, recall, sealed
from saniwa.store.gate.files import log as gate_log
from saniwa.store.gate.files.folders import GateFolders, is_run_id
from saniwa.store.gate.files.index import Index
from saniwa.store.gate.files.log import FileLog
from saniwa.store.gate.files.table import rows_of
from tests.fakes.gate import artifact, door_process, next_record, opening_record, run_id

RUN = run_id()
DOOR = door_process()
FIRST = opening_record(DOOR)
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def folders(tmp_path: Path) -> GateFolders:
    """The folders of a gate, not made yet."""
    return GateFolders.under(tmp_path / "gate")


@pytest.fixture
def open_log(folders: GateFolders) -> Iterator[Callable[[], FileLog]]:
    """Opens the log as often as asked, and closes each in the end."""
    logs: list[FileLog] = []

    def opened() -> FileLog:
        logs.append(FileLog(folders, patience=0.05, clock=FixedClock()))
        return logs[-1]

    yield opened
    for log in logs:
        log.close()


@pytest.fixture
def log(open_log: Callable[[], FileLog]) -> FileLog:
    """A log with one run, just begun."""
    log = open_log()
    log.create(RUN, FIRST, DOOR)
    return log


def _add(log: FileLog, count: int = 1, run: str = RUN) -> None:
    for _ in range(count):
        with log.passage(run) as passage:
            passage.append(next_record(passage.standing))


def _journal(folders: GateFolders) -> bytes:
    return folders.journal(RUN).read_bytes()


def _rows(log: FileLog) -> bytes:
    return b"".join(rows_of(log.entries(RUN)))


def _codes(log: FileLog) -> list[str]:
    return [finding.code for finding in log.faults(RUN)]


def _wrong(does: Callable[..., object], *arguments: object) -> str:
    with pytest.raises(StoreError) as caught:
        does(*arguments)
    return caught.value.code


# Beginning


def test_a_run_is_a_record_a_table_and_a_definition(
    log: FileLog, folders: GateFolders
) -> None:
    """Beginning a run writes three files, and the record's line carries its seal."""
    sealed_by, line = sealed.line_of(start_of(RUN), pack(FIRST))

    assert line == _journal(folders)
    assert b"".join(rows_of([FIRST])) == folders.table(RUN).read_bytes()
    assert DOOR == log.definition(hash_of(DOOR))
    assert sealed_by.hex() == msgspec.json.decode(line)["seal"]


def test_no_id_leads_out_of_the_folders(log: FileLog, folders: GateFolders) -> None:
    """Only `run-` and a UUIDv7 becomes a path; everything else is refused before."""
    for odd in ("../x", "run-1", RUN.upper(), f"{RUN}\n", RUN.replace("-7", "-4"), ""):
        assert not is_run_id(odd)
        assert "RUN_ID_UNUSABLE" == _wrong(log.create, odd, FIRST, DOOR)
        assert "RUN_NOT_FOUND" == _wrong(log.standing, odd)
        assert "RUN_NOT_FOUND" == _wrong(log.faults, odd)
    for odd in ("../../x", "A" * 64, ""):
        assert "DEFINITION_MISSING" == _wrong(log.definition, odd)
    files = [path for path in folders.runs.parent.rglob("*") if path.is_file()]
    assert 3 == len(files)


def test_a_table_without_record_takes_the_id(
    log: FileLog, folders: GateFolders
) -> None:
    """No run begins under an id of which a table is left; and that table is reported."""
    folders.journal(RUN).unlink()

    assert "RUN_EXISTS" == _wrong(lambda: log.create(RUN, FIRST, DOOR))
    assert "RECORDS_MISSING" == _wrong(lambda: log.standing(RUN))
    assert "RECORDS_MISSING" == _wrong(lambda: log.passage(RUN).__enter__())
    assert ["RECORDS_MISSING"] == _codes(log)
    assert [RUN] == list(log.runs())


@pytest.mark.parametrize("kept", [0, 1, 40, -2])
def test_a_beginning_that_a_crash_stopped_is_no_run(
    log: FileLog, folders: GateFolders, kept: int
) -> None:
    """Without a whole first line there is no run; the list goes on, and `faults` says so."""
    log.create(run_id(2), FIRST, DOOR)
    content = _journal(folders)[:kept]
    folders.table(RUN).unlink()
    folders.journal(RUN).write_bytes(content)

    assert [run_id(2)] == list(log.runs())
    assert "RUN_NOT_FOUND" == _wrong(lambda: log.standing(RUN))
    assert "TRACE_CORRUPT" in _codes(log)
    assert content == _journal(folders)


def test_a_record_without_table_gets_one(log: FileLog, folders: GateFolders) -> None:
    """A crash between record and table leaves a run, whose table is made on opening."""
    folders.table(RUN).unlink()

    assert [RUN] == list(log.runs())
    assert 1 == log.standing(RUN).revision
    assert _rows(log) == folders.table(RUN).read_bytes()
    assert ["LOG_MENDED"] == [finding.code for finding in log.mended]


def test_foreign_files_are_no_runs(log: FileLog, folders: GateFolders) -> None:
    """What lies in the folders under another name is left alone."""
    for name in ("notes.csv", f"{RUN}.csv.bak", ".DS_Store", f"x{RUN}.csv"):
        (folders.runs / name).write_text("x")

    assert [RUN] == list(log.runs())


def test_a_definition_is_what_its_hash_says(log: FileLog, folders: GateFolders) -> None:
    """A definition that was edited in its place is not given out, and faults name it."""
    path = folders.definition(hash_of(DOOR))
    path.write_bytes(path.read_bytes().replace(b"A door", b"A gate"))

    assert "DEFINITION_MISSING" == _wrong(lambda: log.definition(hash_of(DOOR)))
    assert ["DEFINITION_MISSING"] == _codes(log)

    log.keep_definition(DOOR)
    assert DOOR == log.definition(hash_of(DOOR))


# Crashes


def _torn(folders: GateFolders, tail: bytes) -> None:
    with folders.journal(RUN).open("ab") as stream:
        stream.write(tail)


@pytest.mark.parametrize(
    "tail",
    [b'{"seal":"ab', b"\0" * 600, b"\n" * 700 + b'x":1}\n', b'{"a":\n\n\n', b"\xff\n"],
    ids=["torn", "nul", "beyond room", "in room", "bytes"],
)
def test_a_torn_line_is_cut_and_told(
    log: FileLog, folders: GateFolders, open_log: Callable[[], FileLog], tail: bytes
) -> None:
    """What a crash left after the last record is cut on opening, told, and noted."""
    _add(log, 3)
    log.close()
    whole = _journal(folders)
    _torn(folders, tail)
    found = _codes(log)
    log = open_log()
    _add(log)

    assert ["TRACE_CORRUPT"] == found
    assert ["LOG_MENDED"] == [finding.code for finding in log.mended]
    assert f"{len(tail)} bytes" in log.mended[0].message
    assert _journal(folders).startswith(whole)
    notes = [entry for entry in log.entries(RUN) if isinstance(entry, Note)]
    assert [log.mended[0].message] == [note.message for note in notes]
    assert (5, []) == (log.standing(RUN).revision, _codes(log))


def test_a_bad_byte_in_an_acknowledged_line_is_no_torn_line(
    log: FileLog, folders: GateFolders, open_log: Callable[[], FileLog]
) -> None:
    """Whichever byte of the last line a disk spoils, the event is not cut away."""
    _add(log, 2)
    log.close()
    whole = _journal(folders)
    table = folders.table(RUN).read_bytes()
    last = whole.rindex(b"\n", 0, -1) + 1
    for at in range(last, len(whole)):
        spoilt = whole[:at] + bytes([whole[at] ^ 2]) + whole[at + 1 :]
        folders.journal(RUN).write_bytes(spoilt)

        assert "TRACE_CORRUPT" == _wrong(open_log().standing, RUN)
        assert "TRACE_CORRUPT" == _wrong(_add, open_log())
        assert spoilt == _journal(folders)
    assert table == folders.table(RUN).read_bytes()


def test_a_first_line_with_a_row_is_no_torn_beginning(
    log: FileLog, folders: GateFolders, open_log: Callable[[], FileLog]
) -> None:
    """A run whose only line is spoilt is said to be spoilt, not to be missing."""
    log.close()
    spoilt = _journal(folders).replace(b'"kind"', b'"kind')
    folders.journal(RUN).write_bytes(spoilt)

    assert "TRACE_CORRUPT" == _wrong(open_log().standing, RUN)
    assert spoilt == _journal(folders)


def test_a_spoilt_line_of_another_is_not_cut_by_who_goes_on(
    log: FileLog, folders: GateFolders, open_log: Callable[[], FileLog]
) -> None:
    """A log that stays open leaves what another kept, though it is spoilt since."""
    _add(log, 2)
    before = len(_journal(folders))
    _add(open_log())
    content = bytearray(_journal(folders))
    content[before] ^= 0x80
    folders.journal(RUN).write_bytes(content)

    assert "TRACE_CORRUPT" == _wrong(_add, log)
    assert bytes(content) == _journal(folders)


def test_a_reader_mends_as_a_writer_does(
    log: FileLog, folders: GateFolders, open_log: Callable[[], FileLog]
) -> None:
    """Reading the state after a crash leaves whole files behind."""
    _add(log, 2)
    log.close()
    _torn(folders, b'{"seal":"')
    folders.table(RUN).write_bytes(b"")
    log = open_log()

    assert 3 == log.standing(RUN).revision
    assert [] == _codes(log)
    assert ["LOG_MENDED"] * 2 == [finding.code for finding in log.mended]


def test_a_torn_line_of_somebody_who_died_is_cut_by_who_goes_on(
    log: FileLog, folders: GateFolders
) -> None:
    """A log that stays open sees what another left half written, and goes on after it."""
    _add(log, 20)
    end = len(_journal(folders).rstrip(b"\n")) + 1
    fd = os.open(folders.journal(RUN), os.O_RDWR)
    os.pwrite(fd, b'{"seal":"00', end)
    os.close(fd)
    _add(log)

    assert (22, []) == (log.standing(RUN).revision, _codes(log))
    assert ["LOG_MENDED"] == [finding.code for finding in log.mended]


def test_the_record_of_somebody_who_died_counts(
    log: FileLog, open_log: Callable[[], FileLog], folders: GateFolders
) -> None:
    """A whole record that was written and never acknowledged is taken in, row and key."""
    other = open_log()
    _add(log, 2)
    _add(other)
    size = folders.table(RUN).stat().st_size
    _add(other)
    os.truncate(folders.table(RUN), size)
    with log.passage(RUN) as passage:
        assert 5 == passage.standing.revision
        found = passage.kept("key-5")

    assert found is not None
    assert 5 == found.revision
    assert [] == _codes(log)


def test_a_lost_line_end_is_given_back(
    log: FileLog, folders: GateFolders, open_log: Callable[[], FileLog]
) -> None:
    """A record that lacks nothing but its line end is not cut."""
    _add(log, 2)
    log.close()
    whole = _journal(folders)
    folders.journal(RUN).write_bytes(whole[:-1])
    log = open_log()

    assert 3 == log.standing(RUN).revision
    assert whole == _journal(folders)
    assert [] == _codes(log)


def test_a_changed_record_stops_everything(
    log: FileLog, folders: GateFolders, open_log: Callable[[], FileLog]
) -> None:
    """A whole line whose seal does not fit is an error with its line; nothing is cut."""
    _add(log, 3)
    log.close()
    changed = _journal(folders).replace(b"key-3", b"key-9")
    folders.journal(RUN).write_bytes(changed)
    log = open_log()

    with pytest.raises(StoreError) as caught:
        log.standing(RUN)
    assert ("TRACE_CORRUPT", 3) == (caught.value.code, caught.value.details["line"])
    assert "TRACE_CORRUPT" == _wrong(lambda: _add(log))
    assert ["TRACE_CORRUPT"] == _codes(log)
    assert changed == _journal(folders)


def test_a_record_fits_no_other_run(
    log: FileLog, folders: GateFolders, open_log: Callable[[], FileLog]
) -> None:
    """A run that was copied under another id is seen at its first line."""
    _add(log, 2)
    log.close()
    for path in (folders.journal, folders.table):
        shutil.copy(path(RUN), path(run_id(2)))
    log = open_log()

    for does in (log.standing, lambda run: _add(log, run=run)):
        with pytest.raises(StoreError) as caught:
            does(run_id(2))
        assert ("TRACE_CORRUPT", 1) == (caught.value.code, caught.value.details["line"])
    assert ["TRACE_CORRUPT"] == [finding.code for finding in log.faults(run_id(2))]
    assert 3 == log.standing(RUN).revision


def test_a_broken_line_before_whole_ones_is_no_torn_one(
    log: FileLog, folders: GateFolders, open_log: Callable[[], FileLog]
) -> None:
    """Garbage in the middle is never cut away with what follows it."""
    _add(log, 3)
    log.close()
    lines = _journal(folders).split(b"\n")
    lines[2] = b"\0" * len(lines[2])
    content = b"\n".join(lines)
    folders.journal(RUN).write_bytes(content)

    assert "TRACE_CORRUPT" == _wrong(lambda: open_log().standing(RUN))
    assert content == _journal(folders)


def test_a_record_out_of_order_is_seen_though_its_seal_fits(
    folders: GateFolders, open_log: Callable[[], FileLog]
) -> None:
    """A gap in the revisions is an error, even if somebody sealed it anew."""
    log = open_log()
    log.create(RUN, FIRST, DOOR)
    before, line = sealed.line_of(start_of(RUN), pack(FIRST))
    odd = next_record(log.standing(RUN), revision=4)
    _torn(folders, sealed.line_of(before, pack(odd))[1])
    log.close()

    assert "TRACE_CORRUPT" == _wrong(lambda: log.standing(RUN))
    assert ["TRACE_CORRUPT"] == _codes(log)
    assert line == _journal(folders)[: len(line)]


def test_a_row_that_no_record_explains_stops_writing(
    log: FileLog, folders: GateFolders
) -> None:
    """A table with a foreign row is an error, and stays as it is."""
    with folders.table(RUN).open("ab") as stream:
        stream.write(b"2026-01-01T00:00:00Z,open,2,open,k,\r\n")
    content = folders.table(RUN).read_bytes()

    assert "LOG_DIVERGED" == _wrong(lambda: _add(log))
    assert "LOG_DIVERGED" == _wrong(lambda: log.standing(RUN))
    assert ["LOG_DIVERGED"] == _codes(log)
    assert content == folders.table(RUN).read_bytes()

    folders.table(RUN).unlink()
    _add(log)
    assert [] == _codes(log)


def test_faults_see_what_size_does_not(log: FileLog, folders: GateFolders) -> None:
    """A row changed without changing the table's size is found by looking it over."""
    _add(log, 2)
    content = folders.table(RUN).read_bytes().replace(b"knock", b"knack", 1)
    folders.table(RUN).write_bytes(content)

    (finding,) = log.faults(RUN)
    assert ("LOG_DIVERGED", 3) == (finding.code, finding.where.line)


def test_faults_mend_nothing(log: FileLog, folders: GateFolders) -> None:
    """Looking a run over leaves every byte where it is."""
    _add(log, 3)
    log.close()
    os.truncate(folders.table(RUN), 100)
    _torn(folders, b"{")
    before = (_journal(folders), folders.table(RUN).read_bytes())

    assert ["TRACE_CORRUPT", "LOG_BEHIND"] == _codes(log)
    assert before == (_journal(folders), folders.table(RUN).read_bytes())


@pytest.mark.parametrize("other", [b"key-X", b"key-\xff", b'k","k'])
@pytest.mark.parametrize("soon", [4096, 1], ids=["by name", "in the index"])
def test_a_key_that_was_changed_under_an_open_log_is_not_free(
    log: FileLog,
    folders: GateFolders,
    monkeypatch: pytest.MonkeyPatch,
    soon: int,
    other: bytes,
) -> None:
    """Changed in memory, no time of a file tells: the key is still not used twice."""
    monkeypatch.setattr(recall, "_STAYING", (soon, 1 << 30))
    _add(log, 5)
    size = folders.journal(RUN).stat().st_size
    with (
        folders.journal(RUN).open("r+b") as stream,
        mmap.mmap(stream.fileno(), size) as memory,
    ):
        at = memory.find(b"key-3")
        memory[at : at + 5] = other
    for _ in range(2):
        with log.passage(RUN) as passage:
            again = next_record(passage.standing, key="key-3")
            with pytest.raises(StoreError) as kept:
                passage.kept("key-3")
            with pytest.raises(StoreError) as added:
                passage.append(again)

        assert "TRACE_CORRUPT" == kept.value.code == added.value.code
        assert 3 == kept.value.details["line"]
    assert 6 == _journal(folders).rstrip(b"\n").count(b"\n") + 1


# Limits


def test_a_record_of_a_megabyte_is_refused(log: FileLog, folders: GateFolders) -> None:
    """What is too large is refused before anything is written."""
    before = _journal(folders)
    with log.passage(RUN) as passage:
        huge = next_record(passage.standing, payload={"x": "y" * 1_000_000})
        with pytest.raises(StoreError) as caught:
            passage.append(huge)
        passage.append(next_record(passage.standing, payload={"x": "y" * 999_000}))

    assert "RECORD_TOO_LARGE" == caught.value.code
    assert _journal(folders).startswith(before)
    assert (2, []) == (log.standing(RUN).revision, _codes(log))


def test_room_is_made_for_who_stays_and_taken_back(
    log: FileLog, folders: GateFolders
) -> None:
    """A writer that stays writes into empty lines; none are left when it goes."""
    _add(log, 10)
    few = _journal(folders)
    _add(log, 10)
    many = _journal(folders)
    log.close()

    assert few.rstrip(b"\n") + b"\n" == few
    assert len(many) > 200_000
    assert many.rstrip(b"\n") + b"\n" == _journal(folders)
    assert 21 == log.standing(RUN).revision


def test_room_is_no_matter_to_another_log(
    log: FileLog, open_log: Callable[[], FileLog], folders: GateFolders
) -> None:
    """Two logs write in turns, one makes room, one takes it back: all is kept."""
    other = open_log()
    for _ in range(30):
        _add(log)
        _add(other)
    other.close()
    _add(log, 20)
    log.close()

    assert (81, []) == (log.standing(RUN).revision, _codes(log))
    assert not _journal(folders).endswith(b"\n\n")


def test_only_so_many_runs_are_kept_open(
    log: FileLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many runs are used, only the newest stay open, and every one goes on."""
    monkeypatch.setattr(gate_log, "MOST_OPEN", 3)
    runs = [run_id(n) for n in range(2, 12)]
    for run in runs:
        log.create(run, FIRST, DOOR)
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(2):
        for run in runs:
            _add(log, run=run)

    assert len(list(Path("/proc/self/fd").iterdir())) - before <= 6
    assert {3} == {log.standing(run).revision for run in runs}


def test_a_run_that_is_held_may_be_pushed_out(
    log: FileLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever holds a run while others are opened finishes, and lets its files go."""
    monkeypatch.setattr(gate_log, "MOST_OPEN", 1)
    log.create(run_id(2), FIRST, DOOR)
    before = len(list(Path("/proc/self/fd").iterdir()))
    with log.passage(RUN) as passage:
        _add(log, run=run_id(2))
        passage.append(next_record(passage.standing))

    assert 2 == log.standing(RUN).revision
    assert len(list(Path("/proc/self/fd").iterdir())) - before <= 2


# The index


def test_an_index_gives_what_the_record_gives(
    log: FileLog, folders: GateFolders, open_log: Callable[[], FileLog]
) -> None:
    """Opened with an index or without, the run stands the same, keys and evidence too."""
    pieces = [artifact(f"{n}.md", kind=f"k{n % 3}") for n in range(40)]
    with log.passage(RUN) as passage:
        for n in range(1100):
            record = next_record(
                passage.standing,
                artifacts=(pieces[n % 40],),
                variables={f"v{n % 7}": n},
            )
            passage.append(record)
    log.close()
    assert folders.index_of(RUN).exists()
    with_index = open_log()
    _add(with_index, 5)
    shown = with_index.standing(RUN)
    afters = (0, 1, 700, 998, 999, 1000, 1050, 1106, 9999)
    tails = [list(with_index.entries(RUN, after)) for after in afters]
    shutil.rmtree(folders.index)
    without = open_log()

    assert without.standing(RUN) == shown
    entries = list(without.entries(RUN))
    assert tails == [[e for e in entries if e.revision > after] for after in afters]
    assert list(shown.evidence()) == list(without.standing(RUN).evidence())
    for key in ("key-2", "key-777", "key-1106", "key-9999"):
        with with_index.passage(RUN) as one:
            found = one.kept(key)
        with without.passage(RUN) as other:
            assert found == other.kept(key)


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
def test_a_spoilt_index_is_made_again(
    log: FileLog,
    folders: GateFolders,
    open_log: Callable[[], FileLog],
    spoil: Callable[[Path], None],
) -> None:
    """Whatever happens to the index, no key is forgotten."""
    with log.passage(RUN) as passage:
        for _ in range(1100):
            passage.append(next_record(passage.standing))
    log.close()
    good = folders.index_of(RUN).read_bytes()
    spoil(folders.index_of(RUN))
    log = open_log()
    with log.passage(RUN) as passage:
        found = passage.kept("key-3")
    log.close()

    assert found is not None
    assert 3 == found.revision
    assert good == folders.index_of(RUN).read_bytes()


def test_an_index_of_another_past_is_not_believed(
    log: FileLog, folders: GateFolders, open_log: Callable[[], FileLog]
) -> None:
    """An index whose point the record does not bear out is put aside."""
    with log.passage(RUN) as passage:
        for _ in range(1100):
            passage.append(next_record(passage.standing))
    log.close()
    older = _journal(folders)[: sum(map(len, _journal(folders).splitlines(True)[:9]))]
    folders.journal(RUN).write_bytes(older)
    folders.table(RUN).unlink()
    log = open_log()

    assert 9 == log.standing(RUN).revision
    with log.passage(RUN) as passage:
        assert passage.kept("key-900") is None


@pytest.fixture
def indexed(log: FileLog, folders: GateFolders) -> Index:
    """The index of a run of 1101 events, let go of."""
    with log.passage(RUN) as passage:
        for _ in range(1100):
            passage.append(next_record(passage.standing))
    log.close()
    found = index.read(folders.index_of(RUN), RUN)
    assert found is not None
    return found


def _numbers(*numbers: int) -> bytes:
    return b"".join(number.to_bytes(8, "little") for number in numbers)


def _changed(known: Index, change: str) -> Index:
    """An index that fits its own hash, and is none that we write."""
    point, replace = known.point, msgspec.structs.replace
    turned = bytes(reversed(known.hashes))
    pieces: dict[str, dict[str, Any]] = {
        "nine bytes": {"hashes": b"123456789"},
        "unequal": {"starts": known.starts[8:]},
        "starts beyond": {"starts": _numbers(point.end) + known.starts[8:]},
        "start of 2**63": {"starts": _numbers(1 << 63) * (len(known.starts) // 8)},
        "out of order": {"hashes": turned},
        "wrong starts": {"starts": known.starts[-8:] * (len(known.starts) // 8)},
        "within lines": {"starts": _numbers(7) * (len(known.starts) // 8)},
        "mark of 2**63": {"marks": [(1, 1 << 63, b"")]},
        "mark before": {"marks": [(1, -1, b"")]},
        "point of 2**63": {"point": replace(point, start=(1 << 63) - 1, end=1 << 63)},
        "point before": {"point": replace(point, start=-1)},
        "size before": {"point": replace(point, size=-1)},
        "no text": {"standing": b'{"run_id":"\xff"}'},
        "another run": {"standing": known.standing.replace(b"run-0", b"run-1", 1)},
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
        "deep standing",
    ],
)
def test_an_index_that_nobody_would_write_is_made_again(
    indexed: Index, folders: GateFolders, open_log: Callable[[], FileLog], change: str
) -> None:
    """Though it fits its hash, what cannot be is thrown away, and no key is forgotten."""
    index.write(folders.index_of(RUN), _changed(indexed, change))
    log = open_log()
    with log.passage(RUN) as passage:
        found = passage.kept("key-3")
    entries = [entry.revision for entry in log.entries(RUN, after=1)]
    log.close()

    assert found is not None
    assert 3 == found.revision
    assert list(range(2, 1102)) == entries
    assert indexed == index.read(folders.index_of(RUN), RUN)


def test_a_pipe_in_place_of_the_index_is_not_waited_for(
    indexed: Index, folders: GateFolders, open_log: Callable[[], FileLog]
) -> None:
    """An index is a file, or there is none."""
    folders.index_of(RUN).unlink()
    os.mkfifo(folders.index_of(RUN))
    pipe = folders.index_of(RUN)
    # Read and written at once, a pipe opens without waiting, and whoever waits goes on.
    rescue = Timer(5, lambda: os.close(os.open(pipe, os.O_RDWR)))
    rescue.start()

    revision = open_log().standing(RUN).revision
    waited = not rescue.is_alive()
    rescue.cancel()

    assert not waited
    assert indexed.point.count == revision


def test_an_index_that_cannot_be_written_is_done_without(
    log: FileLog, folders: GateFolders
) -> None:
    """Where no index can be written, everything goes on without one."""
    folders.index.write_bytes(b"no folder")
    with log.passage(RUN) as passage:
        for _ in range(1100):
            passage.append(next_record(passage.standing))
    log.close()

    assert 1101 == log.standing(RUN).revision


# Locks


def test_a_held_run_is_told_after_a_while(
    log: FileLog, open_log: Callable[[], FileLog]
) -> None:
    """Another log waits for a held run only so long; nothing is written meanwhile."""
    other = open_log()
    with log.passage(RUN):
        assert "LOCK_TIMEOUT" == _wrong(lambda: _add(other))
        assert "LOCK_TIMEOUT" == _wrong(lambda: other.standing(RUN))
        assert "LOCK_TIMEOUT" == _wrong(lambda: _add(log))
    _add(other)

    assert 2 == log.standing(RUN).revision


def test_a_passage_that_fails_lets_go(log: FileLog) -> None:
    """Whatever goes wrong inside, the next one passes."""
    with pytest.raises(ZeroDivisionError), log.passage(RUN):
        raise ZeroDivisionError
    _add(log)

    assert 2 == log.standing(RUN).revision


def test_a_record_that_was_replaced_is_opened_again(
    log: FileLog, folders: GateFolders
) -> None:
    """A file brought back from a copy is read anew, not written beside."""
    _add(log)
    copy = folders.journal(RUN).with_suffix(".copy")
    shutil.copy(folders.journal(RUN), copy)
    copy.replace(folders.journal(RUN))
    _add(log)

    assert (3, []) == (log.standing(RUN).revision, _codes(log))


def test_a_restore_that_keeps_the_times_is_seen_by_who_stays(
    log: FileLog,
    folders: GateFolders,
    monkeypatch: pytest.MonkeyPatch,
    open_log: Callable[[], FileLog],
) -> None:
    """After files and times were brought back, no event goes into a file without a name."""
    monkeypatch.setattr(place, "TRUSTED", 0)
    folder = folders.metadata
    _settle(log, folder)
    times = folder.stat()
    copy = shutil.copy2(folders.journal(RUN), folders.runs / "copy")
    folders.journal(RUN).unlink()
    shutil.copy2(copy, folders.journal(RUN))
    os.utime(folder, ns=(times.st_atime_ns, times.st_mtime_ns))
    Path(copy).unlink()
    _add(log)

    revision = log.standing(RUN).revision
    assert revision == open_log().standing(RUN).revision
    assert _journal(folders).rstrip(b"\n").count(b"\n") + 1 == revision


def _settle(log: FileLog, folder: Path) -> None:
    """Add events until the folder's time alone tells that nothing was moved in it."""
    os.utime(folder, ns=(0, 0))
    until = time.monotonic() + 10
    while True:
        _add(log)
        files = log._holds[RUN]._files
        assert files is not None
        if files.journal._place.settled:
            return
        assert time.monotonic() < until


def test_a_record_that_was_overwritten_is_read_again(
    log: FileLog, folders: GateFolders
) -> None:
    """A copy written over the record in its place leaves no hole behind it."""
    _add(log)
    older = _journal(folders)
    _add(log, 5)
    folders.journal(RUN).write_bytes(older)
    os.truncate(folders.table(RUN), len(b"".join(rows_of([FIRST]))))
    _add(log)

    assert (3, []) == (log.standing(RUN).revision, _codes(log))


def test_a_table_that_was_replaced_gets_the_rows(
    log: FileLog, folders: GateFolders, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows go to the file that has the name, not to one that had it."""
    monkeypatch.setattr(place, "TRUSTED", 0)
    _add(log, 2)
    copy = folders.table(RUN).with_suffix(".copy")
    shutil.copy(folders.table(RUN), copy)
    copy.replace(folders.table(RUN))
    _add(log)
    assert _rows(log) == folders.table(RUN).read_bytes()
    assert [] == log.mended
    folders.table(RUN).unlink()
    _add(log)

    assert _rows(log) == folders.table(RUN).read_bytes()
    assert (5, []) == (log.standing(RUN).revision, _codes(log))


def test_a_forked_child_shares_no_lock(log: FileLog) -> None:
    """What a child holds its parent does not, though the files were open before the fork."""
    _add(log)
    held, holding = os.pipe()
    waiting, done = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(done)
            with log.passage(RUN) as passage:
                os.write(holding, b"held")
                os.read(waiting, 1)
                passage.append(next_record(passage.standing))
        finally:
            os._exit(0)
    os.read(held, 4)
    code = _wrong(log.standing, RUN)
    for fd in (done, waiting, held, holding):
        os.close(fd)
    os.waitpid(child, 0)
    _add(log)

    assert "LOCK_TIMEOUT" == code
    assert (4, []) == (log.standing(RUN).revision, _codes(log))


def test_threads_take_turns(log: FileLog) -> None:
    """Eight threads on one log and one run: every revision once."""
    patient = FileLog(log._folders, patience=60)
    started = Event()

    def work() -> None:
        started.wait()
        _add(patient, 20)

    threads = [Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    started.set()
    for thread in threads:
        thread.join()
    patient.close()

    assert (161, []) == (log.standing(RUN).revision, _codes(log))


# When the disk says no


def _child(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    prelude = (
        "import os, resource, signal, sys\n"
        "from pathlib import Path\n"
        "from saniwa.core.errors import StoreError\n"
        "from saniwa.store.gate.files.folders import GateFolders\n"
        "from saniwa.store.gate.files.log import FileLog\n"
        "from tests.fakes.gate import door_process, next_record, opening_record, run_id\n"
        "log = FileLog(GateFolders.under(Path(sys.argv[1])), patience=0.05)\n"
    )
    return subprocess.run(
        [sys.executable, "-c", prelude + script, str(folder)],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


_FILL = """
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (MOST, MOST))
try:
    while True:
        with log.passage(run_id()) as passage:
            passage.append(next_record(passage.standing, payload={"x": "y" * LETTERS}))
            print(passage.standing.revision, flush=True)
except StoreError as problem:
    print(problem.code)
print(log.standing(run_id()).revision, *[f.code for f in log.mended])
"""


@pytest.mark.parametrize(("limit", "size"), [(40_000, 10), (300_000, 700), (9_000, 1)])
def test_a_full_disk_is_told_and_nothing_acknowledged_is_lost(
    log: FileLog, folders: GateFolders, limit: int, size: int
) -> None:
    """When a file may grow no more, the writer is told; all that was said to be kept is."""
    script = _FILL.replace("MOST", str(limit)).replace("LETTERS", str(size))
    done = _child(script, folders.runs.parent)
    assert "" == done.stderr
    *acknowledged, code, last = done.stdout.split("\n")[:-1]

    assert "TRACE_UNWRITABLE" == code
    assert len(acknowledged) > 10
    assert acknowledged[-1] == last.split()[0]
    assert int(acknowledged[-1]) == log.standing(RUN).revision
    assert [] == _codes(log)


def test_a_disk_that_is_full_from_the_start_begins_no_run(folders: GateFolders) -> None:
    """A run that cannot be written whole leaves nothing that looks like one."""
    done = _child(
        "log.keep_definition(door_process())\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
        "process = door_process()\n"
        "try:\n"
        "    log.create(run_id(), opening_record(process), process)\n"
        "except StoreError as problem:\n"
        "    print(problem.code, *log.runs())\n",
        folders.runs.parent,
    )

    assert "TRACE_UNWRITABLE\n" == done.stdout, done.stderr
    assert [] == [*folders.runs.iterdir(), *folders.metadata.iterdir()]


def test_a_table_without_room_is_behind_until_there_is(
    log: FileLog, folders: GateFolders
) -> None:
    """An event whose row finds no room is kept; the next waits until the table is whole."""
    _add(log)
    table = folders.table(RUN)
    full = table.read_bytes()
    with log.passage(RUN) as passage:
        # The open table is put in place of one that takes nothing.
        full_disk = os.open("/dev/full", os.O_RDWR)
        os.dup2(full_disk, log._holds[RUN]._files._table._fd)  # type: ignore[union-attr]
        os.close(full_disk)
        passage.append(next_record(passage.standing))
    behind = [finding.code for finding in log.mended]

    assert ["LOG_BEHIND"] == behind
    assert full == table.read_bytes()
    assert 3 == log.standing(RUN).revision
    assert _rows(log) == table.read_bytes()


def test_a_failed_sync_leaves_nobody_sure(
    log: FileLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the disk cannot say that it has the record, neither do we; then all is read anew."""
    _add(log)

    def fail(_: int) -> None:
        raise OSError(5, "Input/output error")

    with log.passage(RUN) as passage, monkeypatch.context() as patch:
        patch.setattr(os, "fdatasync", fail)
        with pytest.raises(StoreError) as caught:
            passage.append(next_record(passage.standing))
        links = Path("/proc/self/fd").iterdir()
        still_open = [fd for fd in links if str(fd.resolve()).endswith(".jsonl")]
    _add(log)

    assert [] == still_open
    assert ("LOG_UNCERTAIN", True) == (caught.value.code, caught.value.recoverable)
    assert (3, []) == (log.standing(RUN).revision, _codes(log))


def test_a_short_write_keeps_nothing(
    log: FileLog, monkeypatch: pytest.MonkeyPatch, folders: GateFolders
) -> None:
    """A disk that takes half a record is told apart from one that takes it."""
    real = os.pwrite
    before = _journal(folders)
    with log.passage(RUN) as passage:
        with monkeypatch.context() as patch:
            patch.setattr(
                os, "pwrite", lambda fd, b, at: real(fd, b[: len(b) // 2], at)
            )
            with pytest.raises(StoreError) as caught:
                passage.append(next_record(passage.standing))
        assert 1 == passage.standing.revision

    assert "TRACE_UNWRITABLE" == caught.value.code
    assert before == _journal(folders)


@pytest.mark.parametrize("torn", [b"", b"{"], ids=["whole", "torn"])
def test_a_read_only_folder_is_read_and_not_written(
    log: FileLog, folders: GateFolders, torn: bytes
) -> None:
    """Without the right to write, the state is told and an event is refused by name."""
    _add(log, 2)
    log.close()
    _torn(folders, torn)
    # Somebody else must get there, and the folders of tests are their owner's alone.
    with tempfile.TemporaryDirectory() as outside:
        Path(outside).chmod(0o755)
        top = Path(outside) / "gate"
        shutil.copytree(folders.runs.parent, top)
        for path in [*top.rglob("*"), top]:
            path.chmod(0o555 if path.is_dir() else 0o444)
        done = _child(
            "if os.geteuid() == 0:\n    os.setresuid(65534, 65534, 65534)\n"
            "print(log.standing(run_id()).revision, len(list(log.entries(run_id()))))\n"
            "print(len(log.faults(run_id())), *log.runs())\n"
            "for call in (lambda: log.passage(run_id()).__enter__(),\n"
            "             lambda: log.create(run_id(2), opening_record(door_process()),"
            " door_process())):\n"
            "    try:\n"
            "        call()\n"
            "    except StoreError as problem:\n"
            "        print(problem.code)\n"
            "log.close()\n",
            top,
        )
        for path in [top, *top.rglob("*")]:
            path.chmod(0o755)

    expected = ["3 3", f"{len(torn)} {RUN}", "TRACE_UNWRITABLE", "TRACE_UNWRITABLE", ""]
    assert expected == done.stdout.split("\n"), done.stderr


def _folder(path: Path) -> None:
    path.mkdir()


@pytest.mark.parametrize("put", [_folder, os.mkfifo])
@pytest.mark.parametrize("which", ["journal", "table"])
def test_what_is_no_file_is_told_as_unreadable(
    log: FileLog,
    folders: GateFolders,
    open_log: Callable[[], FileLog],
    which: str,
    put: Callable[[Path], None],
) -> None:
    """A folder or a pipe in place of a run's file is an error of ours, at every door."""
    _add(log)
    path = folders.journal(RUN) if which == "journal" else folders.table(RUN)
    path.unlink()
    put(path)

    for each in (log, open_log()):
        for ask in (each.standing, each.faults, each.entries):
            assert "STORE_UNREADABLE" == _wrong(ask, RUN)
        assert _wrong(_add, each) in ("STORE_UNREADABLE", "TRACE_UNWRITABLE")


def test_a_read_only_disk_is_told_by_its_name(
    log: FileLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever may write but cannot is not told that permission is missing."""
    log.close()
    real = os.open

    def opened(path: Any, flags: int, *more: Any) -> int:
        if flags & os.O_RDWR:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))
        return real(path, flags, *more)

    monkeypatch.setattr(os, "open", opened)
    with pytest.raises(StoreError) as caught:
        _add(log)

    assert "TRACE_UNWRITABLE" == caught.value.code
    assert caught.value.message.endswith("cannot be written: Read-only file system")
    assert 1 == log.standing(RUN).revision


def test_a_disk_that_fails_to_read_is_told(
    log: FileLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error of the disk comes as ours, with the file's name; then all goes on."""
    _add(log)

    def failing(*_: object) -> bytes:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with monkeypatch.context() as patch, log.passage(RUN) as passage:
        patch.setattr(os, "pread", failing)
        assert "STORE_UNREADABLE" == _wrong(passage.kept, "key-2")
    with monkeypatch.context() as patch:
        patch.setattr(os, "pread", failing)
        assert "STORE_UNREADABLE" == _wrong(_add, log)
        assert "STORE_UNREADABLE" == _wrong(log.standing, RUN)
    _add(log)

    assert 3 == log.standing(RUN).revision


def test_a_disk_that_fails_while_entries_are_read_is_told(
    log: FileLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stream of entries that the disk breaks off ends with an error of ours."""
    _add(log, 40)
    entries = log.entries(RUN)
    next(entries)

    def failing(*_: object) -> bytes:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, "pread", failing)
    assert "STORE_UNREADABLE" == _wrong(list, entries)


def test_a_folder_that_cannot_be_asked_is_told(
    tmp_path: Path, folders: GateFolders
) -> None:
    """Where nobody can say whether there is a table, no run begins and none is denied."""
    odd = msgspec.structs.replace(folders, runs=tmp_path / ("x" * 300))
    log = FileLog(odd)

    assert "STORE_UNREADABLE" == _wrong(log.create, RUN, FIRST, DOOR)
    assert "STORE_UNREADABLE" == _wrong(log.standing, RUN)


def test_a_stopped_process_that_holds_a_run_is_waited_for_only_so_long(
    log: FileLog, folders: GateFolders
) -> None:
    """A holder that is stopped is told about; once it is killed, the run goes on."""
    script = (
        "from saniwa.store.gate.files.folders import GateFolders\n"
        "from saniwa.store.gate.files.log import FileLog\n"
        "from tests.fakes.gate import run_id\n"
        "import os, pathlib, signal, sys\n"
        "log = FileLog(GateFolders.under(pathlib.Path(sys.argv[1])))\n"
        "with log.passage(run_id()):\n"
        "    print('held', flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGSTOP)\n"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", script, str(folders.runs.parent)],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert holder.stdout is not None
        assert "held\n" == holder.stdout.readline()
        code = _wrong(lambda: _add(log))
    finally:
        holder.send_signal(signal.SIGKILL)
        holder.communicate()
    _add(log)

    assert "LOCK_TIMEOUT" == code
    assert (2, []) == (log.standing(RUN).revision, _codes(log))


def test_a_replay_of_somebody_elses_event_lasts_before_it_is_answered(
    log: FileLog, open_log: Callable[[], FileLog], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A record that another wrote is synced once, before a replay is answered with it."""
    log.standing(RUN)
    _add(open_log())
    synced: list[int] = []
    monkeypatch.setattr(os, "fdatasync", synced.append)
    with log.passage(RUN) as passage:
        first = passage.kept("key-2")
        again = passage.kept("key-2")

    assert isinstance(first, Record)
    assert first == again
    assert 1 == len(synced)


def test_an_event_is_one_write_of_the_record_and_one_of_the_table(
    log: FileLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line that came in two pieces could be cut in two."""
    _add(log, 3)
    written: list[bytes] = []
    place, write = os.pwrite, os.write

    def placed(fd: int, content: bytes, at: int) -> int:
        written.append(content)
        return place(fd, content, at)

    def appended(fd: int, content: bytes) -> int:
        written.append(content)
        return write(fd, content)

    monkeypatch.setattr(os, "pwrite", placed)
    monkeypatch.setattr(os, "write", appended)

    _add(log)

    assert [True, True] == [b.endswith(b"\n") for b in written]
    assert [b"{", b"2"] == [b[:1] for b in written]
