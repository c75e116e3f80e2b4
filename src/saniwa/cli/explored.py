"""A story and the world to explore it on, for `routes` and `test`."""

from typing import TYPE_CHECKING, Final, NamedTuple

from saniwa.core.errors import ScriptError

if TYPE_CHECKING:
    from saniwa.run.trial import Trial
    from saniwa.script.program import Program

_NOT_FOUND: Final = frozenset({"REGISTRY_MISSING", "SCENARIO_FILE_NOT_FOUND"})
"""What is said of a scenario that is not there."""


class Explored(NamedTuple):
    """What is explored."""

    program: "Program"
    """The story."""
    terrain: "Trial | None"
    """Its world; None where it has none, or where its scenario cannot be found."""


def explored(file: str) -> Explored:
    """The story in a file, on a world of which nothing is kept.

    Where nothing is wrong with it but that its scenario cannot be found, it comes
    without a world, which is then guessed at.

    Raises:
        ScriptError: As `load_story` does.
        SaniwaError: The world cannot begin.
    """
    from saniwa.run.trial import Trial
    from saniwa.wiring import Parts
    from saniwa.wiring.story import inspect_story, open_story

    try:
        opened = open_story(file, Parts.open("memory:"))
    except ScriptError as problem:
        if problem.code not in _NOT_FOUND:
            raise
        story = inspect_story(file)
        if any(each.code not in _NOT_FOUND for each in story.report.errors):
            raise
        return Explored(story.program, None)
    terrain = None if opened.run is None else Trial.of(opened.run)
    return Explored(opened.player.program, terrain)
