from collections.abc import Callable
from pathlib import Path

import pytest

from saniwa.core.errors import StoreError
from saniwa.store.gate import file_log
from saniwa.store.gate.file_access import GateFolders
from saniwa.store.gate.file_log import FileGateLog
from tests.fakes.gate import make_next_record, make_run_id
from tests.unit.store.gate.files.door_run import DOOR, FIRST, RUN, add, list_codes, read_journal


def test_a_record_of_a_megabyte_is_refused(log: FileGateLog, folders: GateFolders) -> None:
    """A record that is too large is refused before anything is written."""
    before = read_journal(folders)
    with log.lock_run(RUN) as passage:
        huge = make_next_record(passage.run, payload={"x": "y" * 1_000_000})
        with pytest.raises(StoreError) as caught:
            passage.append(huge)
        passage.append(make_next_record(passage.run, payload={"x": "y" * 999_000}))

    assert "RECORD_TOO_LARGE" == caught.value.code
    assert read_journal(folders).startswith(before)
    assert (2, []) == (log.load_run(RUN).revision, list_codes(log))


def test_an_open_writer_reserves_room_and_releases_it(
    log: FileGateLog, folders: GateFolders
) -> None:
    """An open writer reserves room in its file, and removes it when it closes."""
    add(log, 10)
    few = read_journal(folders)
    add(log, 10)
    many = read_journal(folders)
    log.close()

    assert few.rstrip(b"\n") + b"\n" == few
    assert len(many) > 200_000
    assert many.rstrip(b"\n") + b"\n" == read_journal(folders)
    assert 21 == log.load_run(RUN).revision


def test_room_is_no_matter_to_another_log(
    log: FileGateLog, log_opener: Callable[[], FileGateLog], folders: GateFolders
) -> None:
    """Two logs can write in turn, although one of them reserves room."""
    other = log_opener()
    for _ in range(30):
        add(log)
        add(other)
    other.close()
    add(log, 20)
    log.close()

    assert (81, []) == (log.load_run(RUN).revision, list_codes(log))
    assert not read_journal(folders).endswith(b"\n\n")


def test_only_so_many_runs_are_kept_open(log: FileGateLog, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the latest runs are kept open, and all can be used."""
    monkeypatch.setattr(file_log, "MOST_OPEN_RUNS", 3)
    runs = [make_run_id(n) for n in range(2, 12)]
    for run in runs:
        log.create(run, FIRST, DOOR)
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(2):
        for run in runs:
            add(log, run=run)

    assert len(list(Path("/proc/self/fd").iterdir())) - before <= 6
    assert {3} == {log.load_run(run).revision for run in runs}


def test_a_run_that_is_held_may_be_pushed_out(
    log: FileGateLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A held run can be closed by opening others; its holder finishes."""
    monkeypatch.setattr(file_log, "MOST_OPEN_RUNS", 1)
    log.create(make_run_id(2), FIRST, DOOR)
    before = len(list(Path("/proc/self/fd").iterdir()))
    with log.lock_run(RUN) as passage:
        add(log, run=make_run_id(2))
        passage.append(make_next_record(passage.run))

    assert 2 == log.load_run(RUN).revision
    assert len(list(Path("/proc/self/fd").iterdir())) - before <= 2
