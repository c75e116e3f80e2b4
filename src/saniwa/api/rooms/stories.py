"""Stories: which there are, and the pictures and sounds they show."""

import asyncio
from typing import Final

import msgspec

from saniwa.api.operation import Answer, Call, Operation, Page
from saniwa.api.placeless import Placeless
from saniwa.core.errors import SaniwaError, ScriptError
from saniwa.wiring import asset
from saniwa.wiring.garden.faults import Looking
from saniwa.wiring.garden.garden import Garden
from saniwa.wiring.library import Library, StoryPlace

_HEADERS: Final = (
    ("Cache-Control", "private, max-age=300"),
    # A drawing can carry a script; opened by itself, it finds nothing that would run it.
    (
        "Content-Security-Policy",
        "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    ),
)


class StoryLine(msgspec.Struct, frozen=True, kw_only=True):
    """A story in one line."""

    id: str
    """What it goes by here."""
    title: str
    """What people call it."""
    languages: list[str]
    """The languages it is told in, its own first."""
    titles: dict[str, str]
    """What people call it in each of them."""
    shipped: bool
    """Whether it comes with Saniwa, and is only read."""
    fault: str = ""
    """Why it cannot begin; empty if nothing is known to keep it."""


async def list_stories(call: Call) -> Page[StoryLine]:
    """List the stories of the library."""
    return Page(await asyncio.to_thread(_listed, call.garden))


def _listed(garden: Garden) -> list[StoryLine]:
    looking = garden.faults.look()
    return [_line(garden.library, id, looking) for id in garden.library.ids()]


def _line(library: Library, id: str, looking: Looking) -> StoryLine:
    try:
        return _line_of(library.find(id), looking)
    except ScriptError as problem:
        return StoryLine(
            id=id,
            title=id,
            languages=[],
            titles={},
            shipped=False,
            fault=_told(problem),
        )


def _line_of(place: StoryPlace, looking: Looking) -> StoryLine:
    fault = looking.fault(place)
    return StoryLine(
        id=place.id,
        title=place.title,
        languages=list(place.languages),
        titles={each.language: each.title for each in place.editions if each.language},
        shipped=place.shipped,
        fault="" if fault is None else _told(fault),
    )


def _told(problem: SaniwaError) -> str:
    """What is wrong, and where, without the folders of this machine."""
    shown = Placeless(problem.where, problem.details)
    place = shown.place(problem.where)
    return f"{place}: {shown.text(problem.message)}" if place else problem.message


async def read_story(call: Call) -> StoryLine:
    """Look at a story."""
    return await asyncio.to_thread(looked_at, call.garden, call.path["story"])


def looked_at(garden: Garden, id: str) -> StoryLine:
    """A story of the library, in one line.

    Raises:
        ScriptError: As `Library.find`.
    """
    return _line_of(garden.library.find(id), garden.faults.look())


async def read_asset(call: Call) -> Answer:
    """A picture or a sound of a story."""
    place = await asyncio.to_thread(call.garden.library.find, call.path["story"])
    found = await asyncio.to_thread(asset.read_asset, place, call.path["path"])
    return Answer(body=found.content, media=found.media, headers=_HEADERS)


_NAMED = {"story": "lantern-island"}
OPERATIONS = (
    Operation(
        name="listStories",
        method="GET",
        path="/stories",
        summary="List the stories there are",
        run=list_stories,
        answers=Page[StoryLine],
    ),
    Operation(
        name="readStory",
        method="GET",
        path="/stories/{story}",
        summary="Look at a story",
        run=read_story,
        answers=StoryLine,
        codes=("STORY_NOT_FOUND",),
        path_examples=_NAMED,
    ),
    Operation(
        name="readAsset",
        method="GET",
        path="/stories/{story}/assets/{path:path}",
        summary="A picture or a sound of a story",
        run=read_asset,
        answers=bytes,
        media="*/*",
        codes=("STORY_NOT_FOUND", "ASSET_NOT_FOUND"),
        path_examples={**_NAMED, "path": "images/harbour.png"},
    ),
)
