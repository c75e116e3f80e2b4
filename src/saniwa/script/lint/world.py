"""What a story says of itself and of the world it stands on, and does not."""

from collections.abc import Iterator

from saniwa.core.finding import Finding
from saniwa.core.where import Where
from saniwa.script.expression import FUNCTIONS
from saniwa.script.lint.telling import found, place
from saniwa.script.lint.whole import Whole
from saniwa.script.program import Do, Hear


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
        yield story.program.where(address), "a deed needs a world, and there is none"
    for address, op in story.ops(Hear):
        if not op.name:
            why = "an answer that no variable keeps is played in a world; there is none"
            yield story.program.where(address), why
    for name, function in FUNCTIONS.items():
        for file, call in story.calls[name] if function.world else ():
            why = f"{name}(…) asks a world, and there is none"
            yield place(file, call.line, call.column), why


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
