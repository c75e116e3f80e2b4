"""Why stories cannot begin, as far as that is quickly known.

A list of stories must not take longer the more was written: the short ones are read until
so much was read, and one that was found whole is not read again until its file changes.
What is not known here is told by beginning the story.
"""

from pathlib import Path
from typing import Final

from saniwa.core.errors import SaniwaError
from saniwa.wiring.library import FIRST, StoryPlace
from saniwa.wiring.story import load_story

MOST: Final = 400_000
"""Bytes of stories that are read for one list; about half a second."""

_Look = tuple[int, int]


class Faults:
    """Finds out what keeps stories from beginning."""

    def __init__(self, registry: str | None) -> None:
        """Stories on the worlds of a registry; none of them is known yet."""
        self._registry = registry
        self._whole = dict[Path, _Look]()

    def look(self, most: int = MOST) -> "Looking":
        """Look at some stories one after the other, and read no more than so much."""
        return Looking(self._registry, self._whole, most)


class Looking:
    """One look at some stories."""

    def __init__(
        self, registry: str | None, whole: dict[Path, _Look], left: int
    ) -> None:
        """Those in `whole` were without faults when their files looked like that."""
        self._registry = registry
        self._whole = whole
        self._left = left

    def fault(self, place: StoryPlace) -> SaniwaError | None:
        """What keeps a story from beginning; None where nothing is known to."""
        try:
            look, size = _look(place.path), _size(place.path)
        except OSError:
            return None
        if self._whole.get(place.path) == look or size > self._left:
            return None
        self._left -= size
        try:
            load_story(place.path, self._registry)
        except SaniwaError as problem:
            return problem
        self._whole[place.path] = look
        return None


def _look(path: Path) -> _Look:
    found = path.stat()
    return found.st_mtime_ns, found.st_size


def _size(path: Path) -> int:
    """Bytes of a story; of one in a folder of its own, with the files beside it."""
    files = path.parent.glob("*.md") if path.name == FIRST else (path,)
    return sum(each.stat().st_size for each in files)
