"""Play a story for a host, with or without a world.

Everything a host is shown is stored first: the story's state, the step shown, and the
answer, appended as one move. Of two processes that play the same story, the later one
gets a conflict and resumes from what the other has stored.
"""

import asyncio
import re
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Final

import msgspec
from msgspec import UNSET

from saniwa.core.clock import Clock
from saniwa.core.errors import SaniwaError, ScriptError, StoreError
from saniwa.core.idempotency import IdempotencyKey
from saniwa.runs import playing_record
from saniwa.runs.errors import make_busy_error, make_missing_world_error
from saniwa.runs.playing import (
    AwaitedInput,
    PlayRequest,
    PlayState,
    RunChange,
    SaveSlot,
    SkippedJump,
    find_last_line,
)
from saniwa.runs.run import Run
from saniwa.runs.story_playing import StoryPlaying, decode_playing_state
from saniwa.store.play_records import PlayRecords
from saniwa.store.run_records import make_turn_conflict_error
from saniwa.story.saves import Resumption
from saniwa.story.step_result import Next, StepResult
from saniwa.story.story import Story
from saniwa.turn.preview import TurnPreview

_AWAITED_INPUTS: Final[dict[str, AwaitedInput]] = {
    "step": "step",
    "choice": "choice",
    "answer": "words",
    "choice or answer": "choice or words",
    "world": "step",
    "end": "end",
}


EMPTY_STEP: Final = StepResult(next=Next.NEXT, directives=())
"""What is stored where only a state is known; the story shows its own step there."""
_CONFLICT: Final = "REVISION_CONFLICT"
_POLL_SECONDS: Final = 0.02


_KANA: Final = re.compile("[ぁ-ヿ]")


def detect_story_language(story: Story, language: str | None) -> str:
    """The language of the host's own words: `ja` for a Japanese story, else `en`."""
    named = language or story.scenes[0].front.language
    if not named:
        return "ja" if _KANA.search(story.scenes[0].text) else "en"
    return "ja" if named.casefold().split("-")[0] == "ja" else "en"


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
        clock: Clock,
    ) -> None:
        """Continue from a record; `begin` and `resume` call this."""
        self.id: Final = id
        """The run's id."""
        self.performance = performance
        """The playing of the story itself."""
        self._plays = plays
        self._record = record
        self._log = playing_record.MoveLog(id, plays)
        self._clock = clock
        self._slots = playing_record.SaveSlots(id, plays)
        self._seen = playing_record.SeenLines(record.origin, plays)
        file = performance.story.scenes[0].file
        self._last = playing_record.LastPlay(record.origin, file, plays)
        self._beginning = b"" if record.passed else performance.encode_state()
        self._lock = asyncio.Lock()
        self._is_ahead, self._is_stale = False, False
        self._skipped = list[SkippedJump]()
        self._dropped, self._added = 0, list[playing_record.StoredStep]()
        self.resumption: Resumption | None = None
        """How the last state that was loaded was matched with the story's text."""

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
        hosted = cls.prepare(id, performance, plays, origin, clock)
        first = PlayRequest(revision=0, asked=asked)
        await hosted._do_once(first, performance.step, afresh=True)
        await plays.commit(hosted.store_place)
        return hosted

    @classmethod
    def prepare(
        cls,
        id: str,
        performance: StoryPlaying,
        plays: PlayRecords,
        origin: playing_record.PlayOrigin,
        clock: Clock,
    ) -> "StoredStoryPlaying":
        """Return a story of which nothing was shown; its first step stores it.

        Raises:
            StoreError: What was seen before cannot be read.
        """
        record = playing_record.PlayingRecord(
            version=playing_record.VERSION, origin=origin, revision=0
        )
        hosted = cls(id, performance, plays, record, clock)
        performance.player.mark_seen(hosted._seen.list_ids())
        return hosted

    @classmethod
    async def resume(
        cls, id: str, performance: StoryPlaying, plays: PlayRecords, clock: Clock
    ) -> "StoredStoryPlaying":
        """Resume a story at the last step that hosts were shown.

        Raises:
            SaniwaError: It cannot be resumed there.
        """
        record = await asyncio.to_thread(playing_record.load_playing_record, id, plays)
        assert record is not None, "the caller has read it"
        hosted = cls(id, performance, plays, record, clock)
        performance.player.mark_seen(hosted._seen.list_ids())
        await hosted._load_last_state()
        if performance.taken_back:
            hosted._store_world()
        return hosted

    @property
    def revision(self) -> int:
        """The revision that hosts have seen."""
        return self._record.revision

    @property
    def origin(self) -> playing_record.PlayOrigin:
        """What is played, and for which user."""
        return self._record.origin

    @property
    def world_run(self) -> Run | None:
        """The run of the story's world; None if it has none."""
        return self.performance.run

    @property
    def language(self) -> str:
        """The language of the host's own words."""
        return detect_story_language(self.performance.story, self.origin.language)

    @property
    def asks_freely(self) -> bool:
        """Whether the story asks for the reader's own words."""
        return self.performance.waiting == "answer"

    async def catch_up(self) -> None:
        """Resume from what other processes have stored since.

        Raises:
            SaniwaError: It cannot be resumed there.
        """
        async with self._lock:
            await self._follow_record()

    def read_state(self) -> PlayState:
        """The current state, for a host that starts showing here."""
        passed = self._record.passed
        return self._make_state(passed[-1].step if passed else EMPTY_STEP, afresh=True)

    def is_overtaken(self) -> bool:
        """Whether another process has played on since.

        Raises:
            StoreError: The store cannot be read.
        """
        return self._log.has(self.revision + 1)

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
        """Go back that many steps; the world goes back too."""

        async def go_back() -> StepResult | None:
            if len(self._record.passed) < steps + 2:
                await self._read_earlier_steps(steps + playing_record.MOST_STEPS)
            passed = self._record.passed
            number = min(steps, len(passed) - 1)
            if number < 1:
                return None
            shown = await self.performance.back(number)
            if shown is None:
                shown = await self._load(bytes(passed[-1 - number].state))
            self._drop_steps(number + 1)
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
            self._add_steps(list(places)[:-1])
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
            self._drop_steps(1)
            return shown

        return await self._do_once(request, apply_change, afresh=True)

    async def reload(self, request: PlayRequest, story: Story) -> PlayState:
        """Continue at the same place in the story after its text was edited.

        Raises:
            ScriptError: The story has errors, or uses another world than before; then
                `performance.story` is the old one. Or it cannot go on at this place.
            StoreError: `REVISION_CONFLICT`; the state could not be stored.
        """

        async def continue_in_new_text() -> StepResult:
            self.resumption = await self.performance.reload(story)
            shown = await self.performance.step()
            self._drop_steps(1)
            return shown

        async with self._lock:
            # The old text may be what cannot go on.
            with suppress(ScriptError):
                await self._follow_record()
            self._check_request(request)
            return await self._try_request(request, continue_in_new_text, afresh=True)

    async def restart(self, request: PlayRequest) -> PlayState:
        """Go to the beginning of the story, with its world."""

        async def load_beginning() -> StepResult:
            playing = self.performance
            fresh = StoryPlaying(playing.story, playing.run, seed=playing.player.seed)
            begun = msgspec.structs.replace(decode_playing_state(fresh.encode_state()), turn=0)
            return await self._load(msgspec.json.encode(begun))

        return await self._do_once(request, load_beginning, afresh=True)

    def store_in(self, plays: PlayRecords) -> None:
        """Store the story in other records from now on, where it is not stored yet.

        What was seen, and which run was the last, stay where they are.

        Raises:
            StoreError: It could not be stored; nothing has changed.
        """
        if self._record.passed:
            plays.create(self.id, self._record.to_bytes())
        self._plays, self._log = plays, playing_record.MoveLog(self.id, plays)
        self._slots = playing_record.SaveSlots(self.id, plays)

    def store_place(self) -> None:
        """Let this run be the last of its story, until it has ended.

        Raises:
            StoreError: It could not be stored.
        """
        if self.performance.waiting == "end":
            self._last.clear(self.id)
        elif self._record.passed:
            self._last.move_to(self.id)

    def store_seen(self) -> None:
        """Store which lines were seen.

        Raises:
            StoreError: It could not be stored.
        """
        self._seen.add_ids(self.performance.player.list_seen_ids())

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

    def copy_save(self, name: str, slots: playing_record.SaveSlots) -> None:
        """Add a save of another run of the same story.

        Raises:
            StoreError: `SAVE_NOT_FOUND`; it could not be stored.
        """
        self._slots.put(name, self._clock.now(), slots.read_state(name), "")

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
            skipped=self._skipped or UNSET,
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
        record, self._dropped = self._record, 0
        self._added.clear()
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
            self._record, self._is_stale = record, True
            await self._recover_state(is_overtaken=problem.code == _CONFLICT)
            raise
        except asyncio.CancelledError:
            self._record, self._is_stale = record, True
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
        self._add_steps([_make_stored_step(self.performance, step)])
        self._record = msgspec.structs.replace(self._record, revision=self.revision + 1)
        jumps = self.performance.player.take_skipped_jumps()
        self._skipped = [SkippedJump(label=label, line=line) for label, line in jumps]
        moment = self._make_state(step, afresh=afresh)
        self._record = playing_record.add_answer(self._record, request.asked, moment)
        self._append_move(answered=request.asked is not None)
        # A story of which only the first lines were read is not yet the last that was played.
        if self.performance.player.choices or moment.waiting == "end":
            self.store_place()
        if moment.waiting != "step":
            self.store_seen()
        return moment

    def _append_move(self, *, answered: bool) -> None:
        """Store what the last request has changed in the record."""
        record = self._record
        if record.revision == 1:
            self._plays.create(self.id, record.to_bytes())
            return
        if record.version != playing_record.VERSION:
            playing_record.convert_record(self.id, self._plays)
        move = playing_record.StoredMove(
            dropped=self._dropped,
            passed=tuple(self._added),
            answered=record.answered[-1] if answered else None,
        )
        self._log.append(record.revision, move)

    async def _read_earlier_steps(self, count: int) -> None:
        record = await self._read_record(count)
        if record is not None and record.revision == self.revision:
            self._record = msgspec.structs.replace(self._record, passed=record.passed)

    def _drop_steps(self, count: int) -> None:
        self._record = playing_record.drop_steps(self._record, count)
        self._dropped += count

    def _add_steps(self, steps: Sequence[playing_record.StoredStep]) -> None:
        self._record = playing_record.add_steps(self._record, steps)
        self._added += steps

    def _store_world(self) -> None:
        """Store that the world was taken back, so that it is not taken back again."""
        shown = self._record.passed[-1].step
        self._drop_steps(1)
        self._add_steps([_make_stored_step(self.performance, shown)])
        self._record = msgspec.structs.replace(self._record, revision=self.revision + 1)
        self._append_move(answered=False)

    def _find_earlier_answer(self, asked: IdempotencyKey | None) -> PlayState | None:
        for each in self._record.answered if asked else ():
            if asked and each.asked.key == asked.key:
                asked.check_same_request(each.asked.digest)
                return each.moment
        return None

    async def _follow_record(self) -> None:
        if self._is_stale or self.is_overtaken():
            await self._reload_record()
        if self._is_ahead:
            await self._load_last_state()

    async def _reload_record(self) -> None:
        record = await self._read_record(playing_record.MOST_STEPS)
        if record is not None:
            self._is_ahead = self._is_ahead or record.revision != self.revision
            self._record = record
        self._is_stale = False

    async def _read_record(self, steps: int) -> playing_record.PlayingRecord | None:
        # A long history takes seconds to read: other requests are served meanwhile.
        return await asyncio.to_thread(
            playing_record.load_playing_record, self.id, self._plays, steps
        )

    async def _recover_state(self, *, is_overtaken: bool) -> None:
        """Return to the state that hosts were shown.

        If that fails, retry before the next request. If another process has continued,
        it is given time to store its result.
        """
        try:
            for _ in range(int(self.patience / _POLL_SECONDS) if is_overtaken else 0):
                if self.is_overtaken():
                    break
                await asyncio.sleep(_POLL_SECONDS)
            await self._follow_record()
        except SaniwaError:
            self._is_ahead = True

    async def _load_last_state(self) -> None:
        passed = self._record.passed
        if passed:
            shown = await self._load(bytes(passed[-1].state))
            # The story may have been edited since: choices count in today's text.
            last = msgspec.structs.replace(passed[-1], step=shown)
            self._record = msgspec.structs.replace(self._record, passed=(*passed[:-1], last))
        else:
            await self.performance.load(self._beginning)
        self._is_ahead = False

    async def _load(self, state: bytes) -> StepResult:
        self.resumption = await self.performance.load(state)
        return await self.performance.step()

    async def _step_after(self, done: Awaitable[object]) -> StepResult:
        await done
        return await self.performance.step()


def _make_stored_step(performance: StoryPlaying, step: StepResult) -> playing_record.StoredStep:
    return playing_record.StoredStep(step=step, state=msgspec.Raw(performance.encode_state()))
