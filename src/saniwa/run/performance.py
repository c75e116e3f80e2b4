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

from saniwa.core.errors import ScriptError
from saniwa.run.conductor import Run
from saniwa.run.facts import WorldFacts, check_facts
from saniwa.run.followed import Followed, followed_from, has_more
from saniwa.run.kept import Kept, check_alike, kept_bytes, read_kept, unreadable
from saniwa.script.directive import StepResult
from saniwa.script.playing.player import (
    MOST_SKIPPED,
    RECORD,
    Batch,
    Outcome,
    Player,
    Request,
    Waiting,
)
from saniwa.script.playing.state import (
    Resumption,
    carry_history,
    put_down,
    read_state,
    take_up,
)
from saniwa.script.story import Story
from saniwa.turn.trace import Asked
from saniwa.world.model import World

MOST_DEEDS: Final = 100
"""Deeds in one step before the story is taken for endless."""

Keeper = Callable[[bytes], None]
"""Keeps a state durably; when it returns, the state would survive a power cut."""
Reopener = Callable[[str], Run]
"""Gives a kept run by its id."""


class Performance:
    """One playing of one story."""

    def __init__(
        self,
        story: Story,
        run: Run | None = None,
        *,
        seed: int = 0,
        keep: Keeper | None = None,
        reopen: Reopener | None = None,
        batch: Batch = "step",
        annotate: bool = False,
    ) -> None:
        """A performance at the beginning of its story, on the world of a run.

        `keep` is given the state after everything that must last; `reopen` finds the
        run of a state that was saved in another one, or as somebody else has left it.
        """
        self.story = story
        self._followed = None if run is None else Followed(run)
        self._keep = keep
        self._reopen = reopen
        self._batch: Batch = batch
        self._annotate = annotate
        self._lock = asyncio.Lock()
        self._marks: deque[int] = deque(maxlen=RECORD)
        self._before = b""
        self.asked: Asked | None = None
        """The request that is under way, kept with its deeds; None where it has no name."""
        self.taken_back = False
        """Whether the world was ahead of the state loaded last, and was taken back."""
        self.player = self._player(story, run, seed)

    @property
    def run(self) -> Run | None:
        """The run beneath; None where there is no world."""
        return None if self._followed is None else self._followed.run

    def overtaken(self) -> bool:
        """Whether somebody else has played on in the same run.

        Raises:
            StoreError: The store cannot be read.
        """
        return self._followed is not None and self._followed.overtaken()

    @property
    def waiting(self) -> Waiting:
        """What has to happen next; `world` only if the world failed in the last step."""
        return self.player.waiting

    @property
    def backlog(self) -> tuple[StepResult, ...]:
        """What was shown, oldest first, as far as it is kept."""
        return self.player.backlog

    def scenery(self) -> StepResult:
        """The pictures and the music of this moment, for a host that comes in here.

        After going back, a load or a reload: empty the stage, then show this.
        """
        return self.player.scenery()

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
            self._check_alone()
            self.player.choose(index)
            self._kept()

    async def answer(self, text: str) -> None:
        """Answer in one's own words where the story asks for them.

        Raises:
            ScriptError: As for `Player.answer`; nothing has changed.
            StoreError: As for `choose`; nothing has changed.
            ScriptError, StoreError: `STATE_TOO_LARGE`, `TRACE_UNWRITABLE`: the answer
                is given and could not be kept.
        """
        async with self._lock:
            self._check_alone()
            self.player.answer(text)
            self._kept()

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
                await self._followed.back_to(self._marks[-1 - steps])
            shown = self.player.back(steps)
            if shown is not None:
                for _ in range(min(steps + 1, len(self._marks))):
                    self._marks.pop()
                self._marks.append(self._turn)
                self._kept()
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
            seen, turn = len(self.player.seen_ids()), self._turn
            yield await self.step()
            if seen != len(self.player.seen_ids()) or turn != self._turn:
                return

    async def beside(self, do: Callable[[Run], Awaitable[object]]) -> None:
        """Let something be done to the run that is no story: other rules, other seats.

        Raises:
            SaniwaError: What `do` raises.
            StoreError: `REVISION_CONFLICT` if somebody else has played on in the same
                run; nothing was done.
        """
        assert self._followed is not None, "there is a world"
        async with self._lock:
            self._followed.check()
            await do(self._followed.run)
            self._followed.check()
            self._kept()

    def state(self) -> bytes:
        """Where story and world stand, as JSON, to be taken up by `load`.

        Raises:
            ScriptError: `STATE_TOO_LARGE` for more than could be read again.
        """
        stuck = self.player.waiting == "world"
        story = self._before if stuck else put_down(self.player).as_json()
        return kept_bytes(story, "" if self.run is None else self.run.id, self._turn)

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
            kept = read_kept(content)
            state = read_state(bytes(kept.story))
            run = self._run_of(kept)
            player = self._player(self.story, run, state.seed)
            resumption = take_up(player, state)
            stood = 0 if run is None else run.count
            followed = None if run is None else await followed_from(run, kept.turn)
            # Going back is a turn, too.
            self.taken_back = run is not None and run.count > stood
            self._take_up(self.story, player, followed)
            self._kept()
            return resumption

    async def reload(self, story: Story) -> Resumption:
        """Go on with the story as it was edited, at the same place.

        Raises:
            ScriptError: The story has errors, or stands on another world than before;
                nothing has changed.
        """
        async with self._lock:
            self._check(story)
            state = put_down(self.player)
            player = self._player(story, self.run, self.player.seed)
            resumption = take_up(player, state)
            steps = carry_history(self.player, player)
            passed = list(self._marks)[: len(self.player.history)]
            self._take_up(story, player, self._followed)
            self._marks.extend(passed[len(passed) - steps :])
            self._kept()
            return resumption

    @property
    def _turn(self) -> int:
        """How many turns of the run the story knows of."""
        return 0 if self._followed is None else self._followed.known

    @property
    def world(self) -> World:
        """What is true where the story stands; only for a story on a world."""
        assert self._followed is not None, "there is a world"
        return self._followed.world

    def _player(self, story: Story, run: Run | None, seed: int) -> Player:
        facts = None
        if run is not None:
            facts = WorldFacts(lambda: self.world, run.world_after(-1), run.actor)
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
                self._before = put_down(self.player).as_json()
            came = self.player.advance() if self.run is not None else self.player.step()
            if isinstance(came, StepResult):
                if fresh:
                    self._marks.append(self._turn)
                return came
            self.player.settle(await self._done(came))
            self._kept()
        raise _endless(self.player)

    async def _done(self, request: Request) -> Outcome:
        assert self._followed is not None, "without a world the player answers itself"
        return await self._followed.do(request.words, self.asked)

    def _run_of(self, kept: Kept) -> Run | None:
        """The run of a state, which must be one like ours.

        Raises:
            ScriptError: `STATE_UNREADABLE`.
        """
        here = self.run
        if here is None or not kept.run:
            if here is None and not kept.run:
                return None
            raise unreadable("it was played on another world")
        if kept.run == here.id and (self._reopen is None or not has_more(here)):
            return here
        if self._reopen is None:
            raise unreadable("it was played on another world")
        found = self._reopen(kept.run)
        check_alike(found, kept.run, here.record.scenario_id, here.actor)
        return found

    def _take_up(self, story: Story, player: Player, followed: Followed | None) -> None:
        player.mark_seen(self.player.seen_ids())
        self.story, self.player, self._followed = story, player, followed
        self._marks.clear()

    def _check(self, story: Story) -> None:
        findings = list(story.report.errors)
        if self.run is not None:
            findings += check_facts(story.scenes, self.run.world_after(-1))
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

    def _check_alone(self) -> None:
        if self._followed is not None:
            self._followed.check()

    def _kept(self) -> None:
        # Whoever has played on has kept a later place.
        if self._keep is not None and not self.overtaken():
            self._keep(self.state())


def _endless(player: Player) -> ScriptError:
    address, _ = player.standing()
    return ScriptError(
        "LOOP_WITHOUT_WAIT",
        f"the story does {MOST_DEEDS} deeds here and never waits",
        where=player.program.where(address),
        hint="put a line or a choice between the deeds",
    )
