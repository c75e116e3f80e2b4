"""Which lines of a story somebody has seen, over all their playings of it."""

from hashlib import sha256

import msgspec

from saniwa.run.hosted.record import Origin
from saniwa.run.hosted.renewed import renewed
from saniwa.run.hosted.unpacked import unpacked
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
        """The ids of those lines.

        Raises:
            StoreError: `STORE_UNREADABLE`.
        """
        kept = self._plays.get(self._id) if self._id else None
        return self._known(kept.content) if kept else frozenset()

    def keep(self, ids: frozenset[str]) -> None:
        """Remember these as well.

        Two playings at once lose nothing of each other.

        Raises:
            StoreError: It could not be kept, or what is kept cannot be read.
        """

        def joined(content: bytes | None) -> bytes | None:
            known = self._known(content) if content else frozenset[str]()
            return None if ids <= known else msgspec.json.encode(sorted(known | ids))

        if self._id:
            renewed(self._plays, self._id, joined)

    def _known(self, content: bytes) -> frozenset[str]:
        return frozenset(unpacked(self._id, content, list[str]))
