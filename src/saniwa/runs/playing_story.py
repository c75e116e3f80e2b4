"""Play a story for a host, with or without a world.

Everything a host is shown is stored first: the story's state, the step shown, and the
answer, in one record that is replaced as a whole. Of two processes that play the same
story, the later one gets a conflict and resumes from what the other has stored.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

import msgspec

from saniwa.core.clock import Clock
from saniwa.core.errors import SaniwaError, StoreError
from saniwa.core.idempotency import IdempotencyKey
from saniwa.runs import playing_record
from saniwa.runs.errors import make_busy_error, make_missing_world_error
from saniwa.runs.playing import (
    AwaitedInput,
    PlayRequest,
    PlayState,
    RunChange,
    SaveSlot,
    find_last_line,
)
from saniwa.runs.run import Run
from saniwa.runs.story import StoryPlaying
from saniwa.store.play_records import PlayRecords
from saniwa.store.run_records import make_turn_conflict_error
from saniwa.story.step_result import StepResult
from saniwa.turn.preview import TurnPreview

_AWAITED_INPUTS: Final[dict[str, AwaitedInput]] = {
    "step": "step",
    "choice": "choice",
    "answer": "words",
    "choice or answer": "choice or words",
    "world": "step",
    "end": "end",
}


_UNKNOWN_REVISION: Final = 0
"""A revision that no record has: the record must be read again."""
_CONFLICT: Final = "REVISION_CONFLICT"
_POLL_SECONDS: Final = 0.02


class StoredStoryPlaying:
    """A story as a `Playing`, stored after every step."""

    patience = 1.0
    """Seconds to wait for another process that is in the middle of a step."""

    def __init__(
        self,
        id: str,
        performance: StoryPlaying,
        plays: PlayRecords,
        record: playing_record.PlayingRecord,
        place: int,
        clock: Clock,
    ) -> None:
        """Continue from a record; `begin` and `resume` call this.

        `place` is the revision under which the record was stored last.
        """
        self.id: Final = id
        """The run's id."""
        self.performance = performance
        """The playing of the story itself."""
        self._plays = plays
        self._record = record
        self._place = place
        self._clock = clock
        self._slots = playing_record.SaveSlots(id, plays)
        self._seen = playing_record.SeenLines(record.origin, plays)
        self._lock = asyncio.Lock()
        self._is_ahead = False

    @classmethod
    async def begin(
        cls,
        id: str,
        performance: StoryPlaying,
        plays: PlayRecords,
        origin: playing_record.PlayOrigin,
        clock: Clock,
        asked: IdempotencyKey | None = None,
    ) -> "StoredStoryPlaying":
        """Start a story, show its first step, and store it.

        Raises:
            SaniwaError: It cannot begin, or could not be stored.
        """
        record = playing_record.PlayingRecord(origin=origin, revision=0)
        performance.player.mark_seen(playing_record.SeenLines(origin, plays).list_ids())
        step = await performance.step()
        record = playing_record.add_step(record, _make_stored_step(performance, step))
        hosted = cls(id, performance, plays, record, 1, clock)
        hosted._record = playing_record.add_answer(record, asked, hosted.read_state())
        await plays.commit(lambda: plays.create(id, hosted._record.to_bytes()))
        return hosted

    @classmethod
    async def resume(
        cls, id: str, performance: StoryPlaying, plays: PlayRecords, clock: Clock
    ) -> "StoredStoryPlaying":
        """Resume a story at the last step that hosts were shown.

        Raises:
            SaniwaError: It cannot be resumed there.
        """
        stored = plays.get(id)
        assert stored is not None, "somebody has looked for it"
        record = playing_record.decode_playing_record(id, stored.content)
        hosted = cls(id, performance, plays, record, stored.revision, clock)
        performance.player.mark_seen(hosted._seen.list_ids())
        await hosted._load_last_state()
        return hosted

    @property
    def revision(self) -> int:
        """The revision that hosts have seen."""
        return self._record.revision

    @property
    def origin(self) -> playing_record.PlayOrigin:
        """What is played, and for which user."""
        return self._record.origin

    async def catch_up(self) -> None:
        """Resume from what other processes have stored since.

        Raises:
            SaniwaError: It cannot be resumed there.
        """
        async with self._lock:
            await self._follow_record()

    def read_state(self) -> PlayState:
        """The current state, for a host that starts showing here."""
        return self._make_state(self._record.passed[-1].step, afresh=True)

    async def step(self, request: PlayRequest) -> PlayState:
        """Advance; if other input is awaited, or after the end, change nothing."""

        async def advance() -> StepResult | None:
            awaited = _AWAITED_INPUTS[self.performance.waiting]
            return await self.performance.step() if awaited == "step" else None

        return await self._do_once(request, advance)

    async def choose(self, request: PlayRequest, index: int) -> PlayState:
        """Take one of the choices, and advance."""
        return await self._do_once(
            request, lambda: self._step_after(self.performance.choose(index))
        )

    async def say(self, request: PlayRequest, text: str, actor: str | None = None) -> PlayState:
        """Answer, and advance."""
        del actor
        return await self._do_once(request, lambda: self._step_after(self.performance.answer(text)))

    async def back(self, request: PlayRequest, steps: int = 1) -> PlayState:
        """Go back that many steps, as far as they are stored.

        The world goes back too.
        """

        async def go_back() -> StepResult | None:
            passed = self._record.passed
            number = min(steps, len(passed) - 1)
            if number < 1:
                return None
            shown = await self.performance.back(number)
            if shown is None:
                shown = await self._load(bytes(passed[-1 - number].state))
            self._record = playing_record.drop_steps(self._record, number + 1)
            return shown

        return await self._do_once(request, go_back, afresh=True)

    async def skip(self, request: PlayRequest) -> tuple[PlayState, Sequence[StepResult]]:
        """Advance through what was seen before."""
        passed: list[StepResult] = []

        async def skip_seen() -> StepResult | None:
            passed.clear()
            places = deque[playing_record.StoredStep](maxlen=playing_record.MOST_STEPS)
            async for step in self.performance.skip():
                places.append(_make_stored_step(self.performance, step))
                passed.append(step)
            # `back` can return to each of them, as after single steps.
            self._record = playing_record.add_steps(self._record, list(places)[:-1])
            return passed[-1] if passed else None

        moment = await self._do_once(request, skip_seen, afresh=True)
        return moment, passed[:-1]

    async def change_run(self, request: PlayRequest, do: RunChange) -> PlayState:
        """Change the run of the story's world; the story shows the same step as before.

        Raises:
            RunError: `WORLD_MISSING`.
        """
        if self.performance.run is None:
            raise make_missing_world_error(self.id)
        key = request.asked and request.asked.key

        async def unless_done(run: Run) -> None:
            # Look in the run itself: the process may have stopped between storing the
            # turn and storing the story's state, and another process may have done it
            # now.
            if not (key and run.find_request(key)):
                await do(run)

        async def apply_change() -> StepResult:
            await self.performance.change_run(unless_done)
            shown = self._record.passed[-1].step
            self._record = playing_record.drop_steps(self._record, 1)
            return shown

        return await self._do_once(request, apply_change, afresh=True)

    async def preview(self, text: str, actor: str | None = None) -> TurnPreview | None:
        """Show how words would be understood by the world; None if there is none."""
        run = self.performance.run
        return None if run is None else await run.preview(text, actor)

    def list_backlog(self) -> Sequence[StepResult]:
        """What was shown, as far back as it is stored."""
        stored = [each.step for each in self._record.passed]
        known = list(self.performance.backlog)
        return known if len(known) > len(stored) else stored

    async def save(self, name: str) -> SaveSlot:
        """Name the current point."""
        async with self._lock:
            await self._follow_record()
            last = self._record.passed[-1]
            now, state, line = self._clock.now(), bytes(last.state), find_last_line(last.step)
            return await self._plays.commit(lambda: self._slots.put(name, now, state, line))

    def list_saves(self) -> Sequence[SaveSlot]:
        """The saves, sorted by name."""
        return self._slots.list_slots()

    async def load(self, request: PlayRequest, name: str) -> PlayState:
        """Go to a saved point."""
        return await self._do_once(
            request, lambda: self._load(self._slots.read_state(name)), afresh=True
        )

    async def remove_save(self, name: str) -> None:
        """Delete a save."""
        await self._plays.commit(lambda: self._slots.drop(name))

    def _make_state(self, step: StepResult, *, afresh: bool = False) -> PlayState:
        return PlayState(
            run=self.id,
            revision=self._record.revision,
            step=step,
            waiting=_AWAITED_INPUTS[self.performance.waiting],
            scenery=self.performance.build_scenery() if afresh else None,
            back=len(self._record.passed) > 1,
        )

    async def _do_once(
        self,
        request: PlayRequest,
        do: Callable[[], Awaitable[StepResult | None]],
        afresh: bool = False,
    ) -> PlayState:
        """Handle the request and store the result, unless it was handled before."""
        async with self._lock:
            await self._follow_record()
            before = self._check_request(request)
            if before is not None:
                return before
            try:
                return await self._try_request(request, do, afresh)
            except StoreError as problem:
                done = self._find_answer_since(request, problem)
                if done is not None:
                    return done
            # The other process is slow, or dead: what it has done is not done again.
            try:
                return self._check_request(request) or await self._try_request(request, do, afresh)
            except StoreError as problem:
                done = self._find_answer_since(request, problem)
                if done is not None:
                    return done
                raise make_busy_error(self.id) from problem

    def _find_answer_since(self, request: PlayRequest, problem: StoreError) -> PlayState | None:
        """The answer another process has stored meanwhile; None if it has only begun.

        Raises:
            StoreError: The problem, if no other process is handling this request.
        """
        if problem.code != _CONFLICT:
            raise problem
        done = self._find_earlier_answer(request.asked)
        if done is None and not self._is_begun(request.asked):
            raise problem
        return done

    def _check_request(self, request: PlayRequest) -> PlayState | None:
        """The answer to a request that was handled before; None if it is new.

        Raises:
            StoreError: `REVISION_CONFLICT`, `IDEMPOTENCY_CONFLICT`.
        """
        before = self._find_earlier_answer(request.asked)
        if before is None and request.revision != self.revision:
            raise make_turn_conflict_error(self.id, request.revision, self.revision)
        return before

    async def _try_request(
        self, request: PlayRequest, do: Callable[[], Awaitable[StepResult | None]], afresh: bool
    ) -> PlayState:
        record, place = self._record, self._place
        # Until the result is stored, the state is ahead of what hosts have been shown.
        self._is_ahead, self.performance.asked = True, request.asked
        try:
            step = await do()
            moment = (
                self.read_state()
                if step is None
                else await self._plays.commit(lambda: self._store_step(step, request, afresh))
            )
        except SaniwaError as problem:
            # Only the store knows the outcome: it may have stored the record, and
            # another process may have been first.
            self._record, self._place = record, _UNKNOWN_REVISION
            await self._recover_state(place if problem.code == _CONFLICT else _UNKNOWN_REVISION)
            raise
        self._is_ahead = False
        return moment

    def _is_begun(self, asked: IdempotencyKey | None) -> bool:
        """Whether the run has the request's turn, but the story has no answer yet."""
        run = self.performance.run
        if asked is None or run is None or self._is_ahead:
            return False
        return (run.find_request(asked.key) or (0, None))[1] == asked

    def _store_step(self, step: StepResult, request: PlayRequest, afresh: bool) -> PlayState:
        self._record = playing_record.add_step(
            self._record, _make_stored_step(self.performance, step)
        )
        moment = self._make_state(step, afresh=afresh)
        self._record = playing_record.add_answer(self._record, request.asked, moment)
        self._plays.put(self.id, self._record.to_bytes(), after=self._place)
        self._place += 1
        if moment.waiting != "step":
            self._seen.add_ids(self.performance.player.list_seen_ids())
        return moment

    def _find_earlier_answer(self, asked: IdempotencyKey | None) -> PlayState | None:
        for each in self._record.answered if asked else ():
            if asked and each.asked.key == asked.key:
                asked.check_same_request(each.asked.digest)
                return each.moment
        return None

    async def _follow_record(self) -> None:
        if self._plays.get_revision(self.id) not in (None, self._place):
            self._reload_record()
        if self._is_ahead:
            await self._load_last_state()

    def _reload_record(self) -> None:
        stored = self._plays.get(self.id)
        if stored is not None:
            self._record = playing_record.decode_playing_record(self.id, stored.content)
            self._place, self._is_ahead = stored.revision, True

    async def _recover_state(self, left: int) -> None:
        """Return to the state that hosts were shown.

        If that fails, retry before the next request. A process that has continued from
        revision `left` is given time to store its result.
        """
        try:
            for _ in range(int(self.patience / _POLL_SECONDS) if left else 0):
                if self._plays.get_revision(self.id) != left:
                    break
                await asyncio.sleep(_POLL_SECONDS)
            await self._follow_record()
        except SaniwaError:
            self._is_ahead = True

    async def _load_last_state(self) -> None:
        await self._load(bytes(self._record.passed[-1].state))
        self._is_ahead = False

    async def _load(self, state: bytes) -> StepResult:
        return await self._step_after(self.performance.load(state))

    async def _step_after(self, done: Awaitable[object]) -> StepResult:
        await done
        return await self.performance.step()


def _make_stored_step(performance: StoryPlaying, step: StepResult) -> playing_record.StoredStep:
    return playing_record.StoredStep(step=step, state=msgspec.Raw(performance.encode_state()))
