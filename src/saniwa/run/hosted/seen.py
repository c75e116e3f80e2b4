"""Which lines of a story somebody has seen, over all their playings of it."""

from hashlib import sha256

import msgspec

from saniwa.run.hosted.record import Origin
from saniwa.run.hosted.renewed import renewed
from saniwa.store.plays.port import Plays


class Seen:
    """The lines one person has seen of one story."""

    def __init__(self, origin: Origin, plays: Plays) -> None:
        """Those of whoever began it; a draft is remembered by nobody."""
        named = f"{origin.story}\n{origin.owner}".encode("utf-8", "replace")
        played = origin.story and not origin.draft
        self._id = f"seen-{sha256(named).hexdigest()[:24]}" if played else ""
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

        def joined(content: bytes | None) -> bytes | None:
            known = frozenset(_read(content)) if content else frozenset[str]()
            return None if ids <= known else msgspec.json.encode(sorted(known | ids))

        if self._id:
            renewed(self._plays, self._id, joined)


def _read(content: bytes) -> list[str]:
    return msgspec.json.decode(content, type=list[str])
