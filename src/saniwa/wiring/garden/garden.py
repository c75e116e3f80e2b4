"""A garden: everything one server serves, opened once."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from weakref import WeakValueDictionary

import msgspec

from saniwa.core.clock import Clock, SystemClock
from saniwa.core.errors import StoreError
from saniwa.core.ids import Ids, TimeOrderedIds
from saniwa.run.hosted.form import Hosted
from saniwa.run.hosted.record import HostRecord, Origin
from saniwa.script.story import Story
from saniwa.store.written import Written
from saniwa.turn.trace import Asked
from saniwa.wiring.garden.begun import Begun
from saniwa.wiring.garden.bell import Bell
from saniwa.wiring.garden.faults import Faults
from saniwa.wiring.garden.gates import Gates
from saniwa.wiring.garden.held import Held
from saniwa.wiring.garden.hosting import Hosting
from saniwa.wiring.garden.kept import Kept, store_kept
from saniwa.wiring.garden.lenses import Lenses
from saniwa.wiring.garden.results import Results
from saniwa.wiring.garden.settling import Settling
from saniwa.wiring.garden.tables import Tables
from saniwa.wiring.garden.workshop import Workshop
from saniwa.wiring.gate_lookup import lookup_in
from saniwa.wiring.library import Library
from saniwa.wiring.parts import Parts
from saniwa.wiring.plays import open_plays


class Places(msgspec.Struct, frozen=True, kw_only=True):
    """Where the things of a garden lie."""

    store: str = ".saniwa/saniwa.sqlite"
    """The store of runs: a file, `memory:`, or an address of PostgreSQL."""
    registry: str = ""
    """The registry of scenarios; empty for the usual one."""
    stories: str = "stories"
    """The folder of the project's own stories."""
    scenarios: str = "scenarios"
    """The folder of the project's own scenarios."""
    gate: str = ""
    """The gate's folder; empty for the usual one."""
    results: str = "results"
    """The folder of experiments."""
    evidence: tuple[str, ...] = ()
    """Folders of the project from which evidence is taken, beside that of experiments."""


class Garden:
    """Everything one server serves."""

    def __init__(
        self,
        places: Places,
        *,
        clock: Clock | None = None,
        ids: Ids | None = None,
        together: bool = False,
    ) -> None:
        """Open what lies at these places; what is not there yet is made when needed.

        With `together`, whoever tells anybody anything waits for `settled` first: then
        many who play at once wait for one sync of the disk, and not each for their own.

        Raises:
            StoreError: The store cannot be opened.
        """
        self.places: Final = places
        """Where its things lie."""
        self.clock: Final = clock or SystemClock()
        """What time it is."""
        self.ids: Final = ids or TimeOrderedIds()
        """Fresh names."""
        registry = places.registry or None
        self.parts: Final = Parts(
            places.store,
            registry,
            ids=self.ids,
            clock=self.clock,
            together=together,
        )
        """The store and the registry."""
        self.plays: Final = open_plays(places.store, together=together)
        """What hosts need beside runs."""
        self.begun: Final = Begun(self.plays)
        """Which request began which run."""
        self.library: Final = Library.of(Path(places.stories))
        """The stories there are."""
        self.faults: Final = Faults(registry)
        """What is known to keep them from beginning."""
        self.results: Final = Results(Path(places.results))
        """The experiments there are."""
        self.bell: Final = Bell()
        """Rings when something happened in a run."""
        self.lenses: Final = Lenses()
        """What is worked out for those who watch."""
        self.tables: Final = Tables(
            places.store, self.plays, self.bell, sync=self.settled
        )
        """Agents and people round runs."""
        self.hosting: Final = Hosting(self.parts, self.plays, self.library, self.clock)
        """Begins runs, and finds them."""
        self.kept: Final = Kept(*store_kept(places.store))
        """What no request opens."""
        self.gates: Final = Gates(
            places.gate,
            clock=self.clock,
            ids=self.ids,
            kept=self.kept,
            evidence=[Path(each) for each in (*places.evidence, places.results)],
            lookup=lookup_in(lambda: self.parts.store, places.store, registry),
        )
        """The gate, for whoever stands before it."""
        self.checks: Final = Workshop()
        """Checks texts that are being written."""
        self._open = Held()
        self._opening = WeakValueDictionary[str, asyncio.Lock]()
        self._settling = Settling(self._written)

    async def settled(self) -> None:
        """Come back when everything that was kept before is durable.

        Raises:
            StoreError: `TRACE_UNWRITABLE`; then nobody may be told of it.
        """
        await self._settling.settled()

    async def begin(self, origin: Origin, asked: Asked | None = None) -> Hosted:
        """A new run; the same request again gets the run it got before.

        Raises:
            SaniwaError: It cannot begin.
        """
        run_id = self._claimed(origin.owner, asked)
        if not self._is_hosted(run_id):
            story = await self.hosting.story(origin)
            try:
                run_id = await self._begun(origin, story, asked, run_id)
            except StoreError as problem:
                if problem.code != "RUN_EXISTS":
                    raise
                run_id = self._claimed(origin.owner, asked, spent=run_id)
                run_id = await self._begun(origin, story, asked, run_id)
        return await self.hosted(run_id)

    async def hosted(self, run_id: str) -> Hosted:
        """A run, standing where anybody has brought it.

        Raises:
            StoreError: `RUN_NOT_FOUND`; it cannot be read.
            SaniwaError: It cannot be gone on with.
        """
        hosted = self._open.find(run_id) or await self._opened(run_id)
        await hosted.catch_up()
        self._open.hold(hosted)
        return hosted

    async def _opened(self, run_id: str) -> Hosted:
        """A run that was not held; of all who ask for it at once, the first opens it."""
        async with self._opening.setdefault(run_id, asyncio.Lock()):
            hosted = self._open.find(run_id)
            if hosted is None:
                hosted = await self.hosting.taken_up(run_id)
                self._open.hold(hosted)
            return hosted

    def record(self, run_id: str) -> HostRecord | None:
        """What is kept of a run for hosts; None where no host began it.

        Raises:
            StoreError: It cannot be read.
        """
        return self.hosting.record(run_id)

    def run_ids(self) -> Iterator[str]:
        """The ids of all runs there are, in the store and in stories without a world.

        Raises:
            StoreError: It cannot be read.
        """
        seen = {each.run_id for each in self.parts.store.runs()}
        yield from seen
        after = "run-"
        while page := self.plays.ids(after=after):
            for id in page:
                if not id.startswith("run-"):
                    return
                if id not in seen:
                    yield id
            after = page[-1]

    @property
    def held(self) -> int:
        """How many runs are held open."""
        return len(self._open)

    def close(self) -> None:
        """Let go of everything; what was acknowledged lasts."""
        self._open.clear()
        self.hosting.close()
        self.checks.close()
        self.gates.close()
        self.plays.close()
        self.parts.close()

    def _claimed(self, owner: str, asked: Asked | None, spent: str = "") -> str:
        fresh = self.ids.fresh("run")
        return self.begun.claim(owner, asked, fresh, self._is_hosted, spent=spent)

    def _is_hosted(self, run_id: str) -> bool:
        return self.plays.get(run_id) is not None

    async def _begun(
        self, origin: Origin, story: Story | None, asked: Asked | None, run_id: str
    ) -> str:
        """Begin a run under a name, unless the same request sent twice has done so."""
        async with self._opening.setdefault(run_id, asyncio.Lock()):
            if self._is_hosted(run_id):
                return run_id
            try:
                hosted = await self.hosting.begun(origin, story, run_id, asked)
            except StoreError as problem:
                # Sent twice, to two processes: the other one has begun it.
                if problem.code != "RUN_EXISTS" or not self._is_hosted(run_id):
                    raise
            else:
                self._open.hold(hosted)
        return run_id

    def _written(self) -> list[Written]:
        found = (self.parts.written, getattr(self.plays, "written", None))
        return [each for each in found if each is not None]
