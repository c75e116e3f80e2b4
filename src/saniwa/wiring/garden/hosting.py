"""How hosted runs are begun, and found again.

A story is read first, by threads of its own: others are heard meanwhile. Everything after
that is short and done at once.
"""

import asyncio
from collections.abc import Callable, Sequence
from hashlib import sha256

from saniwa.core.clock import Clock
from saniwa.core.errors import RunError, StoreError
from saniwa.core.near import did_you_mean
from saniwa.core.quoted import quoted
from saniwa.run.conductor import Run
from saniwa.run.hosted.form import Hosted
from saniwa.run.hosted.record import HostRecord, Origin, read_record
from saniwa.run.hosted.scenario import HostedRun
from saniwa.run.hosted.story import HostedStory
from saniwa.run.kept import read_kept
from saniwa.run.performance import Performance
from saniwa.script.playing.arriving import address_of, arrive
from saniwa.script.story import Story
from saniwa.store.plays.port import Plays
from saniwa.turn.trace import Asked
from saniwa.wiring.garden.reading import Reading
from saniwa.wiring.garden.workshop import Workshop
from saniwa.wiring.library import Library
from saniwa.wiring.parts import Parts
from saniwa.wiring.scenario import find_entry, registry_place
from saniwa.wiring.story import begin_world, left_in, load_story, whole
from saniwa.wiring.writing.draft import loose_draft, playable_draft


class Hosting:
    """Begins runs for hosts, and takes up those that were left."""

    def __init__(
        self, parts: Parts, plays: Plays, library: Library, clock: Clock
    ) -> None:
        """Runs in a store, with their places in stories kept beside it."""
        self._parts = parts
        self._plays = plays
        self._library = library
        self._clock = clock
        self._workshop = Workshop()
        self._stories = Reading(clock, self._workshop)
        # Apart: no draft makes us forget a story of the library.
        self._drafts = Reading(clock, self._workshop)

    async def story(self, origin: Origin) -> Story | None:
        """The story that a run tells, read; None for a run of a scenario.

        Raises:
            ProtocolError: `TOO_MANY_REQUESTS` where its owner has many drafts read.
            SaniwaError: It cannot be told.
        """
        if origin.scenario:
            return None
        return await (self._draft(origin) if origin.draft else self._saved(origin))

    async def begun(
        self,
        origin: Origin,
        story: Story | None,
        run_id: str,
        asked: Asked | None = None,
    ) -> Hosted:
        """A new run of what was read, kept from its first moment.

        What a process left when it was killed at this very beginning is gone on with.

        Raises:
            StoreError: `RUN_EXISTS` if the name is taken.
            SaniwaError: It cannot begin; then nothing was kept for hosts.
        """
        if story is None:
            return await self._scenario(origin, run_id)
        # Before anything is kept: the place may not be there.
        place = address_of(story.program, origin.at) if origin.at else None
        language = origin.language or None
        run = self._untouched(
            run_id,
            lambda: begin_world(
                story, self._parts, language, origin.seed, run_id=run_id
            ),
        )
        performance = self._performance(story, run, origin)
        if place is not None:
            arrive(performance.player, place)
        return await HostedStory.begun(
            run_id, performance, self._plays, origin, self._clock, asked
        )

    async def taken_up(self, run_id: str) -> Hosted:
        """A run where it was left.

        Raises:
            StoreError: `RUN_NOT_FOUND`; it cannot be read.
            SaniwaError: It cannot be gone on with.
        """
        record = self.record(run_id)
        # A garden where nobody has played yet is no broken one: its store is made here,
        # before a thread reads it.
        _ = self._parts.store
        # A long history takes seconds to read: other visitors are served meanwhile.
        if record is None or record.origin.scenario:
            return HostedRun(await asyncio.to_thread(self._run, run_id))
        story = await self.story(record.origin)
        assert story is not None, "it is no scenario's"
        state = read_kept(bytes(record.passed[-1].state))
        run = await asyncio.to_thread(left_in, story, state.run, self._parts)
        performance = self._performance(story, run, record.origin)
        return await HostedStory.taken_up(run_id, performance, self._plays, self._clock)

    def close(self) -> None:
        """Read nothing more."""
        self._workshop.close()

    def record(self, run_id: str) -> HostRecord | None:
        """What is kept of a run for hosts; None where no host began it.

        Raises:
            StoreError: It cannot be read.
        """
        kept = self._plays.get(run_id)
        return read_record(run_id, kept.content) if kept else None

    def _run(self, run_id: str) -> Run:
        run = self._parts.resume(run_id)
        if run.id != run_id:
            raise no_run(run_id, [run.id])
        return run

    async def _scenario(self, origin: Origin, run_id: str) -> Hosted:
        # By its id and never by a path: whoever asks may sit anywhere.
        entry = find_entry(origin.scenario, self._parts.registry)
        scenario = await self._parts.open_in_thread(entry.scenario_id)
        run = self._untouched(
            run_id,
            lambda: self._parts.begin(
                entry.scenario_id,
                language=origin.language or None,
                actor=origin.actor or None,
                seed=origin.seed,
                run_id=run_id,
                scenario=scenario,
            ),
        )
        assert run is not None, "a scenario has a world"
        self._plays.create(run.id, HostRecord(origin=origin).packed())
        return HostedRun(run)

    def _untouched(self, run_id: str, begin: Callable[[], Run | None]) -> Run | None:
        """A run in which nothing has happened: a new one, or one that was left so."""
        try:
            return begin()
        except StoreError as problem:
            if problem.code != "RUN_EXISTS":
                raise
            run = self._parts.resume(run_id)
            if run.count:
                raise
            return run

    async def _saved(self, origin: Origin) -> Story:
        registry, language = self._parts.registry, origin.language or None
        path = self._library.find(origin.story).edition(language).path
        return await self._stories.story(
            (path, language),
            (path.parent, registry_place(registry).parent),
            lambda: load_story(path, registry, language=language),
        )

    async def _draft(self, origin: Origin) -> Story:
        text, registry = origin.draft, self._parts.registry
        folders = [registry_place(registry).parent]
        name = (_digest(text), origin.story, origin.file, origin.language)
        if not origin.story:
            return await self._drafts.story(
                name, folders, lambda: whole(loose_draft(text, registry)), origin.owner
            )
        place, language = self._library.find(origin.story), origin.language or None
        folders.append(place.edition(language).path.parent)
        return await self._drafts.story(
            name,
            folders,
            lambda: playable_draft(
                text, place, origin.file, registry, language=language
            ),
            origin.owner,
        )

    def _performance(
        self, story: Story, run: Run | None, origin: Origin
    ) -> Performance:
        reopen = self._parts.resume
        return Performance(story, run, seed=origin.seed, reopen=reopen)


def _digest(text: str) -> bytes:
    return sha256(text.encode("utf-8", "surrogatepass")).digest()


def no_run(run_id: str, near: Sequence[str] = ()) -> StoreError:
    """The error for a run that is not there."""
    return StoreError(
        "RUN_NOT_FOUND",
        f"there is no run {quoted(run_id)} here",
        hint=did_you_mean(run_id, near) or "list the runs there are",
        details={"run": run_id},
    )


def nothing_named() -> RunError:
    """The error for a run that is to play nothing, or several things."""
    return RunError(
        "NOTHING_TO_PLAY",
        "a run plays one thing: a scenario, a story, or a draft",
        hint="name exactly one of them; a draft may be of a story that is named",
    )
