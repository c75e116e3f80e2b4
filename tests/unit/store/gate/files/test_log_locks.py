import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread

import pytest

from saniwa.store.gate import file_access
from saniwa.store.gate.csv_table import render_rows
from saniwa.store.gate.file_access import GateFolders
from saniwa.store.gate.file_log import FileGateLog
from tests.fakes.gate import make_next_record
from tests.unit.store.gate.files.door_run import (
    FIRST,
    RUN,
    add,
    find_error_code,
    list_codes,
    read_journal,
    render_table,
)


def test_a_held_run_is_reported_after_a_while(
    log: FileGateLog, log_opener: Callable[[], FileGateLog]
) -> None:
    """Waiting for a run held by another log ends with LOCK_TIMEOUT, and nothing is written."""
    other = log_opener()
    with log.lock_run(RUN):
        assert "LOCK_TIMEOUT" == find_error_code(lambda: add(other))
        assert "LOCK_TIMEOUT" == find_error_code(lambda: other.load_run(RUN))
        assert "LOCK_TIMEOUT" == find_error_code(lambda: add(log))
    add(other)

    assert 2 == log.load_run(RUN).revision


def test_a_passage_that_fails_lets_go(log: FileGateLog) -> None:
    """An error while a run is held releases it."""
    with pytest.raises(ZeroDivisionError), log.lock_run(RUN):
        raise ZeroDivisionError
    add(log)

    assert 2 == log.load_run(RUN).revision


def test_a_record_that_was_replaced_is_opened_again(log: FileGateLog, folders: GateFolders) -> None:
    """A journal replaced by a copy is opened and read again."""
    add(log)
    copy = folders.locate_journal(RUN).with_suffix(".copy")
    shutil.copy(folders.locate_journal(RUN), copy)
    copy.replace(folders.locate_journal(RUN))
    add(log)

    assert (3, []) == (log.load_run(RUN).revision, list_codes(log))


def test_a_restore_that_keeps_the_times_is_seen_by_who_stays(
    log: FileGateLog,
    folders: GateFolders,
    monkeypatch: pytest.MonkeyPatch,
    log_opener: Callable[[], FileGateLog],
) -> None:
    """If files and times are restored, an open log does not write to the deleted file."""
    monkeypatch.setattr(file_access, "TRUSTED_NS", 0)
    folder = folders.metadata
    _settle(log, folder)
    times = folder.stat()
    copy = shutil.copy2(folders.locate_journal(RUN), folders.runs / "copy")
    folders.locate_journal(RUN).unlink()
    shutil.copy2(copy, folders.locate_journal(RUN))
    os.utime(folder, ns=(times.st_atime_ns, times.st_mtime_ns))
    Path(copy).unlink()
    add(log)

    revision = log.load_run(RUN).revision
    assert revision == log_opener().load_run(RUN).revision
    assert read_journal(folders).rstrip(b"\n").count(b"\n") + 1 == revision


def _settle(log: FileGateLog, folder: Path) -> None:
    """Add events until the folder's time alone shows that no file was moved."""
    os.utime(folder, ns=(0, 0))
    until = time.monotonic() + 10
    while True:
        add(log)
        files = log._holds[RUN]._files
        assert files is not None
        if files.journal._place.is_settled:
            return
        assert time.monotonic() < until


def test_a_record_that_was_overwritten_is_read_again(
    log: FileGateLog, folders: GateFolders
) -> None:
    """A journal overwritten with a copy is read again."""
    add(log)
    older = read_journal(folders)
    add(log, 5)
    folders.locate_journal(RUN).write_bytes(older)
    os.truncate(folders.locate_table(RUN), len(b"".join(render_rows([FIRST]))))
    add(log)

    assert (3, []) == (log.load_run(RUN).revision, list_codes(log))


def test_a_table_that_was_replaced_gets_the_rows(
    log: FileGateLog, folders: GateFolders, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows are written to the file that has the table's name, not to a replaced one."""
    monkeypatch.setattr(file_access, "TRUSTED_NS", 0)
    add(log, 2)
    copy = folders.locate_table(RUN).with_suffix(".copy")
    shutil.copy(folders.locate_table(RUN), copy)
    copy.replace(folders.locate_table(RUN))
    add(log)
    assert render_table(log) == folders.locate_table(RUN).read_bytes()
    assert [] == log.repairs
    folders.locate_table(RUN).unlink()
    add(log)

    assert render_table(log) == folders.locate_table(RUN).read_bytes()
    assert (5, []) == (log.load_run(RUN).revision, list_codes(log))


def test_a_forked_child_shares_no_lock(log: FileGateLog) -> None:
    """A forked child does not share the locks of its parent."""
    add(log)
    held, holding = os.pipe()
    waiting, done = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(done)
            with log.lock_run(RUN) as passage:
                os.write(holding, b"held")
                os.read(waiting, 1)
                passage.append(make_next_record(passage.run))
        finally:
            os._exit(0)
    os.read(held, 4)
    code = find_error_code(log.load_run, RUN)
    for fd in (done, waiting, held, holding):
        os.close(fd)
    os.waitpid(child, 0)
    add(log)

    assert "LOCK_TIMEOUT" == code
    assert (4, []) == (log.load_run(RUN).revision, list_codes(log))


def test_threads_take_turns(log: FileGateLog) -> None:
    """Eight threads on one run give every revision once."""
    patient = FileGateLog(log._folders, patience=60)
    started = Event()

    def append_after_start() -> None:
        started.wait()
        add(patient, 20)

    threads = [Thread(target=append_after_start) for _ in range(8)]
    for thread in threads:
        thread.start()
    started.set()
    for thread in threads:
        thread.join()
    patient.close()

    assert (161, []) == (log.load_run(RUN).revision, list_codes(log))
