"""The way to a file, one folder at a time: no link is followed, nothing is waited for.

Each step is opened from the folder before it, so nobody can turn the way while we are
on it; what was opened in the end is the very thing that is read.
"""

import errno
import os
import stat
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

_ALWAYS = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY
_GONE = "is not there"
_LINK = "leads through a link, and links are not followed"
_OTHER = "is no regular file"


class UnfitError(Exception):
    """What is wrong with a file; reads on after its name: `is not there`."""


@contextmanager
def opened(top: Path, steps: Sequence[str]) -> Iterator[int]:
    """A regular file as a descriptor, closed afterwards.

    `top` is ours and may be reached through links; nothing below it may.

    Raises:
        UnfitError: There is no such file, or it is not one we open.
    """
    here = _start(top)
    try:
        for step in steps[:-1]:
            inner = _step(here, step, os.O_DIRECTORY)
            os.close(here)
            here = inner
        handle = _file(here, steps[-1])
    finally:
        os.close(here)
    try:
        yield handle
    finally:
        os.close(handle)


def _start(top: Path) -> int:
    try:
        return os.open(top, os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY)
    except OSError as problem:
        raise UnfitError(_why(problem)) from problem


def _file(here: int, name: str) -> int:
    # Looked at before it is opened: opening some devices is already doing something.
    _check_kind(_state(here, name))
    handle = _step(here, name, 0)
    try:
        _check_kind(os.fstat(handle))
    except UnfitError:
        os.close(handle)
        raise
    return handle


def _step(here: int, name: str, more: int) -> int:
    try:
        return os.open(name, _ALWAYS | more, dir_fd=here)
    except OSError as problem:
        if stat.S_ISLNK(_state(here, name).st_mode):
            raise UnfitError(_LINK) from problem
        raise UnfitError(_why(problem)) from problem


def _state(here: int, name: str) -> os.stat_result:
    try:
        return os.stat(name, dir_fd=here, follow_symlinks=False)
    except FileNotFoundError as problem:
        raise UnfitError(_GONE + _other_form(here, name)) from problem
    except OSError as problem:
        raise UnfitError(_why(problem)) from problem


def _check_kind(state: os.stat_result) -> None:
    if stat.S_ISLNK(state.st_mode):
        raise UnfitError(_LINK)
    if stat.S_ISDIR(state.st_mode):
        raise UnfitError("is a folder")
    if not stat.S_ISREG(state.st_mode):
        raise UnfitError(_OTHER)


def _why(problem: OSError) -> str:
    if problem.errno in (errno.ENOENT, errno.ENOTDIR):
        return _GONE
    if problem.errno == errno.ENXIO:
        return _OTHER
    return f"cannot be opened: {problem.strerror}"


def _other_form(here: int, name: str) -> str:
    """A file whose name looks the same: people cannot see what differs."""
    for form in ("NFC", "NFD"):
        other = unicodedata.normalize(form, name)
        if other != name and _exists(here, other):
            return f"; a file is, whose name is written in Unicode's form {form}"
    return ""


def _exists(here: int, name: str) -> bool:
    try:
        os.stat(name, dir_fd=here, follow_symlinks=False)
    except OSError:
        return False
    return True
