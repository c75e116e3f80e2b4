import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread

import pytest

from saniwa.store.gate.files import place
from saniwa.store.gate.files.folders import GateFolders
from saniwa.store.gate.files.log import FileLog
from saniwa.store.gate.files.table import rows_of
from tests.fakes.gate import next_record
from tests.unit.store.gate.files.door import (
    FIRST,
    RUN,
    add,
    codes,
    journal,
    rows,
    wrong,
)


def test_a_held_run_is_told_after_a_while(
    log: FileLog, open_log: Callable[[], FileLog]
) -> None:
    """Another log waits for a held run only so long; nothing is written meanwhile."""
    other = open_log()
    with log.passage(RUN):
        assert "LOCK_TIMEOUT" == wrong(lambda: add(other))
        assert "LOCK_TIMEOUT" == wrong(lambda: other.standing(RUN))
        assert "LOCK_TIMEOUT" == wrong(lambda: add(log))
    add(other)

    assert 2 == log.standing(RUN).revision


def test_a_passage_that_fails_lets_go(log: FileLog) -> None:
    """Whatever goes wrong inside, the next one passes."""
    with pytest.raises(ZeroDivisionError), log.passage(RUN):
        raise ZeroDivisionError
    add(log)

    assert 2 == log.standing(RUN).revision


def test_a_record_that_was_replaced_is_opened_again(
    log: FileLog, folders: GateFolders
) -> None:
    """A file brought back from a copy is read anew, not written beside."""
    add(log)
    copy = folders.journal(RUN).with_suffix(".copy")
    shutil.copy(folders.journal(RUN), copy)
    copy.replace(folders.journal(RUN))
    add(log)

    assert (3, []) == (log.standing(RUN).revision, codes(log))


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
    add(log)

    revision = log.standing(RUN).revision
    assert revision == open_log().standing(RUN).revision
    assert journal(folders).rstrip(b"\n").count(b"\n") + 1 == revision


def _settle(log: FileLog, folder: Path) -> None:
    """Add events until the folder's time alone tells that nothing was moved in it."""
    os.utime(folder, ns=(0, 0))
    until = time.monotonic() + 10
    while True:
        add(log)
        files = log._holds[RUN]._files
        assert files is not None
        if files.journal._place.settled:
            return
        assert time.monotonic() < until


def test_a_record_that_was_overwritten_is_read_again(
    log: FileLog, folders: GateFolders
) -> None:
    """A copy written over the record in its place leaves no hole behind it."""
    add(log)
    older = journal(folders)
    add(log, 5)
    folders.journal(RUN).write_bytes(older)
    os.truncate(folders.table(RUN), len(b"".join(rows_of([FIRST]))))
    add(log)

    assert (3, []) == (log.standing(RUN).revision, codes(log))


def test_a_table_that_was_replaced_gets_the_rows(
    log: FileLog, folders: GateFolders, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows go to the file that has the name, not to one that had it."""
    monkeypatch.setattr(place, "TRUSTED", 0)
    add(log, 2)
    copy = folders.table(RUN).with_suffix(".copy")
    shutil.copy(folders.table(RUN), copy)
    copy.replace(folders.table(RUN))
    add(log)
    assert rows(log) == folders.table(RUN).read_bytes()
    assert [] == log.mended
    folders.table(RUN).unlink()
    add(log)

    assert rows(log) == folders.table(RUN).read_bytes()
    assert (5, []) == (log.standing(RUN).revision, codes(log))


def test_a_forked_child_shares_no_lock(log: FileLog) -> None:
    """What a child holds its parent does not, though the files were open before the fork."""
    add(log)
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
    code = wrong(log.standing, RUN)
    for fd in (done, waiting, held, holding):
        os.close(fd)
    os.waitpid(child, 0)
    add(log)

    assert "LOCK_TIMEOUT" == code
    assert (4, []) == (log.standing(RUN).revision, codes(log))


def test_threads_take_turns(log: FileLog) -> None:
    """Eight threads on one log and one run: every revision once."""
    patient = FileLog(log._folders, patience=60)
    started = Event()

    def work() -> None:
        started.wait()
        add(patient, 20)

    threads = [Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    started.set()
    for thread in threads:
        thread.join()
    patient.close()

    assert (161, []) == (log.standing(RUN).revision, codes(log))
