"""A world tried out: deeds come of words as in a run, and nothing is kept.

Worlds are values, so every moment can be gone back to at no cost. For whoever looks at
all the ways of a story and not for playing one.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Final, Self

from saniwa.rulebook.book import Rulebook, taught
from saniwa.run import present
from saniwa.run.conductor import Run
from saniwa.run.facts import WorldFacts
from saniwa.run.hearing import Understood, hear_form, legible, plain
from saniwa.run.outcome import outcome_of
from saniwa.run.standing import Told
from saniwa.script.language.value import Value
from saniwa.script.playing.player import Outcome, Request
from saniwa.turn.parse import parse
from saniwa.turn.play import left_in, mentioned_in, play_turn
from saniwa.turn.trace import Turn, Words
from saniwa.world.canonical import fingerprint
from saniwa.world.model import Id, World
from saniwa.world.view import whose_turn

_MOST_DONE: Final = 20_000
"""Deeds whose outcome is remembered, since most ways come to the same ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """How a trial stood at one moment."""

    world: World
    """What was true."""
    last: Turn | None = None
    """The last turn."""
    mentioned: tuple[Id, ...] = ()
    """What had been spoken of, latest first."""
    left: Mapping[Id, Id] = field(default_factory=dict)
    """For whoever had gone somewhere, the place they had left last."""


class Trial:
    """A world without a store, at its beginning."""

    def __init__(self, world: World, book: Rulebook, actor: Id) -> None:
        """A trial of a world under a book, with the actor whom the reader plays."""
        self._book = book
        self._actor = actor
        world = taught(world, book)
        self._now = Mark(world=world)
        self._done: dict[Hashable, tuple[Outcome, Mark]] = {}
        self._facts = WorldFacts(lambda: self._now.world, world, actor)

    @classmethod
    def of(cls, run: Run) -> Self:
        """A trial that begins where a run stands; the run stays as it is."""
        return cls(run.world, run.book, run.actor)

    @property
    def world(self) -> World:
        """What is true now."""
        return self._now.world

    def do(self, request: Request) -> Outcome:
        """What comes of a request.

        Raises:
            RunError: `TEXT_UNREADABLE` for words that are no text.
        """
        known = (request.words, self._now.mentioned, self.fingerprint())
        if known not in self._done:
            if len(self._done) >= _MOST_DONE:
                self._done.clear()
            self._done[known] = self._played(request)
        outcome, self._now = self._done[known]
        return outcome

    def _played(self, request: Request) -> tuple[Outcome, Mark]:
        now = self._now
        words = Words(
            actor_id=self._actor,
            text=legible(request.words),
            mentioned=now.mentioned,
            came_from=now.left.get(self._actor),
        )
        turn, world = play_turn(words, self._heard(words).claims, now.world, self._book)
        after = Mark(
            world=world,
            last=turn,
            mentioned=mentioned_in(turn, now.mentioned),
            left=left_in(turn, now.left),
        )
        told = Told(turn, present.present(turn, now.world, world))
        return outcome_of(told), after

    def fact(self, name: str, given: tuple[Value, ...]) -> Value:
        """The value of `flag`, `place`, `holds`, `here` or `state`.

        Raises:
            ScriptError: `FACT_UNKNOWN` for a name the world does not have.
        """
        return self._facts.fact(name, given)

    def mark(self) -> Mark:
        """This moment, to be gone back to."""
        return self._now

    def go_back(self, mark: Mark) -> None:
        """Stand where the trial stood at a moment."""
        self._now = mark

    def fingerprint(self) -> Hashable:
        """Equal where words lead to the same.

        What is true, whose turn it is, where "back" leads, and what was asked all count.
        What was last spoken of does not, or no two moments would be the same.
        """
        now = self._now
        asked = now.last.clarification if now.last is not None else None
        question = "" if asked is None else repr(asked)
        back = now.left.get(self._actor, "")
        return fingerprint(now.world), whose_turn(now.world), back, question

    def _heard(self, words: Words) -> Understood:
        world, last = self._now.world, self._now.last
        known = hear_form(words, world, last)
        if known is not None:
            return known
        return Understood(plain(parse(words.text, words.actor_id, world)))
