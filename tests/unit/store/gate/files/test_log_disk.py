import errno
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from saniwa.core.errors import StoreError
from saniwa.process.event_record import EventRecord
from saniwa.store.gate.file_access import GateFolders
from saniwa.store.gate.file_log import FileGateLog
from tests.fakes.gate import make_next_record
from tests.fakes.processes import end_with_test
from tests.unit.store.gate.files.door_run import (
    DOOR,
    FIRST,
    RUN,
    add,
    find_error_code,
    list_codes,
    read_journal,
    render_table,
    tear,
)

ROOT = Path(__file__).resolve().parents[5]


def _run_child(script: str, folder: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    prelude = (
        "import os, resource, signal, sys\n"
        "from pathlib import Path\n"
        "from saniwa.core.errors import StoreError\n"
        "from saniwa.store.gate.file_access import GateFolders\n"
        "from saniwa.store.gate.file_log import FileGateLog\n"
        "from tests.fakes.gate import make_door_process, make_next_record, make_opening_record, make_run_id\n"
        "log = FileGateLog(GateFolders.from_root(Path(sys.argv[1])), patience=0.05)\n"
    )
    return subprocess.run(
        [sys.executable, *flags, "-c", prelude + script, str(folder)],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


_WATCH_LOCKS = """
from saniwa.core import file_locks
real, taken = file_locks.try_lock, []
file_locks.try_lock = lambda fd, kind: taken.append(real(fd, kind)) or taken[-1]
process = make_door_process()
log.create(make_run_id(1), make_opening_record(process), process)
print(taken)
"""


@pytest.mark.parametrize("flags", [(), ("-O",)])
def test_a_new_journal_is_locked_whatever_python_leaves_out(
    tmp_path: Path, flags: tuple[str, ...]
) -> None:
    """The lock on a new journal does not depend on assertions, which Python may skip."""
    done = _run_child(_WATCH_LOCKS, tmp_path, *flags)

    assert ("[True]", "") == (done.stdout.strip(), done.stderr)


_FILL = """
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (MOST, MOST))
try:
    while True:
        with log.lock_run(make_run_id()) as passage:
            passage.append(make_next_record(passage.run, payload={"x": "y" * LETTERS}))
            print(passage.run.revision, flush=True)
except StoreError as problem:
    print(problem.code)
print(log.load_run(make_run_id()).revision, *[f.code for f in log.repairs])
"""


@pytest.mark.parametrize(("limit", "size"), [(40_000, 10), (300_000, 700), (9_000, 1)])
def test_a_full_disk_is_reported_and_nothing_acknowledged_is_lost(
    log: FileGateLog, folders: GateFolders, limit: int, size: int
) -> None:
    """When a file cannot grow, the writer gets an error, and everything acknowledged is stored."""
    script = _FILL.replace("MOST", str(limit)).replace("LETTERS", str(size))
    done = _run_child(script, folders.runs.parent)
    assert "" == done.stderr
    *acknowledged, code, last = done.stdout.split("\n")[:-1]

    assert "TRACE_UNWRITABLE" == code
    assert len(acknowledged) > 10
    assert acknowledged[-1] == last.split()[0]
    assert int(acknowledged[-1]) == log.load_run(RUN).revision
    assert [] == list_codes(log)


def test_a_disk_that_is_full_from_the_start_begins_no_run(folders: GateFolders) -> None:
    """A run that cannot be created in full leaves no files."""
    done = _run_child(
        "log.store_definition(make_door_process())\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
        "process = make_door_process()\n"
        "try:\n"
        "    log.create(make_run_id(), make_opening_record(process), process)\n"
        "except StoreError as problem:\n"
        "    print(problem.code, *log.list_runs())\n",
        folders.runs.parent,
    )

    assert "TRACE_UNWRITABLE\n" == done.stdout, done.stderr
    assert [] == [*folders.runs.iterdir(), *folders.metadata.iterdir()]


def test_a_table_without_room_is_behind_until_there_is(
    log: FileGateLog, folders: GateFolders
) -> None:
    """An event whose row finds no room is stored, and the next event waits for the table."""
    add(log)
    table = folders.locate_table(RUN)
    full = table.read_bytes()
    with log.lock_run(RUN) as passage:
        # Replace the open table by one that accepts nothing.
        full_disk = os.open("/dev/full", os.O_RDWR)
        os.dup2(full_disk, log._holds[RUN]._files._table._fd)  # type: ignore[union-attr]
        os.close(full_disk)
        passage.append(make_next_record(passage.run))
    behind = [finding.code for finding in log.repairs]

    assert ["LOG_BEHIND"] == behind
    assert full == table.read_bytes()
    assert 3 == log.load_run(RUN).revision
    assert render_table(log) == table.read_bytes()


def test_a_failed_sync_leaves_no_writer_sure(
    log: FileGateLog, folders: GateFolders, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a failed sync the result is LOG_UNCERTAIN, and the run is read again."""
    add(log)

    def fail(_: int) -> None:
        raise OSError(5, "Input/output error")

    with log.lock_run(RUN) as passage, monkeypatch.context() as patch:
        patch.setattr(os, "fdatasync", fail)
        with pytest.raises(StoreError) as caught:
            passage.append(make_next_record(passage.run))
        targets = [link.resolve() for link in Path("/proc/self/fd").iterdir()]
        records = [each for each in targets if each.suffix == ".jsonl"]
        still_open = [each for each in records if folders.runs in each.parents]
    add(log)

    assert [] == still_open
    assert ("LOG_UNCERTAIN", True) == (caught.value.code, caught.value.recoverable)
    assert (3, []) == (log.load_run(RUN).revision, list_codes(log))


def test_a_sync_that_failed_is_not_tried_again(
    log: FileGateLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A failed sync is not repeated, because a disk may drop the data and then report success."""
    add(log)
    real, failures = os.fdatasync, [OSError(5, "Input/output error")]

    def fail_once(fd: int) -> None:
        if failures:
            raise failures.pop()
        real(fd)

    with log.lock_run(RUN) as passage, monkeypatch.context() as patch:
        patch.setattr(os, "fdatasync", fail_once)
        with pytest.raises(StoreError) as caught:
            passage.append(make_next_record(passage.run))

    assert ("LOG_UNCERTAIN", []) == (caught.value.code, failures)
    assert (2, []) == (log.load_run(RUN).revision, list_codes(log))


def test_a_short_write_keeps_nothing(
    log: FileGateLog, monkeypatch: pytest.MonkeyPatch, folders: GateFolders
) -> None:
    """A record that the disk accepts only partly is not stored."""
    real = os.pwrite
    before = read_journal(folders)
    with log.lock_run(RUN) as passage:
        with monkeypatch.context() as patch:
            patch.setattr(os, "pwrite", lambda fd, b, at: real(fd, b[: len(b) // 2], at))
            with pytest.raises(StoreError) as caught:
                passage.append(make_next_record(passage.run))
        assert 1 == passage.run.revision

    assert "TRACE_UNWRITABLE" == caught.value.code
    assert before == read_journal(folders)


@pytest.mark.parametrize("torn", [b"", b"{"], ids=["whole", "torn"])
def test_a_read_only_folder_is_read_and_not_written(
    log: FileGateLog, folders: GateFolders, torn: bytes
) -> None:
    """In a read-only folder a run can be read, and an event is refused."""
    add(log, 2)
    log.close()
    tear(folders, torn)
    # Another user must have access, and the folders of tests belong to their owner.
    with tempfile.TemporaryDirectory() as outside:
        Path(outside).chmod(0o755)
        top = Path(outside) / "gate"
        shutil.copytree(folders.runs.parent, top)
        for path in [*top.rglob("*"), top]:
            path.chmod(0o555 if path.is_dir() else 0o444)
        done = _run_child(
            "if os.geteuid() == 0:\n    os.setresuid(65534, 65534, 65534)\n"
            "print(log.load_run(make_run_id()).revision, len(list(log.read_entries(make_run_id()))))\n"
            "print(len(log.find_faults(make_run_id())), *log.list_runs())\n"
            "for call in (lambda: log.lock_run(make_run_id()).__enter__(),\n"
            "             lambda: log.create(make_run_id(2), make_opening_record(make_door_process()),"
            " make_door_process())):\n"
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


def _put_folder(path: Path) -> None:
    path.mkdir()


@pytest.mark.parametrize("put", [_put_folder, os.mkfifo])
@pytest.mark.parametrize("which", ["journal", "table"])
def test_what_is_not_a_file_is_reported_as_unreadable(
    log: FileGateLog,
    folders: GateFolders,
    log_opener: Callable[[], FileGateLog],
    which: str,
    put: Callable[[Path], None],
) -> None:
    """A folder or a pipe in place of a run's file is a documented error in every operation."""
    add(log)
    path = folders.locate_journal(RUN) if which == "journal" else folders.locate_table(RUN)
    path.unlink()
    put(path)

    for each in (log, log_opener()):
        for ask in (each.load_run, each.find_faults, each.read_entries):
            assert "STORE_UNREADABLE" == find_error_code(ask, RUN)
        assert find_error_code(add, each) in ("STORE_UNREADABLE", "TRACE_UNWRITABLE")


def test_a_read_only_disk_is_reported_by_its_name(
    log: FileGateLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a read-only disk the message does not mention permissions."""
    log.close()
    real = os.open

    def open_read_only(path: Any, flags: int, *more: Any, **named: Any) -> int:
        if flags & os.O_RDWR:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))
        return real(path, flags, *more, **named)

    monkeypatch.setattr(os, "open", open_read_only)
    with pytest.raises(StoreError) as caught:
        add(log)

    assert "TRACE_UNWRITABLE" == caught.value.code
    assert caught.value.message.endswith("cannot be written: Read-only file system")
    assert 1 == log.load_run(RUN).revision


def test_a_disk_that_fails_to_read_is_reported(
    log: FileGateLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A read error of the disk has the file's name, and the run can be used afterwards."""
    add(log)

    def fail_reading(*_: object) -> bytes:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with monkeypatch.context() as patch, log.lock_run(RUN) as passage:
        patch.setattr(os, "pread", fail_reading)
        assert "STORE_UNREADABLE" == find_error_code(passage.find_by_key, "key-2")
    with monkeypatch.context() as patch:
        patch.setattr(os, "pread", fail_reading)
        assert "STORE_UNREADABLE" == find_error_code(add, log)
        assert "STORE_UNREADABLE" == find_error_code(log.load_run, RUN)
    add(log)

    assert 3 == log.load_run(RUN).revision


def test_a_disk_that_fails_while_entries_are_read_is_reported(
    log: FileGateLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A read error while entries are read ends the stream with a documented error."""
    add(log, 40)
    entries = log.read_entries(RUN)
    next(entries)

    def fail_reading(*_: object) -> bytes:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, "pread", fail_reading)
    assert "STORE_UNREADABLE" == find_error_code(list, entries)


def test_a_folder_that_cannot_be_asked_is_reported(tmp_path: Path, folders: GateFolders) -> None:
    """If the table cannot be checked, no run is created and none is reported as missing."""
    odd = msgspec.structs.replace(folders, runs=tmp_path / ("x" * 300))
    log = FileGateLog(odd)

    assert "STORE_UNREADABLE" == find_error_code(log.create, RUN, FIRST, DOOR)
    assert "STORE_UNREADABLE" == find_error_code(log.load_run, RUN)


def test_a_stopped_process_that_holds_a_run_is_waited_for_only_so_long(
    log: FileGateLog, folders: GateFolders
) -> None:
    """A stopped process that holds a run gives LOCK_TIMEOUT; once killed, it releases the run."""
    script = (
        "from saniwa.store.gate.file_access import GateFolders\n"
        "from saniwa.store.gate.file_log import FileGateLog\n"
        "from tests.fakes.gate import make_run_id\n"
        "import os, pathlib, signal, sys\n"
        "log = FileGateLog(GateFolders.from_root(pathlib.Path(sys.argv[1])))\n"
        "with log.lock_run(make_run_id()):\n"
        "    print('held', flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGSTOP)\n"
    )
    holder = end_with_test(
        subprocess.Popen(
            [sys.executable, "-c", script, str(folders.runs.parent)],
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"},
            stdout=subprocess.PIPE,
            text=True,
        )
    )
    try:
        assert holder.stdout is not None
        assert "held\n" == holder.stdout.readline()
        code = find_error_code(lambda: add(log))
    finally:
        holder.send_signal(signal.SIGKILL)
        holder.communicate()
    add(log)

    assert "LOCK_TIMEOUT" == code
    assert (2, []) == (log.load_run(RUN).revision, list_codes(log))


def test_a_replay_of_anothers_event_lasts_before_it_is_answered(
    log: FileGateLog, log_opener: Callable[[], FileGateLog], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A record of another writer is synced once before a replay is answered."""
    log.load_run(RUN)
    add(log_opener())
    synced: list[int] = []
    monkeypatch.setattr(os, "fdatasync", synced.append)
    with log.lock_run(RUN) as passage:
        first = passage.find_by_key("key-2")
        again = passage.find_by_key("key-2")

    assert isinstance(first, EventRecord)
    assert first == again
    assert 1 == len(synced)


def test_an_event_is_one_write_of_the_record_and_one_of_the_table(
    log: FileGateLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An event is one write to the journal and one to the table, so that no line can be split."""
    add(log, 3)
    written: list[bytes] = []
    place, write = os.pwrite, os.write

    def note_and_place(fd: int, content: bytes, at: int) -> int:
        written.append(content)
        return place(fd, content, at)

    def note_and_append(fd: int, content: bytes) -> int:
        written.append(content)
        return write(fd, content)

    monkeypatch.setattr(os, "pwrite", note_and_place)
    monkeypatch.setattr(os, "write", note_and_append)

    add(log)

    assert [True, True] == [b.endswith(b"\n") for b in written]
    assert [b"{", b"2"] == [b[:1] for b in written]
