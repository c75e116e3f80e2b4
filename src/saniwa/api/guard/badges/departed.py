"""Badges that were given back: they count no longer, also after a restart.

Kept by name: at most so many for each person, and then all that person's badges so far.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec

from saniwa.api.guard.badges.badge import Badge
from saniwa.api.guard.badges.watched import Watched
from saniwa.core import lasting
from saniwa.core.errors import StoreError
from saniwa.core.ready import ready
from saniwa.core.small_file import small_file
from saniwa.core.where import Where
from saniwa.store.gate.people import file as people_file
from saniwa.store.shelf import unwritable

NAME: Final = "signed-out.json"
"""What the file is called."""
MOST: Final = 50
"""Badges of one person that are remembered one by one."""
_LARGEST: Final = 8_000_000
_OWNER_ALONE: Final = 0o600


class Gone(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What one person has given back."""

    before: int = 0
    """Every badge that was issued until then."""
    serials: dict[str, int] = {}
    """And these, each with the time it would have ended by itself."""


_Sheet = dict[str, Gone]


class Departed:
    """The badges that were given back, in one file."""

    def __init__(self, folder: Path) -> None:
        """Those in a folder; none yet where there is no file."""
        self._watched = Watched(folder / NAME, _read)

    def has(self, badge: Badge) -> bool:
        """Whether a badge was given back.

        Raises:
            StoreError: `STORE_UNREADABLE`.
        """
        gone = self._watched.now().get(badge.name)
        if gone is None:
            return False
        return badge.issued <= gone.before or badge.serial in gone.serials

    def add(self, badge: Badge, now: int) -> None:
        """Let a badge count no longer; it is written down when this returns.

        Raises:
            StoreError: `LOCK_TIMEOUT`, `STORE_UNREADABLE`, `TRACE_UNWRITABLE`.
        """
        self._put(badge.name, lambda gone: _with(gone, badge, now))

    def add_all(self, name: str, now: int) -> None:
        """Let every badge a person was given until now count no longer.

        Raises:
            StoreError: As for `add`.
        """
        self._put(name, lambda gone: Gone(before=max(gone.before, now)))

    def _put(self, name: str, changed: Callable[[Gone], Gone]) -> None:
        path = self._watched.path
        with people_file.alone(path):
            sheet = dict(_read(path))
            sheet[name] = changed(sheet.get(name, Gone()))
            try:
                content = msgspec.json.encode(sheet)
                lasting.put(path.parent, path.name, content, _OWNER_ALONE)
            except OSError as problem:
                raise unwritable(path, problem) from problem


def _with(gone: Gone, badge: Badge, now: int) -> Gone:
    serials = {**gone.serials, badge.serial: badge.expires}
    left = {serial: end for serial, end in serials.items() if end > now}
    before = gone.before
    if len(left) > MOST:
        left, before = {}, max(before, now)
    # A clock may have been ahead, or be set back: what is forgotten here counts no longer
    # whatever the time will be.
    lifetime = badge.expires - badge.issued
    issued = [end - lifetime for serial, end in serials.items() if serial not in left]
    return Gone(before=max([before, *issued]), serials=left)


def _read(path: Path) -> _Sheet:
    try:
        return msgspec.json.decode(small_file(path, _LARGEST), type=_Sheet)
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as problem:
        raise StoreError(
            "STORE_UNREADABLE",
            f"who has signed out cannot be read: {problem}",
            where=Where(file=str(path)),
            hint=f"remove {NAME!r} and 'badge.key': everybody signs in again",
        ) from problem


ready(_Sheet)
