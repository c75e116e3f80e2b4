"""A story as it would be if a file of it held another text: what an author has open."""

import os
from pathlib import Path

from saniwa.core.errors import SaniwaError, ScriptError
from saniwa.core.where import Where
from saniwa.script.beside import joined
from saniwa.script.files import text_of
from saniwa.script.story import Story, read_story_text, story_of
from saniwa.wiring.library import StoryPlace
from saniwa.wiring.scenario import is_file
from saniwa.wiring.story import on_its_world, told_in, whole
from saniwa.wiring.writing.names import folder_of, text_parts
from saniwa.wiring.writing.shown import shown_error


def drafted(
    text: str,
    place: StoryPlace,
    file: str = "",
    registry: str | Path | None = None,
    *,
    language: str | None = None,
) -> Story:
    """A story of the library with one file as it is being written, its world looked at.

    `file` is named as seen from the story's folder; empty for the one it begins in.

    Raises:
        ScriptError: `FILE_OUTSIDE`, `NAME_UNUSABLE` for the name; `STORY_UNREADABLE` for
            another file of the story.
    """
    first = os.fspath(first_file(place, file, language))
    edited = joined(first, "/".join(text_parts(place, file))) if file else first
    if edited == first:
        return on_its_world(read_story_text(text, first), registry)
    read = read_story_text(text_of(first), first, {edited: text})
    return on_its_world(read, registry)


def first_file(place: StoryPlace, file: str, language: str | None = None) -> Path:
    """The file in which the story begins that a file belongs to."""
    for edition in place.editions:
        if edition.path == folder_of(place) / file:
            return edition.path
    return place.edition(language).path


def playable_draft(
    text: str,
    place: StoryPlace,
    file: str = "",
    registry: str | Path | None = None,
    *,
    language: str | None = None,
) -> Story:
    """The same, if it can be played, in a language.

    Raises:
        SaniwaError: It cannot; told without any folder of ours.
    """
    try:
        story = drafted(text, place, file, registry, language=language)
        return whole(told_in(story, first_file(place, file, language), language))
    except SaniwaError as problem:
        raise shown_error(problem, folder_of(place)) from problem


def loose_draft(text: str, registry: str | Path | None = None) -> Story:
    """A text that is of no story: it has no other files, and may name none.

    Raises:
        ScriptError: `FILE_OUTSIDE`.
    """
    story = story_of(text)
    ground = story.program.ground
    for named in (ground.scenario, ground.book) if ground else ():
        if named and is_file(named):
            raise ScriptError(
                "FILE_OUTSIDE",
                f"a text that is no file cannot name the file {named!r}",
                where=Where(file=story.scenes[0].file),
                hint="name a scenario by its id, or save the story first",
            )
    return on_its_world(story, registry)
