"""A sandbox for programs: Linux's Landlock, where the kernel has it.

A program in it changes files only below the folders that it is given, reads them, the
system's folders and what was installed with it, and gains no rights by `sudo` or the like.
Newer kernels also keep it from TCP and from sending signals to others. Other systems offer
none here; then a program runs as its user.
"""

import ctypes
import os
import shlex
import shutil
import struct
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

from saniwa.core import system_calls

T = TypeVar("T")

_CREATE_RULESET: Final = 444
_ADD_RULE: Final = 445
_RESTRICT_SELF: Final = 446
_VERSION_FLAG: Final = 1
_PATH_BENEATH: Final = 1
_NO_NEW_PRIVILEGES: Final = 38
_WRITE_FILE: Final = 1 << 1
_READ_FILE: Final = 1 << 0 | 1 << 2
"""Running a file, and reading it."""
_LIST_FOLDER: Final = 1 << 3
_CHANGE_FOLDER: Final = sum(1 << bit for bit in range(4, 13))
"""Removing and making files, folders, links, sockets and devices."""
_MOVE: Final = 1 << 13
_TRUNCATE: Final = 1 << 14
_TCP: Final = 1 << 0 | 1 << 1
"""Taking a port, and connecting to one."""
_OTHERS: Final = 1 << 0 | 1 << 1
"""Abstract sockets of other programs, and signals to them."""
_DEVICES: Final = ("null", "zero", "full", "tty", "random", "urandom")
_SYSTEM_FOLDERS: Final = (
    *("/bin", "/etc", "/gnu", "/lib", "/lib32", "/lib64", "/nix", "/opt"),
    *("/run/current-system", "/run/systemd/resolve", "/sbin", "/snap", "/sys", "/usr"),
    # Of /proc, what is about the machine: processes show their environment there.
    *(f"/proc/{name}" for name in ("cpuinfo", "filesystems", "loadavg", "meminfo")),
    *(f"/proc/{name}" for name in ("stat", "sys", "uptime", "version")),
)
_LONGEST_FIRST_LINE: Final = 300


class SandboxRules(NamedTuple):
    """What a program may do in a sandbox."""

    folder: Path
    """Where it reads and changes files."""
    readable: tuple[Path, ...] = ()
    """Other files and folders that it reads, besides those of the system."""
    has_network: bool = False
    """Whether it may use TCP."""


@cache
def find_sandbox_version() -> int:
    """Return the version of Landlock in this kernel; 0 if there is none."""
    if not system_calls.HAS_LINUX_CALLS:
        return 0
    return max(int(_load_library().syscall(_CREATE_RULESET, None, 0, _VERSION_FLAG)), 0)


def list_limits(*, has_network: bool) -> list[str]:
    """Return what a sandbox of this kernel limits, by name."""
    version = find_sandbox_version()
    names = ["write", "read"] if version else []
    names += ["tcp"] if version >= 4 and not has_network else []
    return names + (["signals"] if version >= 6 else [])


def list_program_folders(program: str, folder: Path, path: str) -> Iterator[Path]:
    """Yield the folders in which a program and its interpreter are installed.

    That is the folder above a `bin`, or above the `shims` of a version manager, unless it is the user's own or has the workspace in
    it; else the program's own folder.
    """
    home = Path(os.path.expanduser("~"))  # noqa: PTH111 - Path raises where there is none
    seen = set[Path]()
    names = [program]
    while names:
        name = names.pop()
        found = Path(name if "/" in name else shutil.which(name, path=path) or "")
        written = (folder / found).absolute()
        if written in seen or not written.is_file():
            continue
        seen.add(written)
        names += _list_interpreters(written)
        for place in dict.fromkeys((written.parent, written.resolve().parent)):
            above = place.parent
            is_private = folder.absolute().is_relative_to(above) or above == home
            yield above if place.name in ("bin", "shims") and not is_private else place


def _list_interpreters(program: Path) -> list[str]:
    """Return the words of a script's first line that may name its interpreter."""
    try:
        with program.open("rb") as stream:
            line = stream.readline(_LONGEST_FIRST_LINE)
        return shlex.split(line[2:].decode())[:3] if line.startswith(b"#!") else []
    except (OSError, ValueError):
        return []


def run_in_sandbox(rules: SandboxRules, work: Callable[[dict[str, str]], T]) -> T:
    """Do the work in a thread whose programs are bound by rules.

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
                _limit_thread(rules, Path(scratch))
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


def _limit_thread(rules: SandboxRules, scratch: Path) -> None:
    """Bind this thread, and all programs that it starts, by rules.

    Raises:
        OSError: The kernel refuses.
    """
    version = find_sandbox_version()
    change = _WRITE_FILE | _CHANGE_FOLDER
    change |= _MOVE if version >= 2 else 0
    change |= _TRUNCATE if version >= 3 else 0
    read = _READ_FILE | _LIST_FOLDER
    attributes = struct.pack("=Q", change | read)
    if version >= 4:
        attributes += struct.pack("=Q", 0 if rules.has_network else _TCP)
    if version >= 6:
        attributes += struct.pack("=Q", _OTHERS)
    handle = _call("syscall", _CREATE_RULESET, attributes, len(attributes), 0)
    try:
        _allow(handle, (rules.folder, scratch), change | read)
        _allow(handle, (Path("/dev", name) for name in _DEVICES), change | read)
        _allow(handle, (*map(Path, _SYSTEM_FOLDERS), *rules.readable), read)
        _call("prctl", _NO_NEW_PRIVILEGES, 1, 0, 0, 0)
        _call("syscall", _RESTRICT_SELF, handle, 0)
    finally:
        os.close(handle)


def _allow(rules: int, paths: Iterable[Path], access: int) -> None:
    """Allow access to those of the paths that are there."""
    for path in paths:
        if not os.path.exists(path):  # noqa: PTH110 - Path raises for words that name no file
            continue
        of_files = _WRITE_FILE | _TRUNCATE | _READ_FILE
        allowed = access if path.is_dir() else access & of_files
        place = os.open(path, system_calls.NAME_ONLY)
        try:
            about = struct.pack("=Qi", allowed, place)
            _call("syscall", _ADD_RULE, rules, _PATH_BENEATH, about, 0)
        finally:
            os.close(place)


def _call(name: str, *arguments: int | bytes) -> int:
    words = [each if isinstance(each, bytes) else ctypes.c_long(each) for each in arguments]
    found = int(getattr(_load_library(), name)(*words))
    if found < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"the sandbox cannot be created: {os.strerror(number)}")
    return found


@cache
def _load_library() -> Any:
    return ctypes.CDLL(None, use_errno=True)
