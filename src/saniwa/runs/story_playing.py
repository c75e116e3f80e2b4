"""Play one story, with or without a world.

What the story wants done in its world is played as a turn of a run, like a player's
words, and the verdict decides how the story continues. Choices, answers and deeds are
stored before the host sees the result. A deed is done once, even if the process stops
between the deed and the story's next line.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Final

import msgspec

from saniwa.core.decoder_warming import warm_decoders
from saniwa.core.errors import ScriptError
from saniwa.core.idempotency import IdempotencyKey
from saniwa.core.text import quote_value
from saniwa.runs import describe
from saniwa.runs.run import Run
from saniwa.runs.story_run_cursor import StoryRunCursor, follow_run_from, has_unread_turns
from saniwa.runs.story_world import WorldFacts, check_facts
from saniwa.story import saves
from saniwa.story.player import MOST_SKIPPED, RECORD, Player, Waiting
from saniwa.story.step_builder import MOST_SILENT, Batch, WorldRequest
from saniwa.story.step_result import StepResult
from saniwa.story.story import Story
from saniwa.world.model import World

_SHORT_WAY: Final = 1_000
"""Operations of a story that are over at once."""
STATE_VERSION: Final = 1
"""The version of the state format that this release writes."""
MOST_DEEDS: Final = 100
"""Deeds in one step before the story counts as an endless loop."""
StateWriter = Callable[[bytes], None]
"""Stores a state; when it returns, the state is durable."""
RunOpener = Callable[[str], Run]
"""Opens a stored run by its id."""


class StoryPlayingState(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The saved state of a `StoryPlaying`."""

    performance: int
    """The version of the state format."""
    story: msgspec.Raw
    """The state of the story's player."""
    run: str = ""
    """The id of the run; empty for a story without a world."""
    turn: int = 0
    """How many turns of the run the story knows of."""


def encode_playing_state(story: bytes, run: str, turn: int) -> bytes:
    """Encode a state as JSON: the story's state, the run's id, and the known turns.

    Raises:
        ScriptError: `STATE_TOO_LARGE` for a state too large to be read back.
    """
    state = StoryPlayingState(
        performance=STATE_VERSION, story=msgspec.Raw(story), run=run, turn=turn
    )
    content = msgspec.json.encode(state)
    if len(content) > saves.LARGEST:
        raise describe("STATE_TOO_LARGE", most=saves.LARGEST).to_error(ScriptError)
    return content


def decode_playing_state(content: bytes) -> StoryPlayingState:
    """Decode a state from its JSON.

    Raises:
        ScriptError: `STATE_UNREADABLE` for invalid content, or a state from a newer
            version.
    """
    if len(content) > saves.LARGEST:
        raise make_unreadable_state_error(f"it has more than {saves.LARGEST} bytes")
    try:
        state = msgspec.json.decode(content, type=StoryPlayingState)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        raise make_unreadable_state_error(str(problem)) from problem
    if state.performance != STATE_VERSION or state.turn < 0:
        raise make_unreadable_state_error(
            f"it has version {state.performance}, not {STATE_VERSION}"
        )
    return state


def check_same_run(run: Run, named: str, scenario_id: str, actor: str) -> None:
    """Check that a state's run has the named id, this scenario, and this actor.

    Raises:
        ScriptError: `STATE_UNREADABLE`.
    """
    if run.id != named:
        raise make_unreadable_state_error(f"{named!r} is not the whole id of a run")
    if run.record.scenario_id != scenario_id:
        theirs = quote_value(run.record.scenario_id)
        raise make_unreadable_state_error(f"its world is {theirs}, not {quote_value(scenario_id)}")
    if run.actor != actor:
        raise make_unreadable_state_error(
            f"its reader is {quote_value(run.actor)}, not {quote_value(actor)}"
        )


def make_unreadable_state_error(why: str) -> ScriptError:
    """The error for a state that cannot be resumed."""
    return describe("STATE_UNREADABLE", why=why).to_error(ScriptError)


warm_decoders(StoryPlayingState)


class StoryPlaying:
    """One playing of one story."""

    def __init__(
        self,
        story: Story,
        run: Run | None = None,
        *,
        seed: int = 0,
        keep: StateWriter | None = None,
        reopen: RunOpener | None = None,
        batch: Batch = "step",
        annotate: bool = False,
    ) -> None:
        """Start at the beginning of the story, on the world of `run` if there is one.

        `keep` is called with the state after every change that must be durable.
        `reopen` opens the run of a loaded state when that is another run, or when
        another process has added turns to this one.
        """
        self.story = story
        self._followed = None if run is None else StoryRunCursor(run)
        self._keep = keep
        self._reopen = reopen
        self._batch: Batch = batch
        self._annotate = annotate
        self._lock = asyncio.Lock()
        self._marks: deque[int] = deque(maxlen=RECORD)
        self._before = b""
        self.asked: IdempotencyKey | None = None
        """The request being handled, stored with its deeds; None if it has no key."""
        self.taken_back = False
        """Whether the last `load` had to take the world back, because it was ahead of
        the state."""
        self.player = self._make_player(story, run, seed)

    @property
    def run(self) -> Run | None:
        """The run the story plays on; None for a story without a world."""
        return None if self._followed is None else self._followed.run

    def is_overtaken(self) -> bool:
        """Whether another writer has added turns to the same run.

        Raises:
            StoreError: The store cannot be read.
        """
        return self._followed is not None and self._followed.is_overtaken()

    @property
    def waiting(self) -> Waiting:
        """What has to happen next.

        `world` only if the world failed in the last step.
        """
        return self.player.waiting

    @property
    def backlog(self) -> tuple[StepResult, ...]:
        """What was shown, oldest first, as far back as the player stores it."""
        return self.player.backlog

    def build_scenery(self) -> StepResult:
        """The images and the music shown now, for a host that starts showing here.

        After going back, a load or a reload: clear the stage, then show this.
        """
        return self.player.build_scenery()

    async def step(self) -> StepResult:
        """Advance to the next thing the host has to do; deeds on the way are done.

        Raises:
            ScriptError: As for `Player.step`; `STATE_TOO_LARGE`.
            RunError, StoreError: The world failed; then the story does not move, and
                the next step tries again. `REVISION_CONFLICT` if another writer has
                added turns to the same run: nothing was done.
        """
        async with self._lock:
            return await self._step()

    async def choose(self, index: int) -> None:
        """Take one of the options offered, counted from 0; `step` shows what follows.

        Raises:
            ScriptError: As for `Player.choose`; nothing has changed.
            StoreError: `REVISION_CONFLICT` if another writer has added turns to the
                same run; nothing has changed.
            ScriptError, StoreError: `STATE_TOO_LARGE`, `TRACE_UNWRITABLE`: the choice
                is made and could not be stored.
        """
        async with self._lock:
            self._check_not_overtaken()
            self.player.choose(index)
            self._write_state()

    async def answer(self, text: str) -> None:
        """Answer in free text where the story asks for it.

        Raises:
            ScriptError: As for `Player.answer`; nothing has changed.
            StoreError: As for `choose`; nothing has changed.
            ScriptError, StoreError: `STATE_TOO_LARGE`, `TRACE_UNWRITABLE`: the answer
                is given and could not be stored.
        """
        async with self._lock:
            self._check_not_overtaken()
            self.player.answer(text)
            self._write_state()

    async def back(self, steps: int = 1) -> StepResult | None:
        """Go back that many steps and show that step again; None if there are too few.

        If deeds are taken back, the world goes back as well, which is stored as a turn.

        Raises:
            ScriptError: As for `step`.
            StoreError: The world could not go back; then the story does not move
                either.
        """
        async with self._lock:
            if self._followed is not None:
                if steps < 1 or len(self._marks) <= steps:
                    return None
                await self._followed.go_back_to(self._marks[-1 - steps])
            shown = await asyncio.to_thread(self.player.back, steps)
            if shown is not None:
                for _ in range(min(steps + 1, len(self._marks))):
                    self._marks.pop()
                self._marks.append(self._known_turns)
                self._write_state()
            return shown

    async def skip(self) -> AsyncIterator[StepResult]:
        """Step through what was seen before; ends after the first new step or a choice.

        At most `MOST_SKIPPED` steps are skipped, so that a story that loops
        ends.

        Raises:
            ScriptError: As for `step`.
            RunError, StoreError: As for `step`.
        """
        for _ in range(MOST_SKIPPED):
            if self.waiting != "step":
                return
            seen, turn = self.player.count_seen_lines(), self._known_turns
            yield await self.step()
            if seen != self.player.count_seen_lines() or turn != self._known_turns:
                return
            # A story without a world never waits: other requests are served in between.
            await asyncio.sleep(0)

    async def change_run(self, do: Callable[[Run], Awaitable[object]]) -> None:
        """Change the run outside the story: its rulebook or its seating.

        Raises:
            SaniwaError: What `do` raises.
            StoreError: `REVISION_CONFLICT` if another writer has added turns to the
                same run; nothing was done.
        """
        assert self._followed is not None, "there is a world"
        async with self._lock:
            self._followed.check_not_overtaken()
            await do(self._followed.run)
            self._followed.check_not_overtaken()
            self._write_state()

    def encode_state(self) -> bytes:
        """Encode the state of story and world as JSON, for `load`.

        Raises:
            ScriptError: `STATE_TOO_LARGE` for a state too large to be read back.
        """
        stuck = self.player.waiting == "world"
        story = self._before if stuck else saves.save_player(self.player).to_json()
        return encode_playing_state(
            story, "" if self.run is None else self.run.id, self._known_turns
        )

    async def load(self, content: bytes) -> saves.Resumption:
        """Resume from a state; the next step shows again what was shown last.

        The world goes back to its state at that time, which is stored as a turn. If the
        world is ahead by a single deed, that deed is not taken back: if the story does
        it again, its outcome is used, and nothing is done twice.

        Raises:
            ScriptError: `STATE_UNREADABLE`; nothing has changed.
            RunError, StoreError: The state's run cannot be resumed.
        """
        async with self._lock:
            saved = decode_playing_state(content)
            state = saves.read_save(bytes(saved.story))
            run = self._find_run(saved)
            player = self._make_player(self.story, run, state.seed)
            resumption = saves.restore_player(player, state)
            stood = 0 if run is None else run.count
            followed = None if run is None else await follow_run_from(run, saved.turn)
            # Going back adds a turn as well.
            self.taken_back = run is not None and run.count > stood
            self._replace_player(self.story, player, followed)
            self._write_state()
            return resumption

    async def reload(self, story: Story) -> saves.Resumption:
        """Continue at the same place in the story after its text was edited.

        Raises:
            ScriptError: The story has errors, or uses another world than before;
                nothing has changed.
        """
        async with self._lock:
            self._check_story(story)
            state = saves.save_player(self.player)
            player = self._make_player(story, self.run, self.player.seed)
            resumption = saves.restore_player(player, state)
            steps = saves.carry_history(self.player, player)
            passed = list(self._marks)[: len(self.player.history)]
            self._replace_player(story, player, self._followed)
            self._marks.extend(passed[len(passed) - steps :])
            self._write_state()
            return resumption

    @property
    def _known_turns(self) -> int:
        """How many turns of the run the story has seen."""
        return 0 if self._followed is None else self._followed.known

    @property
    def world(self) -> World:
        """The world as the story has seen it; only for a story with a world."""
        assert self._followed is not None, "there is a world"
        return self._followed.world

    def _make_player(self, story: Story, run: Run | None, seed: int) -> Player:
        facts = None
        if run is not None:
            facts = WorldFacts(lambda: self.world, run.find_world_after(-1), run.actor)
        return Player(
            story.program,
            seed=seed,
            assets=story.assets,
            facts=facts,
            batch=self._batch,
            annotate=self._annotate,
        )

    async def _step(self) -> StepResult:
        fresh = self.player.waiting in ("step", "world")
        for _ in range(MOST_DEEDS):
            if self.run is not None and self.player.waiting == "step":
                self._before = saves.save_player(self.player).to_json()
            result = await self._advance()
            if isinstance(result, StepResult):
                if fresh:
                    self._marks.append(self._known_turns)
                return result
            assert self._followed is not None, "without a world the player answers itself"
            outcome = await self._followed.play_words(result.words, self.asked)
            self.player.settle(outcome)
            self._write_state()
        raise _make_endless_loop_error(self.player)

    async def _advance(self) -> StepResult | WorldRequest:
        """Advance the player; a long way to the next wait is gone in a thread."""
        player = self.player
        advance = player.step if self.run is None else player.advance
        player.most_silent = _SHORT_WAY
        try:
            return advance()
        except ScriptError as problem:
            if problem.code != "LOOP_WITHOUT_WAIT":
                raise
        finally:
            player.most_silent = MOST_SILENT
        return await asyncio.to_thread(advance)

    def _find_run(self, state: StoryPlayingState) -> Run | None:
        """The run of a state; it must have the same scenario and actor as this one.

        Raises:
            ScriptError: `STATE_UNREADABLE`.
        """
        here = self.run
        if here is None or not state.run:
            if here is None and not state.run:
                return None
            raise make_unreadable_state_error("it was played in another world")
        if state.run == here.id and (self._reopen is None or not has_unread_turns(here)):
            return here
        if self._reopen is None:
            raise make_unreadable_state_error("it was played in another world")
        found = self._reopen(state.run)
        check_same_run(found, state.run, here.record.scenario_id, here.actor)
        return found

    def _replace_player(
        self, story: Story, player: Player, followed: StoryRunCursor | None
    ) -> None:
        player.mark_seen(self.player.list_seen_ids())
        self.story, self.player, self._followed = story, player, followed
        self._marks.clear()

    def _check_story(self, story: Story) -> None:
        findings = list(story.report.errors)
        if self.run is not None:
            findings += check_facts(story.scenes, self.run.find_world_after(-1))
        if findings:
            first = findings[0]
            raise ScriptError(first.code, first.message, where=first.where, hint=first.hint)
        if story.program.ground != self.story.program.ground:
            raise describe("WORLD_CHANGED").to_error(ScriptError)

    def _check_not_overtaken(self) -> None:
        if self._followed is not None:
            self._followed.check_not_overtaken()

    def _write_state(self) -> None:
        # Another writer that has added turns has stored a later state.
        if self._keep is not None and not self.is_overtaken():
            self._keep(self.encode_state())


def _make_endless_loop_error(player: Player) -> ScriptError:
    address, _ = player.locate_shown()
    where = player.program.locate_op(address)
    return describe("LOOP_WITHOUT_WAIT", most=MOST_DEEDS).to_error(ScriptError, where=where)


class SynchronousStoryPlaying:
    """A `StoryPlaying` with the blocking interface of a `Player`."""

    def __init__(self, performance: StoryPlaying) -> None:
        """Wrap a playing; every call runs to its end before it returns."""
        self._performance = performance

    @property
    def waiting(self) -> Waiting:
        """What has to happen next."""
        return self._performance.waiting

    def step(self) -> StepResult:
        """As `StoryPlaying.step`."""
        return asyncio.run(self._performance.step())

    def choose(self, index: int) -> None:
        """As `StoryPlaying.choose`."""
        asyncio.run(self._performance.choose(index))

    def answer(self, text: str) -> None:
        """As `StoryPlaying.answer`."""
        asyncio.run(self._performance.answer(text))
