"""System calls that not every operating system has, and what replaces them.

Linux has all of them. macOS has no `fdatasync` and, with older Pythons, no `waitid`.
Windows has no descriptors of folders, no reading at a position, no signal masks and other
locks. Nothing outside this module asks which system it runs on.

Where folders have no descriptors, a negative number stands for an open folder, and a name
in it is found by its path. Another process could put a link in its place between the check
and the use; on other systems it cannot.
"""

import contextlib
import errno
import importlib
import os
import stat
import sys
import threading
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any, Final, Protocol


def _import_module(name: str) -> ModuleType | None:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def _find_flag(name: str, family: str = "O", module: Any = os) -> int:
    """Return a flag of a system call; 0 where the system has no such flag."""
    flag: int = getattr(module, f"{family}_{name}", 0)
    return flag


_FCNTL: Final[Any] = _import_module("fcntl")
_MSVCRT: Final[Any] = None if _FCNTL else _import_module("msvcrt")
_HAS_FOLDER_DESCRIPTORS: Final = os.open in os.supports_dir_fd and bool(_find_flag("DIRECTORY"))
_HAS_LINK_REFUSAL: Final = bool(_find_flag("NOFOLLOW"))

HAS_PERMISSIONS: Final = hasattr(os, "fchmod")
"""Whether a file's mode says who may read it."""
_HAS_OWNERS: Final = hasattr(os, "geteuid")
HAS_LINUX_CALLS: Final = sys.platform == "linux"
"""Whether the numbers of Linux's system calls mean what they mean there."""
HAS_XDG: Final = sys.platform not in ("darwin", "win32")
"""Whether `xdg-open` opens an address in the browser."""
NO_WAITING: Final[int] = _find_flag("NONBLOCK") | _find_flag("NOCTTY")
"""Opens a pipe or a device without waiting for it."""
NAME_ONLY: Final[int] = _find_flag("PATH")
"""Opens a file or folder only to name it in another call."""
NO_ACCESS_TIME: Final[int] = _find_flag("NOATIME")
"""Opens a file without recording that it was read; only its owner may ask for that."""
_PRIVATE: Final[int] = _find_flag("CLOEXEC") | _find_flag("NOINHERIT")
_BYTES: Final[int] = _find_flag("BINARY")


# Folders and the names in them.

_FOLDER_PATHS: Final[dict[int, Path]] = {}
_FOLDER_NUMBERS: Final = count(2)


def open_file(
    name: str | os.PathLike[str],
    flags: int,
    mode: int = 0o666,
    *,
    here: int | None = None,
    follow: bool = True,
) -> int:
    """Open a file as bytes, in an open folder or by its path; programs do not inherit it.

    Raises:
        OSError: It cannot be opened; it is a link, and `follow` is false.
    """
    path, folder = _locate(here, name)
    if not follow:
        if _HAS_LINK_REFUSAL:
            flags |= os.O_NOFOLLOW
        elif Path(path).is_symlink():
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    return os.open(path, flags | _PRIVATE | _BYTES, mode, dir_fd=folder)


def open_folder(name: str | os.PathLike[str], here: int | None = None) -> int:
    """Open a folder: by its path, or a folder in an open folder, which may be no link.

    Raises:
        OSError: It cannot be opened, or is not a folder.
    """
    if _HAS_FOLDER_DESCRIPTORS:
        return open_file(name, os.O_RDONLY | os.O_DIRECTORY, here=here, follow=here is None)
    path, _ = _locate(here, name)
    state = Path(path).stat(follow_symlinks=here is None)
    if not stat.S_ISDIR(state.st_mode):
        number = errno.ELOOP if stat.S_ISLNK(state.st_mode) else errno.ENOTDIR
        raise OSError(number, os.strerror(number))
    folder = -next(_FOLDER_NUMBERS)
    _FOLDER_PATHS[folder] = Path(path)
    return folder


def close_folder(here: int) -> None:
    """Close an open folder."""
    if here >= 0:
        os.close(here)
    else:
        del _FOLDER_PATHS[here]


def read_folder_state(here: int) -> os.stat_result:
    """Return the state of an open folder itself."""
    return os.fstat(here) if here >= 0 else _FOLDER_PATHS[here].stat()


def scan_folder(here: int) -> "os._ScandirIterator[str]":
    """Open the list of the names in an open folder, in no order; the caller closes it."""
    return os.scandir(here if here >= 0 else _FOLDER_PATHS[here])


def sync_folder(here: int) -> None:
    """Make the names in an open folder durable, where the system lets folders be synced.

    Raises:
        OSError: The sync failed.
    """
    if here >= 0:
        os.fsync(here)


def read_state(name: str, here: int | None) -> os.stat_result:
    """Return the state of a name in an open folder; a link is not followed.

    Raises:
        OSError: There is no such name.
    """
    path, folder = _locate(here, name)
    return os.stat(path, dir_fd=folder, follow_symlinks=False)


def make_folder(name: str, here: int) -> None:
    """Create a folder in an open folder.

    Raises:
        OSError: It cannot be created.
    """
    path, folder = _locate(here, name)
    os.mkdir(path, dir_fd=folder)


def remove_file(name: str, here: int | None) -> None:
    """Remove a file in an open folder.

    Raises:
        OSError: It cannot be removed.
    """
    path, folder = _locate(here, name)
    os.unlink(path, dir_fd=folder)


def remove_folder(name: str, here: int) -> None:
    """Remove an empty folder in an open folder.

    Raises:
        OSError: It cannot be removed.
    """
    path, folder = _locate(here, name)
    os.rmdir(path, dir_fd=folder)


def replace_file(old: str, new: str, here: int | None) -> None:
    """Rename a file in an open folder; a file that has the new name is replaced.

    Raises:
        OSError: The rename failed; a file that had the new name is unchanged.
    """
    (old_path, folder), (new_path, _) = _locate(here, old), _locate(here, new)
    os.replace(old_path, new_path, src_dir_fd=folder, dst_dir_fd=folder)


def link_file(old: str, new: str, here: int | None) -> None:
    """Give a file in an open folder a second name, which must be free.

    Raises:
        OSError: The name is taken, or the link failed.
    """
    (old_path, folder), (new_path, _) = _locate(here, old), _locate(here, new)
    os.link(old_path, new_path, src_dir_fd=folder, dst_dir_fd=folder)


def _locate(here: int | None, name: str | os.PathLike[str]) -> tuple[str, int | None]:
    """Return a path, and the descriptor of the folder it starts from."""
    if here is None or here >= 0:
        return os.fspath(name), here
    text = os.fspath(name)
    if text in ("", ".", "..") or any(sign in text for sign in "/\\:"):
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
    return str(_FOLDER_PATHS[here] / text), None


# Bytes of an open file.

_SEEKING: Final = threading.Lock()


_HAS_POSITIONS: Final = hasattr(os, "pread")
_HAS_CONTENT_SYNC: Final = hasattr(os, "fdatasync")
_DRIVE_SYNC: Final = _find_flag("FULLFSYNC", "F", _FCNTL)
"""What macOS needs: there, `fsync` leaves data in the drive's cache."""


def read_at(fd: int, size: int, start: int) -> bytes:
    """Read at most so many bytes from a position; the file's own position may move."""
    if _HAS_POSITIONS:
        return os.pread(fd, size, start)
    with _SEEKING:
        os.lseek(fd, start, os.SEEK_SET)
        return os.read(fd, size)


def write_at(fd: int, content: bytes, start: int) -> int:
    """Write bytes at a position, and return how many; the file's own position may move."""
    if _HAS_POSITIONS:
        return os.pwrite(fd, content, start)
    with _SEEKING:
        os.lseek(fd, start, os.SEEK_SET)
        return os.write(fd, content)


def sync_content(fd: int) -> None:
    """Make a file's content durable.

    Raises:
        OSError: It is not durable.
    """
    if _HAS_CONTENT_SYNC:
        os.fdatasync(fd)
    elif _DRIVE_SYNC:
        _FCNTL.fcntl(fd, _DRIVE_SYNC)
    else:
        os.fsync(fd)


def set_mode(fd: int, mode: int) -> None:
    """Set the permissions of an open file, where files have them."""
    if HAS_PERMISSIONS:
        os.fchmod(fd, mode)


def is_own_file(path: Path) -> bool:
    """Whether this user owns a file or folder; true where files have no owners.

    Raises:
        OSError: It cannot be read.
    """
    return not _HAS_OWNERS or path.stat().st_uid == os.geteuid()


# Locks.

_LOCKED_BYTE: Final = 1 << 40
"""Where no file has content: a locked byte on Windows cannot be read by others."""


def try_lock(fd: int, *, shared: bool = False) -> bool:
    """Lock the open file if that is possible at once; return whether it was.

    Windows has no shared lock: there, one reader at a time.
    """
    try:
        if _FCNTL is not None:
            _FCNTL.flock(fd, (_FCNTL.LOCK_SH if shared else _FCNTL.LOCK_EX) | _FCNTL.LOCK_NB)
        else:
            _change_byte_lock(fd, _MSVCRT.LK_NBLCK)
    except (BlockingIOError, PermissionError):
        return False
    return True


def release_lock(fd: int) -> None:
    """Unlock the open file, for every process that shares it by a fork."""
    if _FCNTL is not None:
        _FCNTL.flock(fd, _FCNTL.LOCK_UN)
    else:
        _change_byte_lock(fd, _MSVCRT.LK_UNLCK)


def _change_byte_lock(fd: int, change: int) -> None:
    with _SEEKING:
        before = os.lseek(fd, 0, os.SEEK_CUR)
        os.lseek(fd, _LOCKED_BYTE, os.SEEK_SET)
        try:
            _MSVCRT.locking(fd, change, 1)
        finally:
            os.lseek(fd, before, os.SEEK_SET)


# Processes and signals.

HAS_PROCESS_GROUPS: Final = hasattr(os, "killpg")
"""Whether a program can be killed together with all it has started."""


class ChildProcess(Protocol):
    """A program that this process has started."""

    @property
    def pid(self) -> int:
        """Its number."""

    def poll(self) -> int | None:
        """Return its exit code; None while it runs."""


def end_process_group(number: int) -> None:
    """Kill a program that was started in a session of its own, and all it has started."""
    import signal

    with contextlib.suppress(ProcessLookupError):
        os.killpg(number, signal.SIGKILL)


def has_process_ended(process: ChildProcess) -> bool:
    """Whether a child has ended; it stays unreaped, so its number belongs to it.

    Without `waitid` it is reaped.
    """
    if not hasattr(os, "waitid"):
        return process.poll() is not None
    return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def run_after_fork(action: Callable[[], None]) -> None:
    """Call this in every child that this process forks."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=action)


@contextlib.contextmanager
def block_interrupts() -> Iterator[None]:
    """Delay Ctrl-C for this thread and the processes it starts, where that is possible."""
    import signal

    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def read_open_file_limit() -> int | None:
    """Return how many files this process may have open; None if there is no limit."""
    resource: Any = _import_module("resource")
    if resource is None:
        return None
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return None if allowed == resource.RLIM_INFINITY else int(allowed)


# The keyboard of a terminal.

_KEY_POLL_SECONDS: Final = 0.05


def wait_for_input(seconds: float) -> bool:
    """Wait until something was typed; False if nothing was in so many seconds."""
    import select

    if _MSVCRT is None or not sys.stdin.isatty():
        return bool(select.select([sys.stdin], [], [], seconds)[0]) if _MSVCRT is None else True
    end = time.monotonic() + seconds
    while not _MSVCRT.kbhit():
        if time.monotonic() >= end:
            return False
        time.sleep(_KEY_POLL_SECONDS)
    return True


def discard_input() -> None:
    """Drop what was typed and not read yet."""
    termios: Any = _import_module("termios")
    if termios is not None:
        termios.tcflush(sys.stdin, termios.TCIFLUSH)
    elif _MSVCRT is not None:
        while _MSVCRT.kbhit():
            _MSVCRT.getwch()


@contextlib.contextmanager
def disable_echo() -> Iterator[None]:
    """Make the terminal deliver every key at once without echo; Ctrl-C still works.

    On Windows a key that is not read is not shown either.
    """
    termios: Any = _import_module("termios")
    if termios is None:
        yield
        return
    before = termios.tcgetattr(sys.stdin)
    quiet = [*before]
    quiet[3] = before[3] & ~(termios.ICANON | termios.ECHO)
    try:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, quiet)
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)
