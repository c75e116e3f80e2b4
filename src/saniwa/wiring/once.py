"""What is made from files, made once for as long as the files stay as they are.

Many players begin the same story at the same time. It is read for the first, and again
when anything in its folder has changed.
"""

import os
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from pathlib import Path
from typing import Final, Generic, TypeVar

from saniwa.core.clock import Clock

MOST: Final = 64
"""Things that are remembered; the one that was not asked for longest is forgotten."""
MOST_FILES: Final = 2_000
"""Files that are looked at; with more of them, nothing is remembered."""
YOUNG: Final = 2_000
"""Milliseconds after which a file that was written counts as left alone.

A clock of files may stand still for longer than two writings are apart.
"""

V = TypeVar("V")
_Look = tuple[str, int, int, int]


class Once(Generic[V]):
    """Remembers what was made, by name and by how the files looked."""

    def __init__(self, clock: Clock) -> None:
        """Nothing is remembered yet."""
        self._clock = clock
        self._known = OrderedDict[Hashable, V]()

    def made(self, name: Hashable, folders: Sequence[Path], make: Callable[[], V]) -> V:
        """What is made from everything in some folders, or was made from the very same.

        Raises:
            Exception: Whatever making it raises; that is not remembered.
        """
        looks = self._looks(folders)
        if looks is None:
            return make()
        key = (name, looks)
        if key not in self._known:
            self._known[key] = make()
        self._known.move_to_end(key)
        while len(self._known) > MOST:
            self._known.popitem(last=False)
        return self._known[key]

    def _looks(self, folders: Sequence[Path]) -> tuple[_Look, ...] | None:
        """How the files look; None for too many, too young ones, or none to be seen."""
        looks = list[_Look]()
        try:
            for look in (look for folder in folders for look in _below(folder)):
                looks.append(look)
                if len(looks) > MOST_FILES:
                    return None
        except OSError:
            return None
        newest = max((changed for _, changed, _, _ in looks), default=0)
        young = newest // 1_000_000 > self._clock.now() - YOUNG
        return None if young else tuple(looks)


def _below(folder: Path) -> Iterator[_Look]:
    """Every file and folder below one: its path, when it changed, its size and number."""
    waiting = [str(folder)]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                state = entry.stat(follow_symlinks=False)
                yield entry.path, state.st_ctime_ns, state.st_size, state.st_ino
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
