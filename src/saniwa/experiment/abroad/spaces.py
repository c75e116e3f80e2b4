"""The spaces of our environments: words, and places in a list."""

import sys
from collections.abc import Sequence
from typing import Any, Final, Literal, overload

import numpy as np
from gymnasium import spaces
from gymnasium.vector.utils import read_from_shared_memory
from numpy.typing import NDArray

from saniwa.experiment.abroad.episode import LONGEST

Actions = Literal["list", "words"]
"""How an action is given: by its place in the list of what may be done, or in words."""
MOST_ACTIONS: Final = 512
"""Places in the list, where nobody says otherwise."""
LONGEST_WORDS: Final = 1000
"""Letters of an action in words."""
_SAMPLED: Final = "abcdefghijklmnopqrstuvwxyz "


class Words(spaces.Text):
    """Any text up to a length, in any language; samples are plain letters.

    The library's own space holds letters from a list, and no list holds all that stories
    are written in.
    """

    def __init__(self, longest: int) -> None:
        super().__init__(longest, min_length=0, charset=_SAMPLED)

    def contains(self, x: Any) -> bool:
        """Whether it is a text, and not too long."""
        return isinstance(x, str) and len(x) <= self.max_length


# Gymnasium's own functions know letters from a list alone, and read texts from shared
# memory only once. Environments in processes of their own hand observations over as
# numbers: ours are code points, one more than they are, so that 0 is no letter.


@spaces.flatten.register(Words)
def _flatten_words(space: Words, x: str) -> NDArray[np.int32]:  # type: ignore[misc]
    """The letters of a text as numbers, filled up to the longest there may be."""
    points = np.zeros(space.max_length, dtype=np.int32)
    letters = np.frombuffer(x.encode("utf-32-le", "surrogatepass"), dtype="<i4")
    points[: len(letters)] = letters + 1
    return points


@spaces.unflatten.register(Words)
def _unflatten_words(space: Words, x: NDArray[np.int32]) -> str:  # type: ignore[misc]
    """The text of such numbers."""
    del space
    points = np.asarray(x, dtype="<i4")
    letters = points[points > 0] - 1
    return letters.astype("<i4").tobytes().decode("utf-32-le", "surrogatepass")


@spaces.flatten_space.register(Words)
def _flatten_words_space(space: Words) -> spaces.Box:
    most = sys.maxunicode + 1
    return spaces.Box(0, most, shape=(space.max_length,), dtype=np.int32)


class SharedTexts(Sequence[str]):
    """The texts in a shared memory as they are now; a copy of it is a tuple."""

    def __init__(self, space: Words, memory: Any, count: int) -> None:
        self._space = space
        self._memory = memory
        self._count = count

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...
    def __getitem__(self, index: int | slice) -> str | tuple[str, ...]:
        texts = self._texts()
        return texts[index]

    def __deepcopy__(self, memo: dict[int, Any]) -> tuple[str, ...]:
        del memo
        return self._texts()

    def _texts(self) -> tuple[str, ...]:
        whole = np.frombuffer(self._memory.get_obj(), dtype=np.int32)
        rows = whole.reshape(self._count, self._space.max_length)
        return tuple(_unflatten_words(self._space, each) for each in rows)


@read_from_shared_memory.register(Words)
def _read_words(space: Words, shared_memory: Any, n: int = 1) -> SharedTexts:
    return SharedTexts(space, shared_memory, n)


def observation_space() -> Words:
    """What somebody perceives."""
    return Words(LONGEST)


def action_space(actions: Actions, most: int) -> "spaces.Discrete | Words":
    """What an action may be."""
    return spaces.Discrete(most) if actions == "list" else Words(LONGEST_WORDS)


def mask_of(count: int, most: int) -> NDArray[np.int8]:
    """1 for the places of the list that hold something that may be done: the first."""
    mask = np.zeros(most, dtype=np.int8)
    mask[:count] = 1
    return mask
