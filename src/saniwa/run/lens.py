"""A run looked at closely: the book that judged each turn, and what was believed then.

What is worked out is kept, so that going to and fro in a long run costs what is new.
"""

from threading import Lock
from typing import Any, NamedTuple

from saniwa.agent.belief.mind import Mind
from saniwa.rulebook.book import Rulebook
from saniwa.rulebook.load import book_from_layers
from saniwa.run.conductor import Run
from saniwa.run.seats import PERSON
from saniwa.run.table.minds import Minds
from saniwa.turn.trace import Edit, Seating
from saniwa.world.model import Id


class KeptEdit(NamedTuple):
    """A layer that was laid over a run's book."""

    turn: int
    """The turn that kept it."""
    at: int
    """When; milliseconds since 1970."""
    layer: dict[str, Any]
    """The layer."""


class Lens:
    """One run, looked at by whoever watches it; may be used from several threads."""

    def __init__(self, run: Run) -> None:
        """A lens on a run, which goes on meanwhile."""
        self.run = run
        """The run."""
        self._minds = Minds(run)
        self._edits = list[KeptEdit]()
        self._agents = dict[Id, str]()
        self._followed = 0
        self._books = dict[int, Rulebook]()
        self._alone = Lock()

    def edits(self) -> tuple[KeptEdit, ...]:
        """Every edit of the run's book, oldest first.

        Raises:
            StoreError: The store cannot be read.
        """
        with self._alone:
            self._follow()
            return tuple(self._edits)

    def agents(self) -> dict[Id, str]:
        """For every character an agent has played, the one who did last.

        Raises:
            StoreError: The store cannot be read.
        """
        with self._alone:
            self._follow()
            return dict(self._agents)

    def layers(self, number: int) -> tuple[dict[str, Any], ...]:
        """The layers a turn was judged by, lowest first; for an edit, with its own.

        Raises:
            StoreError: The store cannot be read.
        """
        own = (each.layer for each in self.edits() if each.turn <= number)
        return (*self.run.record.books, *own)

    def book(self, number: int) -> Rulebook:
        """The book a turn was judged by.

        Raises:
            StoreError: The store cannot be read.
            RulebookError: The book can no longer be read.
        """
        layers = self.layers(number)
        with self._alone:
            if len(layers) not in self._books:
                self._books[len(layers)] = book_from_layers(layers)
            return self._books[len(layers)]

    def mind(self, who: Id, number: int) -> Mind:
        """What a character believed after a turn; -1 for the beginning.

        Raises:
            IndexError: There is no such turn.
            StoreError: The store cannot be read.
        """
        with self._alone:
            return self._minds.at(who, number)

    def _follow(self) -> None:
        for turn in self.run.so_far(self._followed):
            match turn.aside:
                case Edit(book=layer):
                    self._edits.append(KeptEdit(turn.number, turn.timestamp, layer))
                case Seating(seats=seats):
                    played = {Id(w): n for w, n in seats.items() if n != PERSON}
                    self._agents.update(played)
            self._followed = turn.number + 1
