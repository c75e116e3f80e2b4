"""Stories: which there are, and the pictures and sounds they show."""

import asyncio
import shlex
from pathlib import Path
from typing import Final

import msgspec

from saniwa.api.operation import Answer, Call, Operation, Page
from saniwa.api.placeless import Placeless
from saniwa.core.errors import SaniwaError, ScriptError, StoreError
from saniwa.wiring import asset
from saniwa.wiring.garden.faults import Looking
from saniwa.wiring.garden.garden import Garden
from saniwa.wiring.keeping import list_terminal_plays
from saniwa.wiring.library import Edition, StoryPlace

_HEADERS: Final = (
    ("Cache-Control", "private, max-age=300"),
    # A drawing can carry a script; opened by itself, it finds nothing that would run it.
    (
        "Content-Security-Policy",
        "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    ),
)


class TerminalPlay(msgspec.Struct, frozen=True, kw_only=True):
    """A place in a story that a terminal of this server's store keeps."""

    save: str = ""
    """The save's name; empty for the place where the story was left."""
    command: str
    """What continues it there."""
    fault: str = ""
    """Why it cannot be read; empty if it can."""


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
    terminal: list[TerminalPlay] = []
    """Where it was left or saved at a terminal; it is continued there."""


async def list_stories(call: Call) -> Page[StoryLine]:
    """List the stories of the library."""
    return Page(await asyncio.to_thread(_listed, call.garden))


def _listed(garden: Garden) -> list[StoryLine]:
    looking = garden.faults.look()
    return [_line(garden, id, looking) for id in garden.library.ids()]


def _line(garden: Garden, id: str, looking: Looking) -> StoryLine:
    try:
        return _line_of(garden, garden.library.find(id), looking)
    except ScriptError as problem:
        return StoryLine(
            id=id,
            title=id,
            languages=[],
            titles={},
            shipped=False,
            fault=_told(problem),
        )


def _line_of(garden: Garden, place: StoryPlace, looking: Looking) -> StoryLine:
    fault = looking.fault(place)
    return StoryLine(
        id=place.id,
        title=place.title,
        languages=list(place.languages),
        titles={each.language: each.title for each in place.editions if each.language},
        shipped=place.shipped,
        fault="" if fault is None else _told(fault),
        terminal=_terminal_plays(place, garden.places.store),
    )


def _terminal_plays(place: StoryPlace, store: str) -> list[TerminalPlay]:
    """What a terminal keeps of each file of a story."""
    files: dict[Path, Edition] = {}
    for edition in place.editions:
        files.setdefault(edition.path, edition)
    return [
        play
        for path, edition in files.items()
        for play in _plays_of_file(place, path, edition, store)
    ]


def _plays_of_file(
    place: StoryPlace, path: Path, edition: Edition, store: str
) -> list[TerminalPlay]:
    try:
        return [
            TerminalPlay(save=save, command=_resume_command(place, edition, save))
            for save in list_terminal_plays(path, store)
        ]
    except StoreError as problem:
        command = _resume_command(place, edition, "")
        return [TerminalPlay(command=command, fault=_told(problem))]


def _resume_command(place: StoryPlace, edition: Edition, save: str) -> str:
    words = ["saniwa", "play", place.id]
    if edition is not place.editions[0]:
        words += ["--language", edition.language]
    return shlex.join([*words, *(("--load", save) if save else ("--resume",))])


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
    return _line_of(garden, garden.library.find(id), garden.faults.look())


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
