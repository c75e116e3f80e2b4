"""What somebody means who names something to play: a scenario, or a story."""

from pathlib import Path

from saniwa.core.errors import SchemaValidationError
from saniwa.core.near import nearest
from saniwa.scenario.registry import Registry
from saniwa.wiring.library import Library, StoryPlace
from saniwa.wiring.scenario import find_entry, is_file, shipped_registry


def meant_story(
    named: str, registry: str | Path | None = None, library: Library | None = None
) -> StoryPlace | None:
    """The story of an id, as the page lists it; None for a file, and for a scenario's id.

    Where both have the id, the scenario is meant; the story is played by its file.

    Raises:
        SchemaValidationError: `REGISTRY_MISSING` if neither has it, with the nearest;
            `REGISTRY_LOAD_ERROR`.
        ScriptError: `STORY_UNREADABLE`.
    """
    if is_file(named):
        return None
    library = library or Library.of()
    try:
        find_entry(named, registry)
    except SchemaValidationError as problem:
        if problem.code != "REGISTRY_MISSING":
            raise
        if named in library.ids():
            return library.find(named)
        raise _with_nearest(problem, named, library.ids()) from None
    return None


def _with_nearest(
    problem: SchemaValidationError, named: str, stories: tuple[str, ...]
) -> SchemaValidationError:
    """The same, but with a story for its cure where one is nearer than any scenario."""
    shipped = {each.scenario_id for each in Registry.open(shipped_registry()).entries}
    scenarios = shipped | set(problem.details["available"])
    near = nearest(named, [*scenarios, *stories])
    if named in scenarios or near not in stories or near in scenarios:
        return problem
    return SchemaValidationError(
        problem.code,
        problem.message,
        where=problem.where,
        hint=f"did you mean the story {near!r}?",
        details=problem.details,
    )
