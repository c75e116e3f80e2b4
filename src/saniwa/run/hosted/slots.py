"""Places of a story to come back to, kept beside it by the names people gave them."""

from collections.abc import Iterator
from hashlib import sha256
from typing import Final

import msgspec

from saniwa.core.errors import StoreError
from saniwa.core.near import did_you_mean
from saniwa.core.quoted import quoted
from saniwa.core.ready import ready
from saniwa.run.hosted.form import Slot
from saniwa.run.hosted.renewed import renewed
from saniwa.run.hosted.unpacked import unpacked
from saniwa.store.lookup import check_name
from saniwa.store.plays.port import Plays

MOST: Final = 200
"""Places one story may have."""


class _Place(msgspec.Struct, frozen=True, kw_only=True):
    slot: Slot
    state: msgspec.Raw


class Slots:
    """The saved places of one story."""

    def __init__(self, run: str, plays: Plays) -> None:
        """Those of a run, as they are kept."""
        self._prefix = f"save-{run}/"
        self._plays = plays

    def put(self, name: str, created: int, state: bytes, line: str) -> Slot:
        """Keep a place; the same name moves.

        Raises:
            StoreError: `SAVE_UNNAMED`; `SAVES_TOO_MANY`; it could not be kept.
        """
        check_name(name, "the story")
        slot = Slot(name=name, created=created, line=line)
        content = msgspec.json.encode(_Place(slot=slot, state=msgspec.Raw(state)))

        def moved(before: bytes | None) -> bytes:
            if before is None and sum(1 for _ in self._ids()) >= MOST:
                raise _too_many()
            return content

        renewed(self._plays, self._id(name), moved)
        return slot

    def state(self, name: str) -> bytes:
        """Where story and world stood there.

        Raises:
            StoreError: `SAVE_NOT_FOUND`, `STORE_UNREADABLE`.
        """
        id = self._id(name)
        kept = self._plays.get(id)
        if kept is None:
            raise self._missing(name)
        return bytes(unpacked(id, kept.content, _Place).state)

    def listed(self) -> tuple[Slot, ...]:
        """All of them, in order of name.

        Raises:
            StoreError: `STORE_UNREADABLE`.
        """
        found = ((id, self._plays.get(id)) for id in self._ids())
        places = (unpacked(id, each.content, _Place) for id, each in found if each)
        return tuple(sorted((each.slot for each in places), key=lambda slot: slot.name))

    def drop(self, name: str) -> None:
        """Forget one.

        Raises:
            StoreError: `SAVE_NOT_FOUND`.
        """
        if self._plays.get(self._id(name)) is None:
            raise self._missing(name)
        self._plays.drop(self._id(name))

    def _ids(self) -> Iterator[str]:
        for id in self._plays.ids(after=self._prefix, limit=MOST):
            if not id.startswith(self._prefix):
                return
            yield id

    def _id(self, name: str) -> str:
        return self._prefix + sha256(name.encode("utf-8", "replace")).hexdigest()[:16]

    def _missing(self, name: str) -> StoreError:
        names = [slot.name for slot in self.listed()]
        there = f"there is: {', '.join(names)}" if names else "nothing was saved"
        return StoreError(
            "SAVE_NOT_FOUND",
            f"there is no save {quoted(name)} of this story",
            hint=did_you_mean(name, names) or there,
            details={"save": name, "saves": names},
        )


def _too_many() -> StoreError:
    return StoreError(
        "SAVES_TOO_MANY",
        f"this story has {MOST} saves already",
        hint="remove one, or save under a name it has",
    )


ready(_Place)
