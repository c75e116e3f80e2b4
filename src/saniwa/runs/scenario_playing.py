"""Play a scenario for a host: words in, one step out.

The run's turns are the only state that is stored: their count is the revision, and a
request is recognized by the turn it became, whichever process played it.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from saniwa.core.errors import RunError, StoreError
from saniwa.runs import describe, presentation
from saniwa.runs.playing import (
    AwaitedInput,
    PlayRequest,
    PlayState,
    RunChange,
    SaveSlot,
    find_last_line,
)
from saniwa.runs.run import EmptyTurnResult, Run, TurnResult
from saniwa.runs.timeline import PERSON
from saniwa.store.run_records import make_turn_conflict_error
from saniwa.story.step_result import Branch, Next, StepResult
from saniwa.turn.preview import TurnPreview
from saniwa.turn.record import RunReturn, Turn

MOST_SHOWN_TURNS: Final = 500
"""The most turns that a backlog shows, counted from the last."""


_LONG_TURN: Final = 50
_TURNS_AT_ONCE: Final = 500
_MOST_CACHED_STEPS: Final = 4


class ScenarioPlaying:
    """A run of a scenario, as a `Playing`."""

    def __init__(self, run: Run) -> None:
        """Wrap a run in its current state."""
        self.run: Final = run
        """The run itself."""
        self.id: Final = run.id
        """The run's id."""
        self._lock = asyncio.Lock()
        self._steps = OrderedDict[str, StepResult]()

    @property
    def revision(self) -> int:
        """The number of turns of the run."""
        return self.run.count

    @property
    def world_run(self) -> Run:
        """The run itself."""
        return self.run

    @property
    def language(self) -> str:
        """The language of the world."""
        return self.run.world.language

    @property
    def asks_freely(self) -> bool:
        """False: the world tells what words mean."""
        return False

    async def catch_up(self) -> None:
        """Follow the turns that other writers appended, in short steps."""
        while self.run.catch_up(limit=_TURNS_AT_ONCE) == _TURNS_AT_ONCE:
            # Other requests are served before the next step.
            await asyncio.sleep(0)

    def read_state(self) -> PlayState:
        """The current state."""
        return self._make_state(self._find_last_shown(self.run.count - 1))

    async def step(self, request: PlayRequest) -> PlayState:
        """Return the current state: a scenario advances only by words."""

        async def do_nothing() -> tuple[None, None]:
            return None, None

        return await self._do_once(request, do_nothing)

    async def choose(self, request: PlayRequest, index: int) -> PlayState:
        """Answer the open question with one of its options, counted from 0."""
        return await self._do_once(request, lambda: self.run.choose(index, asked=request.asked))

    async def say(self, request: PlayRequest, text: str, actor: str | None = None) -> PlayState:
        """Play the words as a turn."""
        # Storing the turn notices those of other writers: reading them first would cost
        # as much as the turn's own rules.
        current = request.revision == self.run.count
        return await self._do_once(
            request, lambda: self.run.say(text, actor, asked=request.asked), current=current
        )

    async def back(self, request: PlayRequest, steps: int = 1) -> PlayState:
        """Take back the last steps; stored as a turn.

        Where agents play, a step is a person's deed with everything agents did since:
        taking back an agent's deed alone would only make the agent do it again.
        """
        return await self._do_once(request, lambda: self._take_back(request, steps))

    async def skip(self, request: PlayRequest) -> tuple[PlayState, Sequence[StepResult]]:
        """Return the current state: in a scenario there is nothing to skip."""
        return await self.step(request), ()

    async def change_run(self, request: PlayRequest, do: RunChange) -> PlayState:
        """Change the run's rulebook or seating; stored as a turn."""

        async def apply_edit() -> tuple[None, None]:
            await do(self.run)
            return None, None

        return await self._do_once(request, apply_edit)

    async def preview(self, text: str, actor: str | None = None) -> TurnPreview | None:
        """Show how the words would be understood and judged now."""
        self.run.catch_up()
        return await self.run.preview(text, actor)

    def list_backlog(self) -> Sequence[StepResult]:
        """What was shown of the last turns, and the opening if no turn is left out."""
        self.run.catch_up()
        first = max(self.run.count - MOST_SHOWN_TURNS, 0)
        steps = [
            self._present_turn(turn)
            for turn in self.run.read_followed_turns(first)
            if _is_shown(turn)
        ]
        return steps if first else [self.run.present_beginning(), *steps]

    async def save(self, name: str) -> SaveSlot:
        """Name the current point of the run."""
        self.run.catch_up()
        saved = await self.run.save(name)
        return self._make_slot(saved.name, saved.created, saved.turn)

    def list_saves(self) -> Sequence[SaveSlot]:
        """The run's saves."""
        self.run.catch_up()
        saves = self.run.list_saves()
        return [self._make_slot(each.name, each.created, each.turn) for each in saves]

    async def load(self, request: PlayRequest, name: str) -> PlayState:
        """Go back to a save; stored as a turn."""
        return await self._do_once(request, lambda: self.run.load(name, asked=request.asked))

    async def remove_save(self, name: str) -> None:
        """Refuse: saves are part of the run's log, from which nothing is deleted.

        Raises:
            RunError: `SAVE_KEPT`.
        """
        raise describe("SAVE_KEPT", save=name).to_error(RunError)

    async def _do_once(
        self,
        request: PlayRequest,
        do: Callable[[], Awaitable[tuple[Turn | None, StepResult | None]]],
        *,
        current: bool = False,
    ) -> PlayState:
        """Handle the request; one that was handled before gets the same answer.

        `do` returns the turn it made, if it made one, and what to show of it; None for
        what was shown last. With `current`, turns of other writers are not read first:
        `do` then has to store a turn, which is refused if there are any.
        """
        async with self._lock:
            if not current:
                await self.catch_up()
            before = self._find_earlier_answer(request)
            if before is not None:
                return before
            if request.revision != self.run.count:
                raise make_turn_conflict_error(self.id, request.revision, self.run.count)
            try:
                turn, step = await do()
                if turn and step and len(turn.applied_actions) > _LONG_TURN:
                    self._cache_step(turn, step)
                return self.read_state() if step is None else self._make_state(step)
            except StoreError as problem:
                if problem.code != "REVISION_CONFLICT":
                    raise
                # Sent twice, to two processes: the other one has done it.
                done = self._find_earlier_answer(request)
                if done is None:
                    raise make_turn_conflict_error(
                        self.id, request.revision, self.run.count
                    ) from problem
                return done

    async def _take_back(self, request: PlayRequest, steps: int) -> TurnResult | EmptyTurnResult:
        seating = self.run.seating
        if seating is None or {*seating.seats.values()} <= {PERSON}:
            return await self.run.undo(steps, asked=request.asked)
        back = self.run.seat_timeline.find_undo_target(steps)
        if back is not None:
            return await self.run.go_back_to(back, asked=request.asked)
        step = presentation.present_nothing_to_undo(self.run.world, others=self.run.is_undoable)
        return EmptyTurnResult(None, step)

    def _find_earlier_answer(self, request: PlayRequest) -> PlayState | None:
        number = self.run.find_repeated(request.asked)
        if number is None:
            return None
        return self._make_state(self._find_last_shown(number), number + 1)

    def _find_last_shown(self, number: int) -> StepResult:
        """What a host showed last after a turn of the run."""
        while number >= 0:
            turn = next(self.run.read_followed_turns(number))
            if _is_shown(turn):
                return self._present_turn(turn)
            number -= 1
        return self.run.present_beginning()

    def _present_turn(self, turn: Turn) -> StepResult:
        if isinstance(turn.aside, RunReturn):
            world = self.run.find_world_after(turn.number)
            undone = self.run.find_undone_words(turn)
            idle = self.run.has_skipped_turns(turn)
            return presentation.present_return(turn.aside, world, self.run.actor, undone, idle=idle)
        # An agent's turn is narrated for the player's character.
        by_agent = self.run.seat_timeline.is_agent_turn(turn)
        viewer = self.run.actor if by_agent else turn.actor_id
        return self._steps.get(turn.id) or self.run.present_again(turn, viewer).step

    def _cache_step(self, turn: Turn, step: StepResult) -> None:
        """Cache what was shown of a long turn: presenting it again takes long."""
        self._steps[turn.id] = step
        while len(self._steps) > _MOST_CACHED_STEPS:
            self._steps.popitem(last=False)

    def _make_state(self, step: StepResult, revision: int | None = None) -> PlayState:
        after = self.run.count if revision is None else revision
        return PlayState(
            run=self.id,
            revision=after,
            step=step,
            waiting=_find_awaited_input(step),
            back=self.run.is_undoable_after(after - 1),
        )

    def _make_slot(self, name: str, created: int, turn: int) -> SaveSlot:
        line = find_last_line(self._find_last_shown(turn)) if turn < self.run.count else ""
        return SaveSlot(name=name, created=created, line=line, removable=False)


def _is_shown(turn: Turn) -> bool:
    """Whether a host shows the turn: rulebook edits and seatings are not shown."""
    return turn.aside is None or isinstance(turn.aside, RunReturn)


def _find_awaited_input(step: StepResult) -> AwaitedInput:
    if step.next is Next.HALT:
        return "end"
    offered = any(isinstance(each, Branch) for each in step.directives)
    return "choice or words" if offered else "words"
