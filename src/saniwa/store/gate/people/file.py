"""The file of a gate's people: read whole, changed by one at a time, for its owner alone."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from saniwa.core import lasting
from saniwa.core.alone import held
from saniwa.core.errors import StoreError
from saniwa.core.ready import ready
from saniwa.core.small_file import UnfitFileError, small_file
from saniwa.core.where import Where
from saniwa.store.shelf import unwritable

LARGEST = 1_000_000
"""Bytes the file may have."""
_OWNER_ALONE = 0o600
_KEY = 32


class Person(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody who may come with a secret."""

    name: str
    """What records call this person."""
    role: str
    """The role this person has, at every door."""
    salt: str
    """Makes equal secrets look different; hex."""
    hash: str
    """What scrypt makes of the secret; hex."""
    added_at: str
    """When; ISO 8601."""


class Former(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody who may come no longer, but whose decisions stay."""

    name: str
    """What records call this person."""
    key: str
    """What marks are confirmed with; opens no door; hex."""


class Sheet(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the file holds."""

    people: tuple[Person, ...] = ()
    """Everybody, in the order they came."""
    former: tuple[Former, ...] = ()
    """Those who were removed, in the order they went."""


def read(path: Path) -> Sheet:
    """What the file holds; nobody where there is none.

    A link that leads nowhere is no empty list: whoever is first needs nobody to vouch.

    Raises:
        StoreError: `STORE_UNREADABLE`.
    """
    try:
        sheet = msgspec.json.decode(small_file(path, LARGEST), type=Sheet)
        _check(sheet)
    except FileNotFoundError as problem:
        if (link := _leads_nowhere(path)) is not None:
            raise _unreadable(path, f"{link.name!r} leads nowhere") from problem
        return Sheet()
    except UnfitFileError as problem:
        raise _unreadable(path, f"it {problem}") from problem
    except OSError as problem:
        raise _unreadable(path, problem.strerror or str(problem)) from problem
    except (ValueError, RecursionError) as problem:
        raise _unreadable(path, str(problem)) from problem
    return sheet


def _check(sheet: Sheet) -> None:
    for each in sheet.people:
        bytes.fromhex(each.salt)
    keys = [each.hash for each in sheet.people] + [each.key for each in sheet.former]
    if any(len(bytes.fromhex(key)) != _KEY for key in keys):
        raise ValueError(f"a hash has not {_KEY} bytes")


def _leads_nowhere(path: Path) -> Path | None:
    links = (each for each in (path, *path.parents) if each.is_symlink())
    return next((each for each in links if not each.exists()), None)


def write(path: Path, sheet: Sheet) -> None:
    """Replace what the file holds; only its owner can read it.

    Raises:
        StoreError: `TRACE_UNWRITABLE`.
    """
    content = msgspec.json.format(msgspec.json.encode(sheet), indent=2) + b"\n"
    try:
        lasting.put(path.parent, path.name, content, _OWNER_ALONE)
    except OSError as problem:
        raise unwritable(path, problem) from problem


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Nobody else changes the file meanwhile: two who add somebody lose nobody.

    Raises:
        StoreError: `LOCK_TIMEOUT`, `TRACE_UNWRITABLE`.
    """
    try:
        fd = held(path.with_suffix(".lock"))
    except OSError as problem:
        raise unwritable(path, problem) from problem
    try:
        yield
    finally:
        os.close(fd)


def _unreadable(path: Path, why: str) -> StoreError:
    return StoreError(
        "STORE_UNREADABLE",
        f"who is known here cannot be read: {why}",
        where=Where(file=str(path)),
        hint="bring the file back from a copy",
    )


ready(Sheet)
