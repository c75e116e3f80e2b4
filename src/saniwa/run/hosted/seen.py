"""Which lines of a story somebody has seen, over all their playings of it."""

from hashlib import sha256
from typing import Final

import msgspec

from saniwa.core.errors import StoreError
from saniwa.run.hosted.record import Origin
from saniwa.store.plays.port import Plays

_TRIES: Final = 5


class Seen:
    """The lines one person has seen of one story."""

    def __init__(self, origin: Origin, plays: Plays) -> None:
        """Those of whoever began it; a draft is remembered by nobody."""
        named = f"{origin.story}\n{origin.owner}".encode("utf-8", "replace")
        self._id = f"seen-{sha256(named).hexdigest()[:24]}" if origin.story else ""
        self._plays = plays

    def ids(self) -> frozenset[str]:
        """The ids of those lines."""
        kept = self._plays.get(self._id) if self._id else None
        return frozenset(_read(kept.content)) if kept else frozenset()

    def keep(self, ids: frozenset[str]) -> None:
        """Remember these as well.

        Two playings at once lose nothing of each other.

        Raises:
            StoreError: It could not be kept.
        """
        for _ in range(_TRIES if self._id else 0):
            kept = self._plays.get(self._id)
            known = frozenset(_read(kept.content)) if kept else frozenset()
            if ids <= known:
                return
            content = msgspec.json.encode(sorted(known | ids))
            try:
                if kept is None:
                    self._plays.create(self._id, content)
                else:
                    self._plays.put(self._id, content, after=kept.revision)
            except StoreError as problem:
                if problem.code not in ("REVISION_CONFLICT", "RUN_EXISTS"):
                    raise
            else:
                return


def _read(content: bytes) -> list[str]:
    return msgspec.json.decode(content, type=list[str])
