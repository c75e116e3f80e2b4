"""Stories: which there are, and the pictures and sounds they show."""

import asyncio
from typing import Final

import msgspec

from saniwa.api.operation import Answer, Call, Operation, Page
from saniwa.core.errors import ScriptError
from saniwa.wiring import asset
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
    """Why it cannot be read; empty if it can."""


async def list_stories(call: Call) -> Page[StoryLine]:
    """List the stories of the library."""
    library = call.garden.library
    return Page(
        await asyncio.to_thread(lambda: [_line(library, id) for id in library.ids()])
    )


def _line(library: Library, id: str) -> StoryLine:
    try:
        return line_of(library.find(id))
    except ScriptError as problem:
        return StoryLine(
            id=id,
            title=id,
            languages=[],
            titles={},
            shipped=False,
            fault=problem.message,
        )


def line_of(place: StoryPlace) -> StoryLine:
    """A story in one line."""
    return StoryLine(
        id=place.id,
        title=place.title,
        languages=list(place.languages),
        titles={each.language: each.title for each in place.editions if each.language},
        shipped=place.shipped,
    )


async def read_story(call: Call) -> StoryLine:
    """Look at a story."""
    find = call.garden.library.find
    return line_of(await asyncio.to_thread(find, call.path["story"]))


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
