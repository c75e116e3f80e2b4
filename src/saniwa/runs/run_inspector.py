"""Read-only views of a run for inspection: rulebooks and characters' minds per turn.

A mind is built from the turns its character could perceive and from nothing else, so a
resumed run has the same minds, and a run that goes back has those of that time.
"""

from threading import Lock
from typing import Any

from saniwa.agent.mind.mind import Mind
from saniwa.agent.mind.perception import build_opening_mind, perceive
from saniwa.rulebook.book import Rulebook
from saniwa.rulebook.loader import build_rulebook
from saniwa.runs.run import Run
from saniwa.runs.timeline import BEGINNING
from saniwa.turn.record import RunReturn, Turn
from saniwa.world.model import Id


class RunMinds:
    """The minds of a run's characters; each is built when it is first requested.

    Minds share the parts they have in common, as the run's worlds do.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        self._minds = dict[Id, list[Mind]]()

    def find_mind(self, who: Id) -> Mind:
        """What the character believes now. Costs the turns since the last call.

        Raises:
            StoreError: The store cannot be read.
        """
        known = self._minds.get(who)
        if known is None:
            opening = build_opening_mind(self._run.find_world_after(BEGINNING), who)
            known = self._minds[who] = [opening]
        for turn in self._run.read_followed_turns(len(known) - 1):
            known.append(self._update_mind(known, turn))
        return known[-1]

    def find_mind_after(self, who: Id, number: int) -> Mind:
        """What the character believed after a turn of the run; -1 for the beginning.

        Raises:
            IndexError: There is no such turn.
            StoreError: The store cannot be read.
        """
        if not BEGINNING <= number < self._run.count:
            raise IndexError(number)
        self.find_mind(who)
        return self._minds[who][number + 1]

    def _update_mind(self, known: list[Mind], turn: Turn) -> Mind:
        if isinstance(turn.aside, RunReturn):
            return known[turn.aside.to + 1]
        if turn.aside is not None:
            return known[-1]
        before = self._run.find_world_after(turn.number - 1)
        after = self._run.find_world_after(turn.number)
        return perceive(known[-1], turn, before, after)


class RunInspector:
    """Inspects one run at any of its turns; may be used from several threads."""

    def __init__(self, run: Run) -> None:
        """Inspect a run, which may continue meanwhile."""
        self.run = run
        """The run."""
        self._minds = RunMinds(run)
        self._books = dict[int, Rulebook]()
        self._lock = Lock()

    def list_layers(self, number: int) -> tuple[dict[str, Any], ...]:
        """The rulebook layers that judged a turn, lowest first.

        For a rulebook edit, its own layer is included.
        """
        own = (each.layer for each in self.run.edits if each.turn <= number)
        return (*self.run.record.books, *own)

    def find_book(self, number: int) -> Rulebook:
        """The rulebook that judged a turn.

        Raises:
            RulebookError: The rulebook can no longer be read.
        """
        layers = self.list_layers(number)
        with self._lock:
            if len(layers) not in self._books:
                self._books[len(layers)] = build_rulebook(layers)
            return self._books[len(layers)]

    def find_mind(self, who: Id, number: int) -> Mind:
        """What a character believed after a turn; -1 for the beginning.

        Raises:
            IndexError: There is no such turn.
            StoreError: The store cannot be read.
        """
        with self._lock:
            return self._minds.find_mind_after(who, number)
