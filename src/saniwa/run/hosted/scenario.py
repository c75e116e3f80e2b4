"""A scenario as a host meets it: words in, one step out.

The run's own trace is all there is to keep: its count is the revision, and a request is
known by the turn it became, whichever process played it.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from saniwa.core.errors import StoreError
from saniwa.run import present
from saniwa.run.conductor import Run
from saniwa.run.hosted.form import Beside, Slot
from saniwa.run.hosted.moment import Awaits, Moment, Request, ended, last_line
from saniwa.run.hosted.trouble import another_request, kept_by_the_trace, stale
from saniwa.run.seats import PERSON
from saniwa.run.standing import Told, Untold
from saniwa.script.directive import Branch, StepResult
from saniwa.turn.preview import Preview
from saniwa.turn.trace import Return, Turn

SHOWN: Final = 500
"""Turns of a backlog, counted from the last."""


_LONG: Final = 50
_SHORT: Final = 500
_REMEMBERED: Final = 4


class HostedRun:
    """A run of a scenario, for hosts."""

    def __init__(self, run: Run) -> None:
        """A run as it stands."""
        self.run: Final = run
        """The run itself."""
        self._alone = asyncio.Lock()
        self._steps = OrderedDict[str, StepResult]()

    @property
    def id(self) -> str:
        """The run's id."""
        return self.run.id

    @property
    def revision(self) -> int:
        """How many turns it has."""
        return self.run.count

    async def catch_up(self) -> None:
        """Follow the turns that other writers appended, in short steps."""
        while self.run.catch_up(limit=_SHORT) == _SHORT:
            # Other visitors are served before the next step.
            await asyncio.sleep(0)

    def moment(self) -> Moment:
        """Where it stands now."""
        return self._moment(self._shown(self.run.count - 1))

    async def step(self, request: Request) -> Moment:
        """Where it stands: a scenario goes on by words alone."""

        async def nothing() -> Untold:
            return Untold(None, self._shown(self.run.count - 1))

        return await self._once(request, nothing)

    async def choose(self, request: Request, index: int) -> Moment:
        """Answer the question that was asked by one of its options, from 0."""
        return await self._once(
            request, lambda: self.run.choose(index, asked=request.asked)
        )

    async def say(
        self, request: Request, text: str, actor: str | None = None
    ) -> Moment:
        """Play the words as a turn."""
        return await self._once(
            request, lambda: self.run.say(text, actor, asked=request.asked)
        )

    async def back(self, request: Request, steps: int = 1) -> Moment:
        """Take back what happened last; that is kept as a turn.

        Where agents play, a step is a person's deed with all that agents did since:
        taking back an agent's deed alone would only make it do it again.
        """
        return await self._once(request, lambda: self._take_back(request, steps))

    async def skip(self, request: Request) -> tuple[Moment, Sequence[StepResult]]:
        """There is nothing to skip where every word is new."""
        return await self.step(request), ()

    async def beside(self, request: Request, do: Beside) -> Moment:
        """Let something be done to the run beside its story; that is kept as a turn."""

        async def done() -> Untold:
            await do(self.run)
            return Untold(None, self._shown(self.run.count - 1))

        return await self._once(request, done)

    async def preview(self, text: str, actor: str | None = None) -> Preview | None:
        """How the words would be understood and judged now."""
        self.run.catch_up()
        return await self.run.preview(text, actor)

    def backlog(self) -> Sequence[StepResult]:
        """The opening and what was told of the last turns."""
        self.run.catch_up()
        first = max(self.run.count - SHOWN, 0)
        told = [self._told(turn) for turn in self.run.so_far(first) if _shows(turn)]
        return told if first else [self.run.beginning(), *told]

    async def save(self, name: str) -> Slot:
        """Name the point where the run stands."""
        self.run.catch_up()
        kept = await self.run.save(name)
        return self._slot(kept.name, kept.created, kept.turn)

    def slots(self) -> Sequence[Slot]:
        """The run's saves."""
        self.run.catch_up()
        saves = self.run.saves()
        return [self._slot(each.name, each.created, each.turn) for each in saves]

    async def load(self, request: Request, name: str) -> Moment:
        """Go back to a save; that is kept as a turn."""
        return await self._once(
            request, lambda: self.run.load(name, asked=request.asked)
        )

    async def remove(self, name: str) -> None:
        """Refuse: what a trace names stays named.

        Raises:
            RunError: `SAVE_KEPT`.
        """
        raise kept_by_the_trace(name)

    async def _once(
        self, request: Request, do: Callable[[], Awaitable[Told | Untold]]
    ) -> Moment:
        """Do it, unless this very request was done before; then tell that again."""
        async with self._alone:
            self.run.catch_up()
            before = self._done(request)
            if before is not None:
                return before
            if request.revision != self.run.count:
                raise stale(self.id, request.revision, self.run.count)
            try:
                told = await do()
                if isinstance(told, Told) and len(told.turn.applied_actions) > _LONG:
                    self._remember(told.turn, told.step)
                return self._moment(told.step)
            except StoreError as problem:
                # Sent twice, to two processes: the other one has done it.
                done = problem.code == "REVISION_CONFLICT" and self._done(request)
                if not done:
                    raise
                return done

    async def _take_back(self, request: Request, steps: int) -> Told | Untold:
        seating = self.run.seating
        if seating is None or {*seating.seats.values()} <= {PERSON}:
            return await self.run.undo(steps, asked=request.asked)
        back = self.run.places.find_undo(steps)
        if back is not None:
            return await self.run.back_to(back, asked=request.asked)
        step = present.nothing_to_undo(self.run.world, others=self.run.undoable)
        return Untold(None, step)

    def _done(self, request: Request) -> Moment | None:
        found = request.asked and self.run.request(request.asked.key)
        if not found:
            return None
        number, asked = found
        if asked != request.asked:
            raise another_request(asked.key)
        return self._moment(self._shown(number), number + 1)

    def _shown(self, number: int) -> StepResult:
        """What a host showed last, after a turn of the run."""
        while number >= 0:
            turn = next(self.run.so_far(number))
            if _shows(turn):
                return self._told(turn)
            number -= 1
        return self.run.beginning()

    def _told(self, turn: Turn) -> StepResult:
        if isinstance(turn.aside, Return):
            world, undone = self.run.world_after(turn.number), self.run.undone_by(turn)
            return present.returned(turn.aside, world, self.run.actor, undone)
        known = self._steps.get(turn.id)
        return known or self.run.told_again(turn, self._viewer(turn)).step

    def _viewer(self, turn: Turn) -> str:
        """Who is told of a turn: the person's character, of what an agent did too."""
        by_agent = self.run.places.is_agents_turn(turn)
        return self.run.actor if by_agent else turn.actor_id

    def _remember(self, turn: Turn, step: StepResult) -> None:
        """Remember what was told of a long turn: to tell it again takes long as well."""
        self._steps[turn.id] = step
        while len(self._steps) > _REMEMBERED:
            self._steps.popitem(last=False)

    def _moment(self, step: StepResult, revision: int | None = None) -> Moment:
        after = self.run.count if revision is None else revision
        return Moment(
            run=self.id,
            revision=after,
            step=step,
            waiting=_waiting(step),
            back=self.run.undoable_after(after - 1),
        )

    def _slot(self, name: str, created: int, turn: int) -> Slot:
        line = last_line(self._shown(turn)) if turn < self.run.count else ""
        return Slot(name=name, created=created, line=line, removable=False)


def _shows(turn: Turn) -> bool:
    """Whether a host shows anything of it: other rules and other seats are no story."""
    return turn.aside is None or isinstance(turn.aside, Return)


def _waiting(step: StepResult) -> Awaits:
    if ended(step):
        return "end"
    offered = any(isinstance(each, Branch) for each in step.directives)
    return "choice or words" if offered else "words"
