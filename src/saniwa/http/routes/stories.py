"""Stories: listing and reading them, their assets, and editing their texts."""

import asyncio
import shlex
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec

from saniwa.app import story_library
from saniwa.app.authoring.new_story import check_story_id, copy_story, create_story
from saniwa.app.authoring.story_files import (
    StoryFileEntry,
    StoryTextFile,
    list_files,
    read_text,
    write_text,
)
from saniwa.app.idempotency import create_once
from saniwa.app.stories import StoryFaultCheck
from saniwa.app.story_library import StoryEdition, StoryPlace
from saniwa.app.story_saves import list_terminal_plays
from saniwa.app.workspace import Workspace
from saniwa.core.errors import SaniwaError, ScriptError, StoreError
from saniwa.http.contract import (
    AuthoredText,
    Operation,
    OperationAnswer,
    OperationCall,
    ResultPage,
    build_location_header,
)
from saniwa.http.problems import PathRedactor
from saniwa.http.routes.drafts import ShortName

_ASSET_HEADERS: Final = (
    ("Cache-Control", "private, max-age=300"),
    # An SVG can contain a script; with this policy it does not run.
    ("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox"),
)


class TerminalPlay(msgspec.Struct, frozen=True, kw_only=True):
    """A place in a story that a terminal of this server's store keeps."""

    save: str = ""
    """The save's name; empty for the place where the story was left."""
    command: str
    """What continues it there."""
    fault: str = ""
    """Why it cannot be read; empty if it can."""


class StorySummary(msgspec.Struct, frozen=True, kw_only=True):
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


async def list_stories(call: OperationCall) -> ResultPage[StorySummary]:
    """List the stories of the library."""
    return ResultPage(await asyncio.to_thread(_list_summaries, call.workspace))


def _list_summaries(workspace: Workspace) -> list[StorySummary]:
    looking = workspace.faults.start_check()
    return [_summarize_or_fault(workspace, id, looking) for id in workspace.library.list_ids()]


def _summarize_or_fault(workspace: Workspace, id: str, check: StoryFaultCheck) -> StorySummary:
    try:
        return _summarize_story(workspace, workspace.library.find(id), check)
    except ScriptError as problem:
        return StorySummary(
            id=id,
            title=id,
            languages=[],
            titles={},
            shipped=False,
            fault=_describe_problem(problem),
        )


def _summarize_story(
    workspace: Workspace, place: StoryPlace, check: StoryFaultCheck
) -> StorySummary:
    fault = check.find_fault(place)
    return StorySummary(
        id=place.id,
        title=place.title,
        languages=list(place.languages),
        titles={each.language: each.title for each in place.editions if each.language},
        shipped=place.shipped,
        fault="" if fault is None else _describe_problem(fault),
        terminal=_collect_terminal_plays(place, workspace.places.store),
    )


def _collect_terminal_plays(place: StoryPlace, store: str) -> list[TerminalPlay]:
    """Return what a terminal has saved of each file of a story."""
    files: dict[Path, StoryEdition] = {}
    for edition in place.editions:
        files.setdefault(edition.path, edition)
    return [
        play
        for path, edition in files.items()
        for play in _collect_file_plays(place, path, edition, store)
    ]


def _collect_file_plays(
    place: StoryPlace, path: Path, edition: StoryEdition, store: str
) -> list[TerminalPlay]:
    try:
        return [
            TerminalPlay(save=save, command=_build_resume_command(place, edition, save))
            for save in list_terminal_plays(path, store)
        ]
    except StoreError as problem:
        command = _build_resume_command(place, edition, "")
        return [TerminalPlay(command=command, fault=_describe_problem(problem))]


def _build_resume_command(place: StoryPlace, edition: StoryEdition, save: str) -> str:
    words = ["saniwa", "play", place.id]
    if edition is not place.editions[0]:
        words += ["--language", edition.language]
    return shlex.join([*words, *(("--load", save) if save else ("--resume",))])


def _describe_problem(problem: SaniwaError) -> str:
    """Return what is wrong, and where, without the folders of this machine."""
    shown = PathRedactor(problem.where, problem.details)
    place = shown.redact_location(problem.where)
    return f"{place}: {shown.redact_text(problem.message)}" if place else problem.message


async def read_story(call: OperationCall) -> StorySummary:
    """Look at a story."""
    return await asyncio.to_thread(load_story_summary, call.workspace, call.path["story"])


def load_story_summary(workspace: Workspace, id: str) -> StorySummary:
    """Summarize a story of the library.

    Raises:
        ScriptError: As `StoryLibrary.find`.
    """
    return _summarize_story(workspace, workspace.library.find(id), workspace.faults.start_check())


async def read_story_asset(call: OperationCall) -> OperationAnswer:
    """A picture or a sound of a story."""
    place = await asyncio.to_thread(call.workspace.library.find, call.path["story"])
    found = await asyncio.to_thread(story_library.read_asset, place, call.path["path"])
    return OperationAnswer(body=found.content, media=found.media, headers=_ASSET_HEADERS)


_STORY_PATH = {"story": "lantern-island"}
STORY_OPERATIONS = (
    Operation(
        name="listStories",
        method="GET",
        path="/stories",
        summary="List the stories there are",
        run=list_stories,
        answers=ResultPage[StorySummary],
    ),
    Operation(
        name="readStory",
        method="GET",
        path="/stories/{story}",
        summary="Look at a story",
        run=read_story,
        answers=StorySummary,
        codes=("STORY_NOT_FOUND",),
        path_examples=_STORY_PATH,
    ),
    Operation(
        name="readAsset",
        method="GET",
        path="/stories/{story}/assets/{path:path}",
        summary="A picture or a sound of a story",
        run=read_story_asset,
        answers=bytes,
        media="*/*",
        codes=("STORY_NOT_FOUND", "ASSET_NOT_FOUND"),
        path_examples={**_STORY_PATH, "path": "images/harbour.png"},
    ),
)


class _RequestBody(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request body; unknown fields are refused."""


class SaveTextRequest(_RequestBody, frozen=True, kw_only=True):
    """A text to be kept."""

    text: AuthoredText
    """What it is to say."""
    seen: Annotated[str, msgspec.Meta(max_length=64)] = ""
    """The version that was read; empty for a new file."""


class CreateStoryRequest(_RequestBody, frozen=True, kw_only=True):
    """A story to be made."""

    id: Annotated[str, msgspec.Meta(min_length=1, max_length=60)]
    """What it is to go by: small letters, digits and `-`."""
    title: ShortName = ""
    """What people are to call it; empty for its id."""
    language: Literal["en", "ja"] = "en"
    """The language of the text to begin from."""
    copy_of: ShortName = ""
    """The story to be copied instead; empty for none."""


async def list_story_texts(call: OperationCall) -> ResultPage[StoryFileEntry]:
    """List the texts of a story."""
    place = await _find_story(call)
    return ResultPage(await asyncio.to_thread(list_files, place))


async def read_story_text(call: OperationCall) -> StoryTextFile:
    """Read a text of a story."""
    place = await _find_story(call)
    return await asyncio.to_thread(read_text, place, call.path["path"])


async def save_story_text(call: OperationCall) -> StoryTextFile:
    """Keep a text of a story."""
    place, body = await _find_story(call), call.body
    return await asyncio.to_thread(write_text, place, call.path["path"], body.text, body.seen)


async def _find_story(call: OperationCall) -> StoryPlace:
    return await asyncio.to_thread(call.workspace.library.find, call.path["story"])


async def make_story(call: OperationCall) -> OperationAnswer:
    """Make a story, or a copy of one; the same request again finds what it made."""
    body: CreateStoryRequest = call.body
    check_story_id(body.id)
    made = await asyncio.to_thread(_create_once, call)
    line = await asyncio.to_thread(load_story_summary, call.workspace, made)
    return OperationAnswer(body=line, headers=(build_location_header("stories", line.id),))


def _create_once(call: OperationCall) -> str:
    workspace, body = call.workspace, call.body
    return create_once(
        workspace.begun,
        workspace.library.roots[0].folder,
        call.caller.name,
        call.asked,
        body.id,
        lambda: _create_files(workspace, body),
    )


def _create_files(workspace: Workspace, body: CreateStoryRequest) -> None:
    if body.copy_of:
        copy_story(workspace.library, body.id, body.copy_of)
    else:
        create_story(workspace.library, body.id, body.title, body.language)


_TEXT_PATH = {**_STORY_PATH, "path": "story.md"}
_TEXT_CODES = ("STORY_NOT_FOUND", "FILE_OUTSIDE", "NAME_UNUSABLE", "STORY_UNREADABLE")
STORY_TEXT_OPERATIONS = (
    Operation(
        name="makeStory",
        method="POST",
        path="/stories",
        summary="Make a story to begin from, or a copy of one",
        run=make_story,
        takes=CreateStoryRequest,
        answers=StorySummary,
        needs="change",
        status=201,
        keyed=True,
        codes=(
            "STORY_NOT_FOUND",
            "NAME_UNUSABLE",
            "FILE_EXISTS",
            "FILE_UNWRITABLE",
            "LOCK_TIMEOUT",
            "IDEMPOTENCY_CONFLICT",
        ),
        example={"id": "my-story", "title": "My story"},
    ),
    Operation(
        name="listTexts",
        method="GET",
        path="/stories/{story}/files",
        summary="List the texts of a story",
        run=list_story_texts,
        answers=ResultPage[StoryFileEntry],
        codes=("STORY_NOT_FOUND",),
        path_examples=_STORY_PATH,
    ),
    Operation(
        name="readText",
        method="GET",
        path="/stories/{story}/files/{path:path}",
        summary="Read a text of a story",
        run=read_story_text,
        answers=StoryTextFile,
        codes=(*_TEXT_CODES, "FILE_NOT_FOUND"),
        path_examples=_TEXT_PATH,
    ),
    Operation(
        name="keepText",
        method="PUT",
        path="/stories/{story}/files/{path:path}",
        summary="Keep a text of a story, if it is still the version that was seen",
        run=save_story_text,
        takes=SaveTextRequest,
        takes_text=True,
        answers=StoryTextFile,
        needs="change",
        codes=(*_TEXT_CODES, "READ_ONLY", "REVISION_CONFLICT", "FILE_UNWRITABLE", "LOCK_TIMEOUT"),
        example={"text": "# Rain\n\nIt rains.\n", "seen": ""},
        path_examples=_TEXT_PATH,
    ),
)
