"""A story as a host meets it, with or without a world beneath it.

What a host was told is kept first: where the story stands, what is shown, and the answer,
in one record that is replaced whole. Of two processes that play one story on, one is told
that it comes too late and takes up what the other has kept.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

import msgspec

from saniwa.core.clock import Clock
from saniwa.core.errors import SaniwaError, StoreError
from saniwa.run.conductor import Run
from saniwa.run.hosted.form import Beside, Slot
from saniwa.run.hosted.moment import Awaits, Moment, Request, last_line
from saniwa.run.hosted.record import (
    STEPS,
    HostRecord,
    Origin,
    Passed,
    read_record,
    with_answer,
    with_step,
    with_steps,
    without_steps,
)
from saniwa.run.hosted.seen import Seen
from saniwa.run.hosted.slots import Slots
from saniwa.run.hosted.trouble import another_request, no_world, stale, under_way
from saniwa.run.performance import Performance
from saniwa.script.directive import StepResult
from saniwa.store.plays.port import Plays
from saniwa.turn.preview import Preview
from saniwa.turn.trace import Asked

_WAITING: Final[dict[str, Awaits]] = {
    "step": "step",
    "choice": "choice",
    "answer": "words",
    "choice or answer": "choice or words",
    "world": "step",
    "end": "end",
}


_UNSURE: Final = 0
"""No place that a record has: what is kept must be read again."""
_CONFLICT: Final = "REVISION_CONFLICT"
_PAUSE: Final = 0.02


class HostedStory:
    """A story, for hosts."""

    patience = 1.0
    """Seconds to wait for another process that is in the middle of a step."""

    def __init__(
        self,
        id: str,
        performance: Performance,
        plays: Plays,
        record: HostRecord,
        place: int,
        clock: Clock,
    ) -> None:
        """A story where its record leaves it; `begun` and `taken_up` call this.

        `place` is the number under which the record was kept last.
        """
        self._id = id
        self.performance = performance
        """The story itself."""
        self._plays = plays
        self._record = record
        self._place = place
        self._clock = clock
        self._slots = Slots(id, plays)
        self._seen = Seen(record.origin, plays)
        self._alone = asyncio.Lock()
        self._astray = False

    @classmethod
    async def begun(
        cls,
        id: str,
        performance: Performance,
        plays: Plays,
        origin: Origin,
        clock: Clock,
        asked: Asked | None = None,
    ) -> "HostedStory":
        """A story at its first step, kept.

        Raises:
            SaniwaError: It cannot begin, or could not be kept.
        """
        record = HostRecord(origin=origin, revision=0)
        performance.player.mark_seen(Seen(origin, plays).ids())
        step = await performance.step()
        record = with_step(record, _passed(performance, step))
        hosted = cls(id, performance, plays, record, 1, clock)
        hosted._record = with_answer(record, asked, hosted.moment())
        plays.create(id, hosted._record.packed())
        return hosted

    @classmethod
    async def taken_up(
        cls, id: str, performance: Performance, plays: Plays, clock: Clock
    ) -> "HostedStory":
        """A story where hosts were told last that it stands.

        Raises:
            SaniwaError: It cannot be taken up there.
        """
        kept = plays.get(id)
        assert kept is not None, "somebody has looked for it"
        record = read_record(id, kept.content)
        hosted = cls(id, performance, plays, record, kept.revision, clock)
        performance.player.mark_seen(hosted._seen.ids())
        await hosted._stand()
        return hosted

    @property
    def id(self) -> str:
        """The run's id."""
        return self._id

    @property
    def revision(self) -> int:
        """What hosts have seen."""
        return self._record.revision

    @property
    def origin(self) -> Origin:
        """What is played, and for whom."""
        return self._record.origin

    async def catch_up(self) -> None:
        """Stand where other processes have brought it since.

        Raises:
            SaniwaError: It cannot be taken up there.
        """
        async with self._alone:
            await self._caught_up()

    def moment(self) -> Moment:
        """Where it stands now, for a host that comes in here."""
        return self._moment(self._shown, afresh=True)

    async def step(self, request: Request) -> Moment:
        """Go on; while a choice or words are awaited, and after the end, the same again."""

        async def stepped() -> StepResult | None:
            return await self.performance.step() if self._waiting == "step" else None

        return await self._once(request, stepped)

    async def choose(self, request: Request, index: int) -> Moment:
        """Take one of the choices, and go on."""

        async def chosen() -> StepResult:
            await self.performance.choose(index)
            return await self.performance.step()

        return await self._once(request, chosen)

    async def say(
        self, request: Request, text: str, actor: str | None = None
    ) -> Moment:
        """Answer, and go on."""
        del actor

        async def said() -> StepResult:
            await self.performance.answer(text)
            return await self.performance.step()

        return await self._once(request, said)

    async def back(self, request: Request, steps: int = 1) -> Moment:
        """Go back so many steps, as far as they are kept; the world goes back as well."""

        async def gone_back() -> StepResult | None:
            passed = self._record.passed
            number = min(steps, len(passed) - 1)
            if number < 1:
                return None
            shown = await self.performance.back(number)
            if shown is None:
                await self.performance.load(bytes(passed[-1 - number].state))
                shown = await self.performance.step()
            self._record = without_steps(self._record, number + 1)
            return shown

        return await self._once(request, gone_back, afresh=True)

    async def skip(self, request: Request) -> tuple[Moment, Sequence[StepResult]]:
        """Go on through what was seen before."""
        passed: list[StepResult] = []

        async def skipped() -> StepResult | None:
            passed.clear()
            places = deque[Passed](maxlen=STEPS)
            async for step in self.performance.skip():
                places.append(_passed(self.performance, step))
                passed.append(step)
            # Each can be gone back to, as if it had been stepped to.
            self._record = with_steps(self._record, list(places)[:-1])
            return passed[-1] if passed else None

        moment = await self._once(request, skipped, afresh=True)
        return moment, passed[:-1]

    async def beside(self, request: Request, do: Beside) -> Moment:
        """Let something be done to the run beneath; the story shows what it showed.

        Raises:
            RunError: `WORLD_MISSING`.
        """
        if self.performance.run is None:
            raise no_world(self._id)
        key = request.asked and request.asked.key

        async def unless_done(run: Run) -> None:
            # Asked of the run as it stands: a crash may have come between its turn and
            # the story's place, and another process may be there now.
            if not (key and run.request(key)):
                await do(run)

        async def done() -> StepResult:
            await self.performance.beside(unless_done)
            shown = self._shown
            self._record = without_steps(self._record, 1)
            return shown

        return await self._once(request, done, afresh=True)

    async def preview(self, text: str, actor: str | None = None) -> Preview | None:
        """How words would be understood by the world beneath, where there is one."""
        run = self.performance.run
        return None if run is None else await run.preview(text, actor)

    def backlog(self) -> Sequence[StepResult]:
        """What was shown, as far as it is kept."""
        kept = [each.step for each in self._record.passed]
        known = list(self.performance.backlog)
        return known if len(known) > len(kept) else kept

    async def save(self, name: str) -> Slot:
        """Name the point where it stands."""
        async with self._alone:
            await self._caught_up()
            last = self._record.passed[-1]
            return self._slots.put(
                name, self._clock.now(), bytes(last.state), last_line(last.step)
            )

    def slots(self) -> Sequence[Slot]:
        """The places to come back to."""
        return self._slots.listed()

    async def load(self, request: Request, name: str) -> Moment:
        """Go to such a place."""

        async def loaded() -> StepResult:
            await self.performance.load(self._slots.state(name))
            return await self.performance.step()

        return await self._once(request, loaded, afresh=True)

    async def remove(self, name: str) -> None:
        """Forget such a place."""
        self._slots.drop(name)

    @property
    def _shown(self) -> StepResult:
        return self._record.passed[-1].step

    @property
    def _waiting(self) -> Awaits:
        return _WAITING[self.performance.waiting]

    def _moment(self, step: StepResult, *, afresh: bool = False) -> Moment:
        return Moment(
            run=self._id,
            revision=self._record.revision,
            step=step,
            waiting=self._waiting,
            scenery=self.performance.scenery() if afresh else None,
            back=len(self._record.passed) > 1,
        )

    async def _once(
        self,
        request: Request,
        do: Callable[[], Awaitable[StepResult | None]],
        *,
        afresh: bool = False,
    ) -> Moment:
        """Do it and keep it, unless this very request was done before."""
        async with self._alone:
            await self._caught_up()
            before = self._before(request)
            if before is not None:
                return before
            try:
                return await self._tried(request, do, afresh)
            except StoreError as problem:
                done = self._done_since(request, problem)
                if done is not None:
                    return done
            # The other process is slow, or dead: what it has done is not done again.
            try:
                return self._before(request) or await self._tried(request, do, afresh)
            except StoreError as problem:
                done = self._done_since(request, problem)
                if done is not None:
                    return done
                raise under_way(self._id) from problem

    def _done_since(self, request: Request, problem: StoreError) -> Moment | None:
        """The answer another process has told meanwhile; None if it has only begun.

        Raises:
            StoreError: The problem, if this very request is nowhere else under way.
        """
        if problem.code != _CONFLICT:
            raise problem
        done = self._done(request.asked)
        if done is None and not self._is_begun(request.asked):
            raise problem
        return done

    def _before(self, request: Request) -> Moment | None:
        """The answer to a request that was done before; None if it is to be done.

        Raises:
            StoreError: `REVISION_CONFLICT`, `IDEMPOTENCY_CONFLICT`.
        """
        before = self._done(request.asked)
        if before is None and request.revision != self.revision:
            raise stale(self._id, request.revision, self.revision)
        return before

    async def _tried(
        self,
        request: Request,
        do: Callable[[], Awaitable[StepResult | None]],
        afresh: bool,
    ) -> Moment:
        kept, place = self._record, self._place
        # Until it is kept, we stand where nobody was told that we stand.
        self._astray, self.performance.asked = True, request.asked
        try:
            step = await do()
            moment = (
                self.moment() if step is None else self._keep(step, request, afresh)
            )
        except SaniwaError as problem:
            # What stands now is the store's to say: it may have kept it, and another
            # process may have been first.
            self._record, self._place = kept, _UNSURE
            await self._find_back(place if problem.code == _CONFLICT else _UNSURE)
            raise
        self._astray = False
        return moment

    def _is_begun(self, asked: Asked | None) -> bool:
        """Whether the run beneath knows a request of which the story has not told."""
        run = self.performance.run
        if asked is None or run is None or self._astray:
            return False
        return (run.request(asked.key) or (0, None))[1] == asked

    def _keep(self, step: StepResult, request: Request, afresh: bool) -> Moment:
        self._record = with_step(self._record, _passed(self.performance, step))
        moment = self._moment(step, afresh=afresh)
        self._record = with_answer(self._record, request.asked, moment)
        self._plays.put(self._id, self._record.packed(), after=self._place)
        self._place += 1
        if moment.waiting != "step":
            self._seen.keep(self.performance.player.seen_ids())
        return moment

    def _done(self, asked: Asked | None) -> Moment | None:
        if asked is None:
            return None
        for each in self._record.answered:
            if each.asked.key == asked.key:
                if each.asked.digest != asked.digest:
                    raise another_request(asked.key)
                return each.moment
        return None

    async def _caught_up(self) -> None:
        if self._plays.revision(self._id) not in (None, self._place):
            self._read_again()
        if self._astray:
            await self._stand()

    def _read_again(self) -> None:
        kept = self._plays.get(self._id)
        if kept is not None:
            self._record = read_record(self._id, kept.content)
            self._place, self._astray = kept.revision, True

    async def _find_back(self, left: int) -> None:
        """Stand where hosts believe us to be; if that fails now, before the next request.

        Whoever has gone on from the place that was left is given time to say so.
        """
        try:
            for _ in range(int(self.patience / _PAUSE) if left else 0):
                if self._plays.revision(self._id) != left:
                    break
                await asyncio.sleep(_PAUSE)
            await self._caught_up()
        except SaniwaError:
            self._astray = True

    async def _stand(self) -> None:
        await self.performance.load(bytes(self._record.passed[-1].state))
        await self.performance.step()
        self._astray = False


def _passed(performance: Performance, step: StepResult) -> Passed:
    return Passed(step=step, state=msgspec.Raw(performance.state()))
