"""A run as far as a story has seen it.

The run may be ahead of the story: because the machine stopped between a deed and the
story's next line, because an older state was loaded, or because somebody else plays on in
the same run. What was done already is not done again, and what somebody else has done is
not taken back unasked.
"""

from typing import Final

from saniwa.core.errors import StoreError
from saniwa.run.conductor import Run
from saniwa.run.outcome import outcome_of
from saniwa.run.standing import Told
from saniwa.script.playing.player import Outcome
from saniwa.world.model import World

_CONFLICT: Final = "REVISION_CONFLICT"


class Followed:
    """A run, and how many of its turns a story knows of."""

    def __init__(self, run: Run, known: int | None = None) -> None:
        """A run that a story knows as it stands, or up to a turn it was loaded from.

        Loaded from one, the deed after it may be taken back.
        """
        self.run: Final = run
        """The run."""
        self.known = run.count if known is None else known
        """How many of its turns the story has seen."""
        self._loaded = known is not None

    @property
    def world(self) -> World:
        """What is true where the story stands."""
        return self.run.world_after(self.known - 1)

    def overtaken(self) -> bool:
        """Whether somebody else has played on, as the store has it.

        Raises:
            StoreError: The store cannot be read.
        """
        return self._ahead() or has_more(self.run)

    def check(self) -> None:
        """See that nobody else has played on.

        Raises:
            StoreError: `REVISION_CONFLICT`, or the store cannot be read.
        """
        if self.overtaken():
            raise self._played_on()

    async def do(self, words: str) -> Outcome:
        """What comes of some words; if they are what was done here already, came of them.

        Raises:
            RunError: As for `Run.say`.
            StoreError: The deed could not be kept, or somebody else has played on; then
                nothing was done.
        """
        if self._has_done(words):
            told = self.run.told(self.known)
        else:
            if self._ahead():
                raise self._played_on()
            if self.run.count > self.known:
                self._know(await self.run.back_to(self.known - 1, "load"))
            try:
                told = await self.run.say(words)
            except StoreError as problem:
                if problem.code != _CONFLICT or self._has_done(words):
                    raise
                raise self._played_on() from problem
        self._know(told)
        return outcome_of(told)

    async def back_to(self, known: int) -> None:
        """Take the world back to where the story knew of so many turns.

        Raises:
            StoreError: That could not be kept, or somebody else has played on.
        """
        self.check()
        if known == self.known:
            return
        try:
            self._know(await self.run.back_to(known - 1, "undo"))
        except StoreError as problem:
            if problem.code != _CONFLICT:
                raise
            raise self._played_on() from problem

    def _ahead(self) -> bool:
        """Whether the run has heard of more than the story's own deed."""
        return self.run.count - self.known > self._loaded

    def _has_done(self, words: str) -> bool:
        """Whether the one turn the story has not seen is what it wants done."""
        if self.run.count != self.known + 1:
            return False
        turn = next(self.run.turns(self.known))
        own = turn.aside is None and turn.actor_id == self.run.actor
        return own and turn.raw_text == words

    def _know(self, told: Told) -> None:
        self.known, self._loaded = told.turn.number + 1, False

    def _played_on(self) -> StoreError:
        run, known = self.run.id, self.known
        current = self.run.count + sum(1 for _ in self.run.turns(self.run.count))
        return StoreError(
            _CONFLICT,
            f"the story was played on elsewhere: it knows {known} turns of run {run!r}, "
            f"which has {current}",
            hint="load a save, or leave and resume; nothing was done",
            recoverable=True,
            details={"run": run, "number": known, "current": current},
        )


def has_more(run: Run) -> bool:
    """Whether the store has turns of a run that it has not heard of.

    Raises:
        StoreError: The store cannot be read.
    """
    return next(run.turns(run.count), None) is not None


async def followed_from(run: Run, turn: int) -> Followed:
    """A run brought to where a state knew it.

    A single deed further is not taken back yet: the story may be about to do it.

    Raises:
        StoreError: As for `Run.back_to`.
    """
    if run.count == turn + 1 and run.told(turn).turn.aside is None:
        return Followed(run, turn)
    if run.count != turn:
        await run.back_to(turn - 1, "load")
    return Followed(run)
