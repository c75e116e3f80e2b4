"""An imported game's walkthrough, tried out in a world by the game's own book."""

from saniwa.rulebook.load import book_from_layers
from saniwa.run.rehearsal import Rehearsed, rehearse
from saniwa.scenario.load import load
from saniwa.scenario.textworld import Imported
from saniwa.wiring.scenario import book_layers


def rehearsed_game(imported: Imported) -> Rehearsed | None:
    """What comes of the walkthrough of a game that became a scenario; None without one.

    Raises:
        SchemaValidationError: The scenario is none after all.
        RulebookError: Its book cannot be read.
    """
    assert imported.scenario is not None
    scenario = load(imported.scenario)
    world = scenario.world
    if not imported.walkthrough:
        return None
    assert world.protagonist is not None
    book = book_from_layers(book_layers(scenario))
    return rehearse(world, book, world.protagonist, imported.walkthrough)
