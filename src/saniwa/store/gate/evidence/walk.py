"""A file of evidence, opened on the safe way, or what is wrong with it in words."""

import errno
import os
import stat
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from saniwa.core.inside import LinkError, folder_inside, open_inside, walked

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
    try:
        with walked(top, steps[:-1], _folder) as here:
            handle = _file(here, steps[-1])
    except OSError as problem:
        raise UnfitError(_why(problem)) from problem
    try:
        yield handle
    finally:
        os.close(handle)


def _file(here: int, name: str) -> int:
    # Looked at before it is opened: opening some devices is already doing something.
    _check_kind(_state(here, name))
    handle = _step(here, name, open_inside)
    try:
        _check_kind(os.fstat(handle))
    except UnfitError:
        os.close(handle)
        raise
    return handle


def _folder(here: int, name: str) -> int:
    return _step(here, name, folder_inside)


def _step(here: int, name: str, opened: Callable[[int, str], int]) -> int:
    try:
        return opened(here, name)
    except LinkError as problem:
        raise UnfitError(_LINK) from problem
    except OSError as problem:
        _state(here, name)
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
