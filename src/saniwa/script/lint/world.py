"""What a story says of itself and of the world it stands on, and does not."""

import re
from collections.abc import Iterator

from saniwa.core.finding import Finding
from saniwa.core.quoted import quoted
from saniwa.core.where import Where
from saniwa.script.language.expression import FUNCTIONS
from saniwa.script.lint.telling import found, place
from saniwa.script.lint.whole import Whole
from saniwa.script.program import Do, Hear

_DEED = re.compile(r"\{[ \t]*+do[ \t]++")
_ITEM = re.compile(r"[-*+0-9]").match


def world_missing(story: Whole) -> Iterator[Finding]:
    """What needs a world where there is none."""
    if story.program.ground is not None:
        return
    for where, message in _worldly(story):
        yield found(
            "error",
            "WORLD_MISSING",
            where,
            message,
            "name a world in the front matter: scenario: FILE",
        )


def _worldly(story: Whole) -> Iterator[tuple[Where, str]]:
    """Every place that needs a world, and why."""
    for address, _ in story.ops(Do):
        where = _words_of_deed(story, story.program.where(address))
        yield where, "a deed needs a world, and there is none"
    for address, op in story.ops(Hear):
        if not op.name:
            why = "an answer that no variable keeps is played in a world; there is none"
            yield story.program.where(address), why
    for name, function in FUNCTIONS.items():
        for file, call in story.calls[name] if function.world else ():
            why = f"{name}(…) asks a world, and there is none"
            yield place(file, call.line, call.column), why


def _words_of_deed(story: Whole, where: Where) -> Where:
    """Where the words of a deed stand: behind `{do` at the end of an item."""
    line = story.line(where)
    groups = [*_DEED.finditer(line, where.column - 1)]
    at = groups[-1].end() if groups and _ITEM(line, where.column - 1) else -1
    return where if at < 0 else place(where.file, where.line, at + 1)


def scene_id_duplicate(story: Whole) -> Iterator[Finding]:
    """Files that have the id of another."""
    first: dict[str, str] = {}
    for scene in story.scenes:
        id, document = scene.front.id, scene.front.document
        if not id or document is None:
            continue
        if id not in first:
            first[id] = scene.file
            continue
        where = document.where(["id"])
        yield found(
            "error",
            "SCENE_ID_DUPLICATE",
            place(scene.file, where.line, where.column),
            f"the id {quoted(id)} is already that of {first[id]!r}",
            "give one of the two files another id",
            id=id,
            file=first[id],
        )


def title_missing(story: Whole) -> Iterator[Finding]:
    """A story that says something of itself, and not what it is called."""
    scene = story.scenes[0]
    if scene.title or scene.front.document is None:
        return
    yield found(
        "note",
        "TITLE_MISSING",
        place(scene.file, 1, 1),
        "the story has no title",
        "add a line such as # The bridge, or title: in the front matter",
    )


def scene_id_missing(story: Whole) -> Iterator[Finding]:
    """Front matter without an id."""
    for scene in story.scenes:
        document = scene.front.document
        if document is None or "id" in (document.plain or {}):
            continue
        yield found(
            "warning",
            "SCENE_ID_MISSING",
            place(scene.file, 1, 1),
            "the front matter has no id",
            "add a line such as id: bridge",
        )
