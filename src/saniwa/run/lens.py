"""A run looked at closely: the book that judged each turn, and what was believed then.

What is worked out is kept, so that going to and fro in a long run costs what is new.
"""

from threading import Lock
from typing import Any

from saniwa.agent.belief.mind import Mind
from saniwa.rulebook.book import Rulebook
from saniwa.rulebook.load import book_from_layers
from saniwa.run.conductor import Run
from saniwa.run.table.minds import Minds
from saniwa.world.model import Id


class Lens:
    """One run, looked at by whoever watches it; may be used from several threads."""

    def __init__(self, run: Run) -> None:
        """A lens on a run, which goes on meanwhile."""
        self.run = run
        """The run."""
        self._minds = Minds(run)
        self._books = dict[int, Rulebook]()
        self._alone = Lock()

    def layers(self, number: int) -> tuple[dict[str, Any], ...]:
        """The layers a turn was judged by, lowest first; for an edit, with its own."""
        own = (each.layer for each in self.run.edits if each.turn <= number)
        return (*self.run.record.books, *own)

    def book(self, number: int) -> Rulebook:
        """The book a turn was judged by.

        Raises:
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
