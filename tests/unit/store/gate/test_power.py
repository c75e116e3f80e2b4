import os
from functools import cache
from pathlib import Path
from random import Random  # noqa: TID251 - Hypothesis brings it, with its seed
from tempfile import TemporaryDirectory
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saniwa.core import locks
from saniwa.core.clock import FixedClock
from saniwa.core.locks import SHARED
from saniwa.process.record import EventRecord
from saniwa.store.gate.csv_table import render_rows
from saniwa.store.gate.file_log import FileGateLog
from saniwa.store.gate.log_files import GateFolders
from tests.fakes.gate import door_process, next_record, note, opening_record, run_id
from tests.fakes.nightly import scale_examples
from tests.fakes.power import Op, Tape, cut

RUN = run_id()


def _open(folder: Path) -> FileGateLog:
    return FileGateLog(GateFolders.from_root(folder), clock=FixedClock())


def _add(log: FileGateLog, tape: Tape, letters: int) -> None:
    with log.lock_run(RUN) as passage:
        record = next_record(passage.run, payload={"x": "y" * letters})
        passage.append(record)
        tape.say(record.revision)
        if record.revision % 9 == 0:
            passage.append_note(note(passage.run))


@cache
def _played() -> tuple[str, list[Op]]:
    """What a run of some hundred events asks of the disk, opened twice; and where."""
    tape = Tape()
    with TemporaryDirectory() as folder, tape.running():
        for part, events in enumerate((40, 260)):
            log = _open(Path(folder))
            if part == 0:
                log.create(RUN, opening_record(door_process()), door_process())
                tape.say(1)
            for number in range(events):
                _add(log, tape, (10, 700, 30, 9000)[number % 4] if number < 60 else 10)
            log.close()
    return folder, tape.ops


def _moved(files: dict[str, bytes], old: str, new: str) -> dict[str, bytes]:
    return {name.replace(old, new): content for name, content in files.items()}


def _laid(files: dict[str, bytes]) -> None:
    for name, content in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(content)


def _check(folder: Path, said: int) -> None:
    """All that was acknowledged is there, once, and the files are whole."""
    log = _open(folder)
    entries = list(log.read_entries(RUN))
    revisions = [entry.revision for entry in entries if isinstance(entry, EventRecord)]
    assert list(range(1, len(revisions) + 1)) == revisions
    assert said <= len(revisions)
    assert () == log.find_faults(RUN)
    table = log._folders.locate_table(RUN).read_bytes()
    assert b"".join(render_rows(entries)) == table
    log.close()


def _said(ops: list[Op]) -> int:
    return max((number for what, _, number, _ in ops if what == "said"), default=0)


@pytest.mark.slow
@settings(max_examples=scale_examples(150))
@given(st.data(), st.randoms(use_true_random=False))
def test_a_power_cut_loses_nothing_acknowledged(data: st.DataObject, chance: Random) -> None:
    """Cut at any call, with any of the unsynced sectors lost, and once more while mending."""
    old, ops = _played()
    at = data.draw(st.integers(0, len(ops)))
    with TemporaryDirectory() as new:
        folder = Path(new)
        said = _said(ops[:at])
        files = _moved(cut({}, ops[:at], chance), old, new)
        _laid(files)
        tape = Tape()
        with tape.running():
            log = _open(folder)
            if said == 0 and RUN not in log.list_runs():
                return
            _add(log, tape, 300)
            log.close()
        _check(folder, max(said, _said(tape.ops)))

        again = data.draw(st.integers(0, len(tape.ops)))
        said = max(said, _said(tape.ops[:again]))
        left = cut(files, tape.ops[:again], chance)
        with TemporaryDirectory() as third:
            _laid(_moved(left, new, third))
            _check(Path(third), said)


def _begun(folder: Path) -> tuple[Path, Path]:
    """The record and the table of a run with one event."""
    log = _open(folder)
    log.create(RUN, opening_record(door_process()), door_process())
    log.close()
    return log._folders.locate_journal(RUN), log._folders.locate_table(RUN)


def _calls(tape: Tape, path: Path) -> list[str]:
    return [what for what, name, _, _ in tape.ops if name == str(path)]


def test_a_row_is_completed_only_when_its_line_lasts(tmp_path: Path) -> None:
    """A writer killed before its sync: else a power cut could leave a row without a line."""
    journal, table = _begun(tmp_path)
    other, tape = _open(tmp_path), Tape()
    with other.lock_run(RUN) as passage:
        passage.append(next_record(passage.run))
    other.close()
    table.write_bytes(table.read_bytes().partition(b"\n")[0] + b"\n")
    with tape.running():
        _open(tmp_path).load_run(RUN)

    first = next(op for op in tape.ops if op[0] in ("synced", "write"))
    assert ("synced", str(journal)) == first[:2]


def test_what_was_cut_off_stays_off(tmp_path: Path) -> None:
    """Else a power cut could leave half of it before the second half of the next line."""
    journal, _ = _begun(tmp_path)
    with journal.open("ab") as stream:
        stream.write(b'{"seal":"')
    tape = Tape()
    with tape.running():
        _open(tmp_path).load_run(RUN)

    assert ["cut", "synced", "write", "synced"] == _calls(tape, journal)


def test_a_beginning_that_nobody_finished_is_given_a_lasting_name(tmp_path: Path) -> None:
    """Its maker was killed before that: what is accepted next must not vanish with it."""
    journal, table = _begun(tmp_path)
    table.unlink()
    tape = Tape()
    with tape.running():
        _open(tmp_path).load_run(RUN)

    synced = [name for what, name, _, _ in tape.ops if what == "synced"]
    assert [str(journal), str(journal.parent)] == synced[:2]


def test_a_name_is_given_to_a_whole_record_that_is_held(tmp_path: Path) -> None:
    """Who comes upon a new run sees a run, and waits until its table is made."""
    folders = GateFolders.from_root(tmp_path)
    log, steps = FileGateLog(folders), list[tuple[bool, bool]]()
    synced = os.fsync

    def met(fd: int) -> None:
        synced(fd)
        if (journal := folders.locate_journal(RUN)).exists():
            with journal.open("rb") as stream:
                steps.append(
                    (stream.read().endswith(b"\n"), locks.try_lock(stream.fileno(), SHARED))
                )

    with patch("os.fsync", met):
        log.create(RUN, opening_record(door_process()), door_process())
    log.close()

    assert [(True, False)] * 3 == steps


@settings(max_examples=scale_examples(30))
@given(st.randoms(use_true_random=False))
def test_a_run_that_was_begun_outlasts_a_power_cut(chance: Random) -> None:
    """Nothing has been added yet: what lasts was synced by its beginning alone."""
    old, ops = _played()
    begun = ops[: ops.index(("said", "", 1, b"")) + 1]
    with TemporaryDirectory() as new:
        _laid(_moved(cut({}, begun, chance), old, new))
        _check(Path(new), 1)
