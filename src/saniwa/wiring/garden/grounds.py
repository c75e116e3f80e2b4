"""What a host's door of JSON lines opens onto: a garden, and what the command named."""

import os
from pathlib import Path
from typing import Final

import msgspec

from saniwa.run.hosted import lines
from saniwa.run.hosted.door import HostDoor
from saniwa.run.hosted.form import Hosted
from saniwa.run.hosted.record import Origin
from saniwa.turn.trace import Asked
from saniwa.wiring.asset import no_asset, read_asset
from saniwa.wiring.garden.garden import Garden, Places
from saniwa.wiring.garden.hosting import no_run, nothing_named
from saniwa.wiring.library import lying

LAST: Final = "last"
"""Stands for the newest run."""


class Wish(msgspec.Struct, frozen=True, kw_only=True):
    """What a host's command names, for a `begin` that names nothing."""

    scenario: str = ""
    """A scenario's id."""
    story: str = ""
    """A story's id, or the path of its file or folder."""
    language: str = ""
    """The language; empty for the author's own."""


class GardenGrounds:
    """A garden, as a host's door knows it."""

    def __init__(self, garden: Garden, wish: Wish) -> None:
        """A garden, and what is played where a host names nothing."""
        self._garden = garden
        self._wish = wish

    async def begin(self, wish: lines.Begin, asked: Asked | None) -> Hosted:
        """A new run.

        Raises:
            RunError: `NOTHING_TO_PLAY`.
            SaniwaError: It cannot begin.
        """
        named = sum(map(bool, (wish.scenario, wish.story, wish.draft)))
        origin = Origin(
            scenario=wish.scenario if named else self._wish.scenario,
            story=wish.story if named else self._wish.story,
            draft=wish.draft,
            language=wish.language or self._wish.language,
            actor=wish.actor,
            seed=wish.seed,
            created=self._garden.clock.now(),
        )
        if sum(map(bool, (origin.scenario, origin.story, origin.draft))) != 1:
            raise nothing_named()
        return await self._garden.begin(origin, asked)

    async def hosted(self, named: str) -> Hosted:
        """A run by its id, or the newest.

        Raises:
            StoreError: `RUN_NOT_FOUND`; it cannot be read.
            SaniwaError: It cannot be gone on with.
        """
        if named != LAST:
            return await self._garden.hosted(named)
        newest = max(self._garden.run_ids(), default="")
        if not newest:
            raise no_run(LAST)
        return await self._garden.hosted(newest)

    def asset(self, run: str, path: str) -> lines.Fetched:
        """A file of the story that a run plays.

        Raises:
            ScriptError: `ASSET_NOT_FOUND`, `STORY_NOT_FOUND`.
        """
        record = self._garden.record(run)
        if record is None or not record.origin.story:
            raise no_asset("", path)
        found = read_asset(self._garden.library.find(record.origin.story), path)
        return lines.Fetched(media=found.media, content=found.content)


def host_door(places: Places, wish: Wish) -> HostDoor:
    """The door to a garden at these places.

    A story that is named by its path is found in the folder it lies in.

    Raises:
        StoreError: The store cannot be opened.
        ScriptError: `STORY_NOT_FOUND` for a path where no story lies.
    """
    if wish.story.endswith(".md") or os.sep in wish.story:
        folder, story, language = lying(Path(wish.story))
        places = msgspec.structs.replace(places, stories=str(folder))
        wish = msgspec.structs.replace(
            wish, story=story, language=wish.language or language
        )
    return HostDoor(GardenGrounds(Garden(places), wish))
