"""The spaces of our environments: words, and places in a list."""

from typing import Any, Final, Literal

import numpy as np
from gymnasium import spaces
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
