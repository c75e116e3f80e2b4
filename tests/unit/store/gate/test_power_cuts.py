import os
from functools import cache
from pathlib import Path
from random import Random  # noqa: TID251 - Hypothesis brings it, with its seed
from tempfile import TemporaryDirectory
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saniwa.core import file_locks
from saniwa.core.clock import FixedClock
from saniwa.core.file_locks import SHARED
from saniwa.process.event_record import EventRecord
from saniwa.store.gate.csv_table import render_rows
from saniwa.store.gate.file_access import GateFolders
from saniwa.store.gate.file_log import FileGateLog
from tests.fakes.gate import (
    make_door_process,
    make_next_record,
    make_note,
    make_opening_record,
    make_run_id,
)
from tests.fakes.nightly import scale_examples
from tests.fakes.power_cut import DiskTape, Op, cut_power

RUN = make_run_id()


def _open_log(folder: Path) -> FileGateLog:
    return FileGateLog(GateFolders.from_root(folder), clock=FixedClock())


def _add(log: FileGateLog, tape: DiskTape, letters: int) -> None:
    with log.lock_run(RUN) as passage:
        record = make_next_record(passage.run, payload={"x": "y" * letters})
        passage.append(record)
        tape.say(record.revision)
        if record.revision % 9 == 0:
            passage.append_note(make_note(passage.run))


@cache
def _record_run() -> tuple[str, list[Op]]:
    """The disk calls of a run of about a hundred events that is opened twice, and its folder."""
    tape = DiskTape()
    with TemporaryDirectory() as folder, tape.record_calls():
        for part, events in enumerate((40, 260)):
            log = _open_log(Path(folder))
            if part == 0:
                log.create(RUN, make_opening_record(make_door_process()), make_door_process())
                tape.say(1)
            for number in range(events):
                _add(log, tape, (10, 700, 30, 9000)[number % 4] if number < 60 else 10)
            log.close()
    return folder, tape.ops


def _move_names(files: dict[str, bytes], old: str, new: str) -> dict[str, bytes]:
    return {name.replace(old, new): content for name, content in files.items()}


def _write_files(files: dict[str, bytes]) -> None:
    for name, content in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(content)


def _check(folder: Path, said: int) -> None:
    """Everything acknowledged is there once, and the files are complete."""
    log = _open_log(folder)
    entries = list(log.read_entries(RUN))
    revisions = [entry.revision for entry in entries if isinstance(entry, EventRecord)]
    assert list(range(1, len(revisions) + 1)) == revisions
    assert said <= len(revisions)
    assert () == log.find_faults(RUN)
    table = log._folders.locate_table(RUN).read_bytes()
    assert b"".join(render_rows(entries)) == table
    log.close()


def _find_last_said(ops: list[Op]) -> int:
    return max((number for what, _, number, _ in ops if what == "said"), default=0)


@pytest.mark.slow
@settings(max_examples=scale_examples(150))
@given(st.data(), st.randoms(use_true_random=False))
def test_a_power_cut_loses_nothing_acknowledged(data: st.DataObject, chance: Random) -> None:
    """A power cut at any call, with any unsynced sectors lost, loses nothing acknowledged."""
    old, ops = _record_run()
    at = data.draw(st.integers(0, len(ops)))
    with TemporaryDirectory() as new:
        folder = Path(new)
        said = _find_last_said(ops[:at])
        files = _move_names(cut_power({}, ops[:at], chance), old, new)
        _write_files(files)
        tape = DiskTape()
        with tape.record_calls():
            log = _open_log(folder)
            if said == 0 and RUN not in log.list_runs():
                return
            _add(log, tape, 300)
            log.close()
        _check(folder, max(said, _find_last_said(tape.ops)))

        again = data.draw(st.integers(0, len(tape.ops)))
        said = max(said, _find_last_said(tape.ops[:again]))
        left = cut_power(files, tape.ops[:again], chance)
        with TemporaryDirectory() as third:
            _write_files(_move_names(left, new, third))
            _check(Path(third), said)


def _begin_run(folder: Path) -> tuple[Path, Path]:
    """The journal and the table of a run with one event."""
    log = _open_log(folder)
    log.create(RUN, make_opening_record(make_door_process()), make_door_process())
    log.close()
    return log._folders.locate_journal(RUN), log._folders.locate_table(RUN)


def _list_calls(tape: DiskTape, path: Path) -> list[str]:
    return [what for what, name, _, _ in tape.ops if name == str(path)]


def test_a_row_is_completed_only_when_its_line_lasts(tmp_path: Path) -> None:
    """The journal is synced before a missing row, or a power cut could leave only the row."""
    journal, table = _begin_run(tmp_path)
    other, tape = _open_log(tmp_path), DiskTape()
    with other.lock_run(RUN) as passage:
        passage.append(make_next_record(passage.run))
    other.close()
    table.write_bytes(table.read_bytes().partition(b"\n")[0] + b"\n")
    with tape.record_calls():
        _open_log(tmp_path).load_run(RUN)

    first = next(op for op in tape.ops if op[0] in ("synced", "write"))
    assert ("synced", str(journal)) == first[:2]


def test_what_was_cut_off_stays_off(tmp_path: Path) -> None:
    """Removing a torn line is synced before the next write, or a power cut could mix both."""
    journal, _ = _begin_run(tmp_path)
    with journal.open("ab") as stream:
        stream.write(b'{"seal":"')
    tape = DiskTape()
    with tape.record_calls():
        _open_log(tmp_path).load_run(RUN)

    assert ["cut", "synced", "write", "synced"] == _list_calls(tape, journal)


def test_an_unfinished_beginning_is_given_a_lasting_name(tmp_path: Path) -> None:
    """A new run whose maker was killed is synced with its folder before anything is appended."""
    journal, table = _begin_run(tmp_path)
    table.unlink()
    tape = DiskTape()
    with tape.record_calls():
        _open_log(tmp_path).load_run(RUN)

    synced = [name for what, name, _, _ in tape.ops if what == "synced"]
    assert [str(journal), str(journal.parent)] == synced[:2]


def test_a_name_is_given_to_a_whole_record_that_is_held(tmp_path: Path) -> None:
    """A new journal gets its name when it is complete and locked."""
    folders = GateFolders.from_root(tmp_path)
    log, steps = FileGateLog(folders), list[tuple[bool, bool]]()
    synced = os.fsync

    def note_lock(fd: int) -> None:
        synced(fd)
        if (journal := folders.locate_journal(RUN)).exists():
            with journal.open("rb") as stream:
                steps.append(
                    (stream.read().endswith(b"\n"), file_locks.try_lock(stream.fileno(), SHARED))
                )

    with patch("os.fsync", note_lock):
        log.create(RUN, make_opening_record(make_door_process()), make_door_process())
    log.close()

    assert [(True, False)] * 3 == steps


@settings(max_examples=scale_examples(30))
@given(st.randoms(use_true_random=False))
def test_a_run_that_was_started_outlasts_a_power_cut(chance: Random) -> None:
    """A new run without further events survives a power cut."""
    old, ops = _record_run()
    begun = ops[: ops.index(("said", "", 1, b"")) + 1]
    with TemporaryDirectory() as new:
        _write_files(_move_names(cut_power({}, begun, chance), old, new))
        _check(Path(new), 1)
