"""A game file read whole: a scenario, its walkthrough, and everything there is to say."""

from typing import Any, NamedTuple

from saniwa.core.document import Document
from saniwa.core.finding import Report
from saniwa.scenario import shape
from saniwa.scenario.code import Code
from saniwa.scenario.draft import value_of
from saniwa.scenario.page import Page
from saniwa.scenario.shape import Fields
from saniwa.scenario.textworld import form
from saniwa.scenario.textworld.dialect import Dialect, dialect_of
from saniwa.scenario.textworld.entity import Entity, read_entities
from saniwa.scenario.textworld.kitchen import read_food, read_hands
from saniwa.scenario.textworld.map import locations, read_map
from saniwa.scenario.textworld.proposition import Proposition, Propositions
from saniwa.scenario.textworld.quest import Quest, clear_condition, read_quests
from saniwa.scenario.textworld.rule import check_rules
from saniwa.scenario.textworld.thing import props, read_keys, read_places, read_states
from saniwa.scenario.textworld.walkthrough import read_walkthrough

_NEEDED = ("world", "quests", "infos", "KB")


class Imported(NamedTuple):
    """What came of a game file."""

    report: Report
    """Everything found in the game file."""
    scenario: dict[str, Any] | None
    """The scenario's document; None where a finding keeps it from being one."""
    walkthrough: tuple[str, ...] = ()
    """The lines that win it, if the game gives them."""


def import_game(document: Document, scenario_id: str) -> Imported:
    """The scenario that plays as the game does, under a shipped book.

    Total: any document gives a report.
    """
    page = Page(document)
    game = shape.fields(page, document.plain, (), form.GAME, "a TextWorld game")
    missing = [key for key in _NEEDED if key not in game]
    for key in missing:
        page.error(Code.FIELD_MISSING, f"a TextWorld game needs {key!r}", ())
    version = value_of(game, "version", form.VERSION)
    if version != form.VERSION:
        message = f"version {version!r} of game files is not known"
        page.error(Code.GAME_UNSUPPORTED, message, ("version",))
    if missing:
        return Imported(page.report(), None)
    scenario, walkthrough = _told_again(page, game, scenario_id)
    return Imported(page.report(), scenario if page.passed else None, walkthrough)


def _told_again(
    page: Page, game: Fields, scenario_id: str
) -> tuple[dict[str, Any], tuple[str, ...]]:
    dialect = dialect_of(game["infos"].value)
    told = Propositions(page, dialect)
    so = told.read(game["world"].value, ("world",))
    quests = read_quests(page, told, game["quests"].value, ("quests",))
    entities = read_entities(page, told, game["infos"].value, ("infos",), dialect)
    check_rules(page, game["KB"].value, ("KB",), set(told.types.values()), dialect)
    told.tell_strange()
    stands = (entities.get(one.about[0]) for one in so if one.name == "open")
    opened = {thing.name for thing in stands if thing is not None}
    lines = read_walkthrough(page, game.get("metadata"), quests, opened)
    made = _document(page, game, scenario_id, so, quests, entities, dialect)
    return made, lines


def _document(
    page: Page,
    game: Fields,
    scenario_id: str,
    so: list[Proposition],
    quests: list[Quest],
    entities: dict[str, Entity],
    dialect: Dialect,
) -> dict[str, Any]:
    map = read_map(page, so)
    states = read_states(page, so, entities)
    places = read_places(page, so)
    food = read_food(page, so, entities, dialect)
    things = props(page, entities, map, places, states, read_keys(page, so), dialect)
    if form.PLAYER not in places:
        page.error(Code.FIELD_MISSING, "the game does not say where one is", ("world",))
    opening = value_of(game, "objective", "")
    return {
        "name": scenario_id,
        "notes": _origin(page, game),
        "language": "en",
        "rulebook": dialect.book,
        **({"gm_opening_message": opening} if opening else {}),
        "locations": locations(page, map, entities, states),
        "props": {id: thing | food.get(id, {}) for id, thing in things.items()},
        "characters": {
            form.PLAYER: {
                "name": "you",
                "location": places.get(form.PLAYER),
                **read_hands(page, so, entities, places),
            }
        },
        **clear_condition(page, quests, map, so),
    }


def _origin(page: Page, game: Fields) -> str:
    name = value_of(game, "metadata", {}).get("uuid")
    path = ("metadata", "uuid")
    if isinstance(name, str) and shape.good_name(page, name, path):
        return f"Made from the TextWorld game {name}."
    return "Made from a TextWorld game."
