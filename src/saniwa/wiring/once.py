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

    def __init__(
        self,
        clock: Clock,
        weigh: Callable[[V], int] = lambda _: 0,
        heaviest: int = 0,
    ) -> None:
        """Nothing is remembered yet; what is must not weigh more than so much in all."""
        self._clock = clock
        self._weigh = weigh
        self._heaviest = heaviest
        self._known = OrderedDict[Hashable, V]()

    def made(self, name: Hashable, folders: Sequence[Path], make: Callable[[], V]) -> V:
        """What is made from everything in some folders, or was made from the very same.

        Raises:
            Exception: Whatever making it raises; that is not remembered.
        """
        key = self.key(name, folders)
        found = self.known(key)
        return self.remember(key, make()) if found is None else found

    def key(self, name: Hashable, folders: Sequence[Path]) -> Hashable | None:
        """What stands for a thing made from these folders as they are now.

        None where that cannot be said; then nothing is remembered.
        """
        looks = self._looks(folders)
        return None if looks is None else (name, looks)

    def known(self, key: Hashable | None) -> V | None:
        """What is remembered under a key."""
        if key is None or key not in self._known:
            return None
        self._known.move_to_end(key)
        return self._known[key]

    def remember(self, key: Hashable | None, made: V) -> V:
        """Remember what was made, and give it back; the longest unused is forgotten."""
        if key is None:
            return made
        self._known[key] = made
        while len(self._known) > MOST or (len(self._known) > 1 and self._too_heavy()):
            self._known.popitem(last=False)
        return made

    def _too_heavy(self) -> bool:
        return sum(map(self._weigh, self._known.values())) > self._heaviest

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
