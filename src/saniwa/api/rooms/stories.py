"""Stories: which there are, and the pictures and sounds they show."""

import asyncio
import os
import stat
from mimetypes import guess_type
from pathlib import Path
from typing import Final

import msgspec

from saniwa.api.operation import Answer, Call, Operation, Page
from saniwa.core.errors import ScriptError
from saniwa.core.inside import open_inside, walked
from saniwa.core.quoted import quoted
from saniwa.wiring.library import Library, StoryPlace

LARGEST: Final = 64_000_000
"""Bytes a picture or sound may have."""
_SHOWN: Final = frozenset(
    {"image/png", "image/jpeg", "image/webp", "image/gif", "image/avif"}
    | {"image/svg+xml"}
    | {"audio/ogg", "audio/mpeg", "audio/wav", "audio/x-wav", "audio/flac"}
    | {"audio/mp4", "audio/webm", "video/mp4", "video/webm", "video/ogg"}
)
"""What is given to browsers."""
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
    named = call.path["path"]
    for edition in place.editions:
        if edition.assets is not None:
            found = await asyncio.to_thread(_read, edition.assets, named)
            if found is not None:
                kind, content = found
                return Answer(body=content, media=kind, headers=_HEADERS)
    raise ScriptError(
        "ASSET_NOT_FOUND",
        f"the story {quoted(place.id)} shows no file {quoted(named)}",
        hint="pictures and sounds lie in the story's asset folder",
    )


def _read(folder: Path, named: str) -> tuple[str, bytes] | None:
    kind = guess_type(named)[0] or ""
    *folders, last = named.split("/")
    if kind not in _SHOWN or any(part in ("", ".", "..") for part in (*folders, last)):
        return None
    try:
        with (
            walked(folder, folders) as here,
            os.fdopen(open_inside(here, last), "rb") as file,
        ):
            state = os.fstat(file.fileno())
            if not stat.S_ISREG(state.st_mode) or state.st_size > LARGEST:
                return None
            return kind, file.read(LARGEST)
    except (OSError, ValueError):
        return None


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
