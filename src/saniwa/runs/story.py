"""One playing of a story, with or without a world beneath it.

The story asks, the run answers: what the story wants done goes through the turn like
everybody's words, and the verdict decides how the story goes on. What is chosen, said
and done is kept before the host is told, and a deed is done once, also if the machine
stops between the deed and the story's next line.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Final

import msgspec

from saniwa.core.errors import ScriptError
from saniwa.core.text import quote_value
from saniwa.core.warm_decoders import warm_decoders
from saniwa.runs.run import Run
from saniwa.runs.story_run import StoryRun, follow_run_from, has_unread_turns
from saniwa.runs.story_world import WorldFacts, check_facts
from saniwa.story.player import MOST_SKIPPED, RECORD, Player, RequestOutcome, Waiting
from saniwa.story.saves import (
    LARGEST,
    Resumption,
    carry_history,
    read_save,
    restore_player,
    save_player,
)
from saniwa.story.step_builder import Batch, WorldRequest
from saniwa.story.stepresult import StepResult
from saniwa.story.story import Story
from saniwa.turn.record import IdempotencyKey
from saniwa.world.model import World

STATE_VERSION: Final = 1
"""The version of a performance's state that this Saniwa writes."""


class StoryPlayingState(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A performance put down."""

    performance: int
    """The version of this form."""
    story: msgspec.Raw
    """Where the story stands."""
    run: str = ""
    """The run beneath; empty where there is no world."""
    turn: int = 0
    """How many turns of the run the story knows of."""


def encode_playing_state(story: bytes, run: str, turn: int) -> bytes:
    """A performance's state as JSON: its story's, the run's id, the turns it knows of.

    Raises:
        ScriptError: `STATE_TOO_LARGE` for more than could be read again.
    """
    kept = StoryPlayingState(
        performance=STATE_VERSION, story=msgspec.Raw(story), run=run, turn=turn
    )
    content = msgspec.json.encode(kept)
    if len(content) > LARGEST:
        raise ScriptError(
            "STATE_TOO_LARGE",
            f"the story remembers more than {LARGEST} bytes",
            hint="let its variables hold less text",
        )
    return content


def decode_playing_state(content: bytes) -> StoryPlayingState:
    """A performance's state from its JSON.

    Raises:
        ScriptError: `STATE_UNREADABLE` for what is none, or is from a newer Saniwa.
    """
    if len(content) > LARGEST:
        raise make_unreadable_state_error(f"it has more than {LARGEST} bytes")
    try:
        kept = msgspec.json.decode(content, type=StoryPlayingState)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        raise make_unreadable_state_error(str(problem)) from problem
    if kept.performance != STATE_VERSION or kept.turn < 0:
        raise make_unreadable_state_error(
            f"it has version {kept.performance}, and not {STATE_VERSION}"
        )
    return kept


def check_same_run(run: Run, named: str, scenario_id: str, actor: str) -> None:
    """See that a state's run is the one it names, of this scenario, played as this one.

    Raises:
        ScriptError: `STATE_UNREADABLE`.
    """
    if run.id != named:
        raise make_unreadable_state_error(f"{named!r} is not the whole id of a run")
    if run.record.scenario_id != scenario_id:
        theirs = quote_value(run.record.scenario_id)
        raise make_unreadable_state_error(
            f"its world is {theirs}, and not {quote_value(scenario_id)}"
        )
    if run.actor != actor:
        raise make_unreadable_state_error(
            f"its reader is {quote_value(run.actor)}, and not {quote_value(actor)}"
        )


def make_unreadable_state_error(why: str) -> ScriptError:
    """The error for a state that cannot be taken up."""
    return ScriptError(
        "STATE_UNREADABLE",
        f"this is no saved state of this story: {why}",
        hint="load another save, or begin anew",
    )


warm_decoders(StoryPlayingState)


MOST_DEEDS: Final = 100
"""Deeds in one step before the story is taken for endless."""

StateWriter = Callable[[bytes], None]
"""Keeps a state durably; when it returns, the state would survive a power cut."""
RunOpener = Callable[[str], Run]
"""Gives a kept run by its id."""


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
        """A performance at the beginning of its story, on the world of a run.

        `keep` is given the state after everything that must last; `reopen` finds the
        run of a state that was saved in another one, or as somebody else has left it.
        """
        self.story = story
        self._followed = None if run is None else StoryRun(run)
        self._keep = keep
        self._reopen = reopen
        self._batch: Batch = batch
        self._annotate = annotate
        self._lock = asyncio.Lock()
        self._marks: deque[int] = deque(maxlen=RECORD)
        self._before = b""
        self.asked: IdempotencyKey | None = None
        """The request that is under way, kept with its deeds; None where it has no name."""
        self.taken_back = False
        """Whether the world was ahead of the state loaded last, and was taken back."""
        self.player = self._make_player(story, run, seed)

    @property
    def run(self) -> Run | None:
        """The run beneath; None where there is no world."""
        return None if self._followed is None else self._followed.run

    def is_overtaken(self) -> bool:
        """Whether somebody else has played on in the same run.

        Raises:
            StoreError: The store cannot be read.
        """
        return self._followed is not None and self._followed.is_overtaken()

    @property
    def waiting(self) -> Waiting:
        """What has to happen next; `world` only if the world failed in the last step."""
        return self.player.waiting

    @property
    def backlog(self) -> tuple[StepResult, ...]:
        """What was shown, oldest first, as far as it is kept."""
        return self.player.backlog

    def build_scenery(self) -> StepResult:
        """The pictures and the music of this moment, for a host that comes in here.

        After going back, a load or a reload: empty the stage, then show this.
        """
        return self.player.build_scenery()

    async def step(self) -> StepResult:
        """Go on to the next thing the host has to do; deeds on the way are done.

        Raises:
            ScriptError: As for `Player.step`; `STATE_TOO_LARGE`.
            RunError, StoreError: The world failed; then the story stands where it
                stood, and the next step tries again. `REVISION_CONFLICT` if somebody
                else has played on in the same run: nothing was done.
        """
        async with self._lock:
            return await self._step()

    async def choose(self, index: int) -> None:
        """Take one of the options offered, from 0; `step` then shows what follows.

        Raises:
            ScriptError: As for `Player.choose`; nothing has changed.
            StoreError: `REVISION_CONFLICT` if somebody else has played on in the same
                run; nothing has changed.
            ScriptError, StoreError: `STATE_TOO_LARGE`, `TRACE_UNWRITABLE`: the choice
                is made and could not be kept.
        """
        async with self._lock:
            self._check_not_overtaken()
            self.player.choose(index)
            self._write_state()

    async def answer(self, text: str) -> None:
        """Answer in one's own words where the story asks for them.

        Raises:
            ScriptError: As for `Player.answer`; nothing has changed.
            StoreError: As for `choose`; nothing has changed.
            ScriptError, StoreError: `STATE_TOO_LARGE`, `TRACE_UNWRITABLE`: the answer
                is given and could not be kept.
        """
        async with self._lock:
            self._check_not_overtaken()
            self.player.answer(text)
            self._write_state()

    async def back(self, steps: int = 1) -> StepResult | None:
        """Go back so many steps and show that one again; None where none is left.

        Past a deed the world goes back as well, which is kept as a turn.

        Raises:
            ScriptError: As for `step`.
            StoreError: The world could not go back; then the story has not either.
        """
        async with self._lock:
            if self._followed is not None:
                if steps < 1 or len(self._marks) <= steps:
                    return None
                await self._followed.go_back_to(self._marks[-1 - steps])
            shown = self.player.back(steps)
            if shown is not None:
                for _ in range(min(steps + 1, len(self._marks))):
                    self._marks.pop()
                self._marks.append(self._known_turns)
                self._write_state()
            return shown

    async def skip(self) -> AsyncIterator[StepResult]:
        """Steps through what was seen before; the first new one, or a choice, is last.

        In a story that goes round for ever, no more than so many are skipped.

        Raises:
            ScriptError: As for `step`.
            RunError, StoreError: As for `step`.
        """
        for _ in range(MOST_SKIPPED):
            if self.waiting != "step":
                return
            seen, turn = len(self.player.list_seen_ids()), self._known_turns
            yield await self.step()
            if seen != len(self.player.list_seen_ids()) or turn != self._known_turns:
                return

    async def change_run(self, do: Callable[[Run], Awaitable[object]]) -> None:
        """Let something be done to the run that is no story: other rules, other seats.

        Raises:
            SaniwaError: What `do` raises.
            StoreError: `REVISION_CONFLICT` if somebody else has played on in the same
                run; nothing was done.
        """
        assert self._followed is not None, "there is a world"
        async with self._lock:
            self._followed.check_not_overtaken()
            await do(self._followed.run)
            self._followed.check_not_overtaken()
            self._write_state()

    def encode_state(self) -> bytes:
        """Where story and world stand, as JSON, to be taken up by `load`.

        Raises:
            ScriptError: `STATE_TOO_LARGE` for more than could be read again.
        """
        stuck = self.player.waiting == "world"
        story = self._before if stuck else save_player(self.player).to_json()
        return encode_playing_state(
            story, "" if self.run is None else self.run.id, self._known_turns
        )

    async def load(self, content: bytes) -> Resumption:
        """Take up a state; the next step shows again what was shown last.

        The world goes back to where it stood then, which is kept as a turn. Where it is
        ahead by a single deed, that deed is not taken back: if the story does it again,
        its outcome is used, and nothing is done twice.

        Raises:
            ScriptError: `STATE_UNREADABLE`; nothing has changed.
            RunError, StoreError: The state's run cannot be gone on with.
        """
        async with self._lock:
            kept = decode_playing_state(content)
            state = read_save(bytes(kept.story))
            run = self._find_run(kept)
            player = self._make_player(self.story, run, state.seed)
            resumption = restore_player(player, state)
            stood = 0 if run is None else run.count
            followed = None if run is None else await follow_run_from(run, kept.turn)
            # Going back is a turn, too.
            self.taken_back = run is not None and run.count > stood
            self._replace_player(self.story, player, followed)
            self._write_state()
            return resumption

    async def reload(self, story: Story) -> Resumption:
        """Go on with the story as it was edited, at the same place.

        Raises:
            ScriptError: The story has errors, or stands on another world than before;
                nothing has changed.
        """
        async with self._lock:
            self._check_story(story)
            state = save_player(self.player)
            player = self._make_player(story, self.run, self.player.seed)
            resumption = restore_player(player, state)
            steps = carry_history(self.player, player)
            passed = list(self._marks)[: len(self.player.history)]
            self._replace_player(story, player, self._followed)
            self._marks.extend(passed[len(passed) - steps :])
            self._write_state()
            return resumption

    @property
    def _known_turns(self) -> int:
        """How many turns of the run the story knows of."""
        return 0 if self._followed is None else self._followed.known

    @property
    def world(self) -> World:
        """What is true where the story stands; only for a story on a world."""
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
                self._before = save_player(self.player).to_json()
            came = self.player.advance() if self.run is not None else self.player.step()
            if isinstance(came, StepResult):
                if fresh:
                    self._marks.append(self._known_turns)
                return came
            self.player.settle(await self._do_request(came))
            self._write_state()
        raise _make_endless_loop_error(self.player)

    async def _do_request(self, request: WorldRequest) -> RequestOutcome:
        assert self._followed is not None, "without a world the player answers itself"
        return await self._followed.play_words(request.words, self.asked)

    def _find_run(self, kept: StoryPlayingState) -> Run | None:
        """The run of a state, which must be one like ours.

        Raises:
            ScriptError: `STATE_UNREADABLE`.
        """
        here = self.run
        if here is None or not kept.run:
            if here is None and not kept.run:
                return None
            raise make_unreadable_state_error("it was played on another world")
        if kept.run == here.id and (self._reopen is None or not has_unread_turns(here)):
            return here
        if self._reopen is None:
            raise make_unreadable_state_error("it was played on another world")
        found = self._reopen(kept.run)
        check_same_run(found, kept.run, here.record.scenario_id, here.actor)
        return found

    def _replace_player(
        self, story: Story, player: Player, followed: StoryRun | None
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
            raise ScriptError(
                first.code, first.message, where=first.where, hint=first.hint
            )
        if story.program.ground != self.story.program.ground:
            raise ScriptError(
                "WORLD_CHANGED",
                "the story stands on another world than when it was begun",
                hint="begin it anew",
            )

    def _check_not_overtaken(self) -> None:
        if self._followed is not None:
            self._followed.check_not_overtaken()

    def _write_state(self) -> None:
        # Whoever has played on has kept a later place.
        if self._keep is not None and not self.is_overtaken():
            self._keep(self.encode_state())


def _make_endless_loop_error(player: Player) -> ScriptError:
    address, _ = player.locate_shown()
    return ScriptError(
        "LOOP_WITHOUT_WAIT",
        f"the story does {MOST_DEEDS} deeds here and never waits",
        where=player.program.locate_op(address),
        hint="put a line or a choice between the deeds",
    )


class SynchronousStoryPlaying:
    """A performance played like a player, one call after the other.

    Not for use inside a running event loop.
    """

    def __init__(self, performance: StoryPlaying) -> None:
        """The same performance, without waiting."""
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
