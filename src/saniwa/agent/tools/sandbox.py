"""A sandbox for programs: Linux's Landlock, where the kernel has it.

A program in it can read what its user can read, and use the network, but it changes files
only below the folders that it is given, and gains no rights by `sudo` or the like. Other
systems offer none here; then a program runs as its user.
"""

import ctypes
import os
import struct
import tempfile
import threading
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeVar

from saniwa.core import system_calls

T = TypeVar("T")

_CREATE_RULESET: Final = 444
_ADD_RULE: Final = 445
_RESTRICT_SELF: Final = 446
_VERSION_FLAG: Final = 1
_PATH_BENEATH: Final = 1
_NO_NEW_PRIVILEGES: Final = 38
_WRITE_FILE: Final = 1 << 1
_CHANGE_FOLDER: Final = sum(1 << bit for bit in range(4, 13))
"""Removing and making files, folders, links, sockets and devices."""
_MOVE: Final = 1 << 13
_TRUNCATE: Final = 1 << 14
_DEVICES: Final = ("/dev/null", "/dev/zero", "/dev/full", "/dev/tty")


@cache
def find_sandbox_version() -> int:
    """Return the version of Landlock in this kernel; 0 if there is none."""
    if not system_calls.HAS_LINUX_CALLS:
        return 0
    return max(int(_load_library().syscall(_CREATE_RULESET, None, 0, _VERSION_FLAG)), 0)


def run_in_sandbox(folder: Path, work: Callable[[dict[str, str]], T]) -> T:
    """Do the work in a thread whose programs change files only below a folder.

    They have a temporary folder of their own too, which is removed afterwards; `work` is
    given the variable that names it. The caller's thread stays as it is.

    Raises:
        OSError: The sandbox cannot be made, or the work raises it.
    """
    result = list[T]()
    problems = list[BaseException]()
    with tempfile.TemporaryDirectory(prefix="saniwa-", ignore_cleanup_errors=True) as scratch:

        def do_work() -> None:
            try:
                _limit_thread((folder, Path(scratch)))
                result.append(work({"TMPDIR": scratch}))
            except BaseException as problem:  # noqa: BLE001 - raised again by the caller's thread
                problems.append(problem)

        # A thread of its own: what is taken from it never comes back.
        thread = threading.Thread(target=do_work)
        thread.start()
        thread.join()
    if problems:
        raise problems[0]
    return result[0]


def _limit_thread(folders: Sequence[Path]) -> None:
    """Let this thread, and all programs that it starts, change files only below folders.

    Raises:
        OSError: The kernel refuses.
    """
    version = find_sandbox_version()
    handled = _WRITE_FILE | _CHANGE_FOLDER
    handled |= _MOVE if version >= 2 else 0
    handled |= _TRUNCATE if version >= 3 else 0
    attributes = struct.pack("=Q", handled)
    rules = _call("syscall", _CREATE_RULESET, attributes, len(attributes), 0)
    try:
        for folder in folders:
            _allow(rules, folder, handled)
        for device in map(Path, _DEVICES):
            if device.exists():
                _allow(rules, device, handled & (_WRITE_FILE | _TRUNCATE))
        _call("prctl", _NO_NEW_PRIVILEGES, 1, 0, 0, 0)
        _call("syscall", _RESTRICT_SELF, rules, 0)
    finally:
        os.close(rules)


def _allow(rules: int, path: Path, access: int) -> None:
    place = os.open(path, system_calls.NAME_ONLY)
    try:
        _call("syscall", _ADD_RULE, rules, _PATH_BENEATH, struct.pack("=Qi", access, place), 0)
    finally:
        os.close(place)


def _call(name: str, *arguments: int | bytes) -> int:
    words = [each if isinstance(each, bytes) else ctypes.c_long(each) for each in arguments]
    found = int(getattr(_load_library(), name)(*words))
    if found < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"no sandbox can be made: {os.strerror(number)}")
    return found


@cache
def _load_library() -> Any:
    return ctypes.CDLL(None, use_errno=True)
