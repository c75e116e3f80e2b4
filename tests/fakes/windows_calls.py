"""The command line in a Python that lacks what Windows lacks.

`python -m tests.fakes.windows_calls play door_and_key` removes the calls and modules that
only POSIX systems have, provides the parts of `msvcrt` that Saniwa uses, and then runs
`saniwa`. The standard library and other packages have loaded what they need before; they
detect the platform by themselves.
"""

import asyncio
import importlib
import os
import signal
import sys
import types
from contextlib import suppress
from typing import Any, Final

ABSENT_CALLS: Final = (
    *("pread", "pwrite", "fdatasync", "fchmod", "register_at_fork", "waitid", "killpg"),
    *("O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC", "O_NOATIME"),
    *("fork", "sched_getaffinity"),
)
"""Names of `os` that Windows does not have, as far as Saniwa could use them."""
ABSENT_MODULES: Final = ("fcntl", "termios", "resource", "readline")
"""Modules that Windows does not have."""
_LOADED_BEFORE: Final = (
    *("tempfile", "multiprocessing.util", "multiprocessing.resource_tracker", "sqlite3"),
    *("shutil", "uuid", "concurrent.futures.process", "ssl", "uvicorn", "starlette.applications"),
)
_FOLDER_DESCRIPTOR_CALLS: Final = ("open", "stat", "mkdir", "unlink", "rmdir", "link", "replace")
_FCNTL: Final[Any] = None if sys.platform == "win32" else importlib.import_module("fcntl")
LK_NBLCK: Final = 2
LK_UNLCK: Final = 0


def _lock_byte(fd: int, change: int, size: int) -> None:
    """Lock or unlock one byte after all content, against every other handle of the file."""
    assert size == 1
    assert os.lseek(fd, 0, os.SEEK_CUR) > os.fstat(fd).st_size, "content must stay readable"
    try:
        _FCNTL.flock(fd, _FCNTL.LOCK_UN if change == LK_UNLCK else _FCNTL.LOCK_EX | _FCNTL.LOCK_NB)
    except BlockingIOError as problem:
        raise PermissionError(problem.errno, problem.strerror) from problem


def _refuse_folder_descriptor(name: str) -> Any:
    real = getattr(os, name)

    def call(*given: Any, **named: Any) -> Any:
        if any(named.get(key) is not None for key in ("dir_fd", "src_dir_fd", "dst_dir_fd")):
            raise NotImplementedError(f"{name}: no descriptors of folders")
        return real(*given, **named)

    return call


def remove_posix_calls() -> None:
    """Remove what Windows does not have, for the rest of this process."""
    if _FCNTL is None:
        return  # this is Windows
    for name in _LOADED_BEFORE:
        with suppress(ImportError):
            importlib.import_module(name)
    asyncio.new_event_loop().close()
    msvcrt = types.ModuleType("msvcrt")
    vars(msvcrt).update(LK_NBLCK=LK_NBLCK, LK_UNLCK=LK_UNLCK, locking=_lock_byte)
    vars(msvcrt).update(kbhit=lambda: False, getwch=lambda: "\r")
    sys.modules["msvcrt"] = msvcrt
    os.supports_dir_fd.clear()
    for name in _FOLDER_DESCRIPTOR_CALLS:
        setattr(os, name, _refuse_folder_descriptor(name))
    for name in ABSENT_CALLS:
        if hasattr(os, name):
            delattr(os, name)
    if hasattr(os, "process_cpu_count"):  # since Python 3.13, where it calls `sched_getaffinity`
        vars(os)["process_cpu_count"] = os.cpu_count
    del signal.pthread_sigmask
    for name in ABSENT_MODULES:
        sys.modules[name] = None  # type: ignore[assignment]
    assert "saniwa" not in sys.modules, "load this plugin before Saniwa"


if __name__ == "__main__":
    remove_posix_calls()
    from saniwa.cli.main import main

    sys.exit(main())
