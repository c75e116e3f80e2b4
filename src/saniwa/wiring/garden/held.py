"""The runs that are held open: so many, and together so heavy."""

from collections import OrderedDict
from collections.abc import Iterator
from typing import Final

from saniwa.run.hosted.form import Hosted
from saniwa.run.hosted.story import HostedStory
from saniwa.script.story import Story

OPEN: Final = 512
"""Runs that are held open; the one that was not asked for longest is let go."""
HEAVIEST: Final = 400_000
"""Operations that all stories held open may have together: some 200 MB."""
_LETTERS: Final = 100
"""Letters of a draft that weigh as much as an operation."""


class Held:
    """Runs that are held open."""

    def __init__(self) -> None:
        """None yet."""
        self._open = OrderedDict[str, Hosted]()

    def __len__(self) -> int:
        """How many there are."""
        return len(self._open)

    def __iter__(self) -> Iterator[str]:
        """Their ids; the one that was not asked for longest comes first."""
        return iter(self._open)

    def find(self, run_id: str) -> Hosted | None:
        """A run, if it is held."""
        return self._open.get(run_id)

    def hold(self, hosted: Hosted) -> None:
        """Hold a run, and let go of what is too much beside it."""
        new = hosted.id not in self._open
        self._open[hosted.id] = hosted
        self._open.move_to_end(hosted.id)
        if new:
            self._let_go(hosted)

    def clear(self) -> None:
        """Let go of everything."""
        self._open.clear()

    def _let_go(self, newest: Hosted) -> None:
        while len(self._open) > OPEN:
            self._open.popitem(last=False)
        # Who plays something small does not pay for what is large.
        for each in [*self._open.values()]:
            if self._weight() <= HEAVIEST:
                return
            if each is not newest and _weight_alone(each) > HEAVIEST // OPEN:
                del self._open[each.id]

    def _weight(self) -> int:
        """All stories, each once however many play it, and what each player has of them."""
        told = [each for each in self._open.values() if isinstance(each, HostedStory)]
        stories = {id(each.performance.story): each.performance.story for each in told}
        return sum(map(weight_of, stories.values())) + sum(map(_beside, told))


def weight_of(story: Story) -> int:
    """How much room a story takes, in operations."""
    return len(story.program.ops)


def _weight_alone(hosted: Hosted) -> int:
    if not isinstance(hosted, HostedStory):
        return 0
    return weight_of(hosted.performance.story) + _beside(hosted)


def _beside(hosted: HostedStory) -> int:
    """What a play weighs beside its story: its player, and the draft it was made of."""
    return hosted.performance.player.weight + len(hosted.origin.draft) // _LETTERS
