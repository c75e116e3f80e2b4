"""The texts of stories: listed, read, kept; and new stories."""

import asyncio
from typing import Annotated, Literal

import msgspec

from saniwa.api.operation import Answer, Call, Operation, Page, at
from saniwa.api.rooms.stories import StoryLine, looked_at
from saniwa.api.rooms.writing.checking import Named
from saniwa.api.texts import Text
from saniwa.wiring.garden.garden import Garden
from saniwa.wiring.garden.making import made_once
from saniwa.wiring.library import StoryPlace
from saniwa.wiring.writing.new_story import check_id, copy_story, new_story
from saniwa.wiring.writing.story_files import (
    FileLine,
    TextFile,
    listed,
    read_text,
    write_text,
)


class _Body(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Bodies have no fields we do not know."""


class Kept(_Body, frozen=True, kw_only=True):
    """A text to be kept."""

    text: Text
    """What it is to say."""
    seen: Annotated[str, msgspec.Meta(max_length=64)] = ""
    """The version that was read; empty for a new file."""


class NewStory(_Body, frozen=True, kw_only=True):
    """A story to be made."""

    id: Annotated[str, msgspec.Meta(min_length=1, max_length=60)]
    """What it is to go by: small letters, digits and `-`."""
    title: Named = ""
    """What people are to call it; empty for its id."""
    language: Literal["en", "ja"] = "en"
    """The language of the text to begin from."""
    copy_of: Named = ""
    """The story to be copied instead; empty for none."""


async def list_texts(call: Call) -> Page[FileLine]:
    """List the texts of a story."""
    place = await _place(call)
    return Page(await asyncio.to_thread(listed, place))


async def read_story_text(call: Call) -> TextFile:
    """Read a text of a story."""
    place = await _place(call)
    return await asyncio.to_thread(read_text, place, call.path["path"])


async def keep_story_text(call: Call) -> TextFile:
    """Keep a text of a story."""
    place, body = await _place(call), call.body
    return await asyncio.to_thread(
        write_text, place, call.path["path"], body.text, body.seen
    )


async def _place(call: Call) -> StoryPlace:
    return await asyncio.to_thread(call.garden.library.find, call.path["story"])


async def make_story(call: Call) -> Answer:
    """Make a story, or a copy of one; the same request again finds what it made."""
    body: NewStory = call.body
    check_id(body.id)
    made = await asyncio.to_thread(_made, call)
    line = await asyncio.to_thread(looked_at, call.garden, made)
    return Answer(body=line, headers=(at("stories", line.id),))


def _made(call: Call) -> str:
    garden, body = call.garden, call.body
    return made_once(
        garden.begun,
        garden.library.roots[0].folder,
        call.caller.name,
        call.asked,
        body.id,
        lambda: _make(garden, body),
    )


def _make(garden: Garden, body: NewStory) -> None:
    if body.copy_of:
        copy_story(garden.library, body.id, body.copy_of)
    else:
        new_story(garden.library, body.id, body.title, body.language)


_STORY = {"story": "lantern-island"}
_FILE = {**_STORY, "path": "story.md"}
_CODES = ("STORY_NOT_FOUND", "FILE_OUTSIDE", "NAME_UNUSABLE", "STORY_UNREADABLE")
OPERATIONS = (
    Operation(
        name="makeStory",
        method="POST",
        path="/stories",
        summary="Make a story to begin from, or a copy of one",
        run=make_story,
        takes=NewStory,
        answers=StoryLine,
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
        run=list_texts,
        answers=Page[FileLine],
        codes=("STORY_NOT_FOUND",),
        path_examples=_STORY,
    ),
    Operation(
        name="readText",
        method="GET",
        path="/stories/{story}/files/{path:path}",
        summary="Read a text of a story",
        run=read_story_text,
        answers=TextFile,
        codes=(*_CODES, "FILE_NOT_FOUND"),
        path_examples=_FILE,
    ),
    Operation(
        name="keepText",
        method="PUT",
        path="/stories/{story}/files/{path:path}",
        summary="Keep a text of a story, if it is still the version that was seen",
        run=keep_story_text,
        takes=Kept,
        takes_text=True,
        answers=TextFile,
        needs="change",
        codes=(
            *_CODES,
            "READ_ONLY",
            "REVISION_CONFLICT",
            "FILE_UNWRITABLE",
            "LOCK_TIMEOUT",
        ),
        example={"text": "# Rain\n\nIt rains.\n", "seen": ""},
        path_examples=_FILE,
    ),
)
