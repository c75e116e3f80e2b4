"""The three kinds of runs that hosts play, on stores that can be made to fail."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, Literal, TypeVar

from saniwa.core.clock import FixedClock
from saniwa.core.errors import StoreError
from saniwa.core.idempotency import IdempotencyKey
from saniwa.core.ids import CountingIds
from saniwa.language.parse import parse
from saniwa.models.metering import CallBudget
from saniwa.runs.playing import Playing, PlayRequest, PlayState
from saniwa.runs.playing_record import PlayOrigin
from saniwa.runs.run import Run
from saniwa.runs.run_factory import resume_run
from saniwa.runs.scenario_playing import ScenarioPlaying
from saniwa.runs.stored_story_playing import StoredStoryPlaying
from saniwa.runs.story_playing import StoryPlaying
from saniwa.store.memory_run_store import MemoryRunStore
from saniwa.store.play_records import MemoryPlayRecords
from saniwa.story.story import parse_story
from saniwa.turn.record import Turn
from saniwa.world.model import Id, World
from tests.fakes.runs import open_courtyard_run

T = TypeVar("T")
Kind = Literal["scenario", "story", "story on a world"]
Move = int | str | None
"""A choice by number, words, or None for a step."""
KINDS: Final[tuple[Kind, ...]] = ("scenario", "story", "story on a world")
RUN: Final = "run-000000000000"

LAMP: Final = """\
---
vars: {name: ""}
---
# Lamp

Rain.

A lamp.

- Light it
  It burns.
- Leave it
  It stays dark. <!-- ending: dark -->

[ASK var=name prompt="Your name?"]

{name}, the lamp says.

The end is near. <!-- ending: light -->
"""
"""A story without a world: two lines, a choice, a question, two endings."""

GATE: Final = """\
---
scenario: garden
---
# Gate

The gate is {state("gate")}.

- Take the key {do take the brass key}
  It is yours.
- Eat the loaf {do eat the loaf}
  It was good.

## again

The gate is {state("gate")} still.

- Open it {do open the gate}
  It swings.
- In your own words {ask}
  So be it.

You are done. <!-- ending: done -->
"""
"""A story on the garden, in which one takes the key and opens the gate."""

MOVES: Final[dict[Kind, tuple[Move, ...]]] = {
    "scenario": ("take the brass key", "open the gate", "go east", "go west"),
    "story": (None, 0, "Ana", None),
    "story on a world": (0, None, 0, None),
}
"""Moves that each kind can make from the start; none of them ends it."""


class FailingRunStore(MemoryRunStore):
    """Refuses the next turns, as often as `refusals` says."""

    refusals = 0
    before: Callable[[], object] | None = None
    """Called once, directly before the next turn is kept."""

    async def append(self, run_id: str, turn: Turn) -> None:
        """Keep the turn, unless it must be refused."""
        if self.before is not None:
            do, self.before = self.before, None
            do()
        if self.refusals:
            self.refusals -= 1
            raise make_full_disk_error()
        await super().append(run_id, turn)


class FailingPlayRecords(MemoryPlayRecords):
    """Refuses to store records whose ids start with a prefix."""

    refused: tuple[str, ...] | str = ""
    before: Callable[[], object] | None = None
    """Called once, directly before the next record is replaced or the next move is stored."""

    def put(self, play_id: str, content: bytes, *, after: int) -> None:
        """Replace the record, unless it must be refused."""
        self._prepare()
        self._check(play_id)
        super().put(play_id, content, after=after)

    def create(self, play_id: str, content: bytes) -> None:
        """Keep the record, unless it must be refused."""
        if play_id.startswith("step-"):
            self._prepare()
        self._check(play_id)
        super().create(play_id, content)

    def drop(self, play_id: str) -> None:
        """Delete the record, and the moves of a run."""
        for each in (play_id, *self.list_ids(after=f"step-{play_id}/", limit=1_000)):
            if each.startswith((play_id, f"step-{play_id}/")):
                super().drop(each)

    def _prepare(self) -> None:
        if self.before is not None:
            do, self.before = self.before, None
            do()

    def _check(self, play_id: str) -> None:
        if self.refused and play_id.startswith(self.refused):
            raise make_full_disk_error()


class SlowListener:
    """A listener that does not answer until `done` is set."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.done = asyncio.Event()

    async def listen(
        self,
        text: str,
        actor: Id,
        world: World,
        calls: CallBudget,  # noqa: ARG002 - the port's signature
    ) -> Sequence[object]:
        """The claims of the words, once `done` is set."""
        self.asked.set()
        await self.done.wait()
        return parse(text, actor, world)


def run_elsewhere(do: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a coroutine in a separate event loop, as another process would, and return its result."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(lambda: asyncio.run(do())).result()


async def make_move(
    hosted: Playing, made: Move, *, seen: int | None = None, asked: IdempotencyKey | None = None
) -> PlayState:
    """Make a move at the current revision, or at the one that was seen."""
    revision = hosted.revision if seen is None else seen
    request = PlayRequest(revision=revision, asked=asked)
    if made is None:
        return await hosted.step(request)
    if isinstance(made, int):
        return await hosted.choose(request, made)
    return await hosted.say(request, made)


def make_full_disk_error() -> StoreError:
    """The error of a disk that is full."""
    return StoreError("TRACE_UNWRITABLE", "the disk is full", recoverable=True)


class PlayingStage:
    """Starts runs of one kind, and resumes them as another process would."""

    def __init__(self, kind: Kind, text: str = "") -> None:
        self.kind = kind
        self.store, self.plays = FailingRunStore(), FailingPlayRecords()
        self.clock, self._ids = FixedClock(), CountingIds()
        self._story = parse_story(text or (LAMP if kind == "story" else GATE))
        assert self._story.report.has_passed, self._story.report
        self.moves = MOVES[kind]

    async def begin(self, asked: IdempotencyKey | None = None, owner: str = "") -> Playing:
        """Start a new run."""
        run = None if self.kind == "story" else open_courtyard_run(self.store, ids=self._ids)
        if self.kind == "scenario":
            assert run is not None
            return ScenarioPlaying(run)
        origin = PlayOrigin(story="tale", owner=owner)
        id = RUN if run is None else run.id
        performance = self._make_story_playing(run)
        return await StoredStoryPlaying.begin(
            id, performance, self.plays, origin, self.clock, asked
        )

    async def resume(self, id: str) -> Playing:
        """Resume the run as another process would."""
        run = None if self.kind == "story" else self._resume_run(id)
        if self.kind == "scenario":
            assert run is not None
            return ScenarioPlaying(run)
        return await StoredStoryPlaying.resume(
            id, self._make_story_playing(run), self.plays, self.clock
        )

    def fail(self) -> None:
        """Make every store fail from now on."""
        self.store.refusals, self.plays.refused = 100, ("run-", "step-")

    def repair_stores(self) -> None:
        """Make every store work again."""
        self.store.refusals, self.plays.refused = 0, ""

    def count_turns(self, id: str) -> int:
        """How many turns the run's world has; 0 if there is no world."""
        return 0 if self.kind == "story" else sum(1 for _ in self.store.read_turns(id))

    def read_state(self, id: str) -> tuple[int, bytes]:
        """Everything that the stores have of a run."""
        ids = [each for each in self.plays.list_ids(limit=10_000) if id in each]
        kept = [each.content for each in map(self.plays.get, ids) if each]
        return self.count_turns(id), b"".join(kept)

    def _resume_run(self, id: str) -> Run:
        return resume_run(id, self.store, ids=self._ids, clock=self.clock)

    def _make_story_playing(self, run: Run | None) -> StoryPlaying:
        return StoryPlaying(self._story, run, reopen=self._resume_run)
