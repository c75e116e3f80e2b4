"""What each character at a table believes, followed turn by turn as the run goes on.

A mind is made of the turns its character could perceive and of nothing else, so a resumed
run has the minds it had, and a run that goes back has those of that time.
"""

from threading import Lock
from typing import Any

from saniwa.agent.mind.model import Mind
from saniwa.agent.mind.perception import build_opening_mind, perceive
from saniwa.rulebook.book import Rulebook
from saniwa.rulebook.loader import build_rulebook
from saniwa.runs.run import Run
from saniwa.runs.timeline import BEGINNING
from saniwa.turn.record import RunReturn, Turn
from saniwa.world.model import Id


class RunMinds:
    """The minds of a run's characters; each is followed from when it is first asked for.

    They share what they have in common, as the run's worlds do.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        self._minds = dict[Id, list[Mind]]()

    def find_mind(self, who: Id) -> Mind:
        """What the character believes now. Costs the turns since it was last asked for.

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
        """What the character believed after one of the run's turns; -1 for the beginning.

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
    """One run, looked at by whoever watches it; may be used from several threads."""

    def __init__(self, run: Run) -> None:
        """A lens on a run, which goes on meanwhile."""
        self.run = run
        """The run."""
        self._minds = RunMinds(run)
        self._books = dict[int, Rulebook]()
        self._alone = Lock()

    def list_layers(self, number: int) -> tuple[dict[str, Any], ...]:
        """The layers a turn was judged by, lowest first; for an edit, with its own."""
        own = (each.layer for each in self.run.edits if each.turn <= number)
        return (*self.run.record.books, *own)

    def find_book(self, number: int) -> Rulebook:
        """The book a turn was judged by.

        Raises:
            RulebookError: The book can no longer be read.
        """
        layers = self.list_layers(number)
        with self._alone:
            if len(layers) not in self._books:
                self._books[len(layers)] = build_rulebook(layers)
            return self._books[len(layers)]

    def find_mind(self, who: Id, number: int) -> Mind:
        """What a character believed after a turn; -1 for the beginning.

        Raises:
            IndexError: There is no such turn.
            StoreError: The store cannot be read.
        """
        with self._alone:
            return self._minds.find_mind_after(who, number)
