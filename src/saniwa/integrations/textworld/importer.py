"""Imports a game file: converts it to a scenario and a walkthrough, and writes both.

`game_format` and `entities` read the parts of a game, `scenario_conversion` makes the
scenario.
"""

import json
from pathlib import Path
from typing import Any, NamedTuple

from saniwa.core.errors import ScenarioError
from saniwa.core.findings import Report, SourceLocation
from saniwa.documents.document import FORMATS, Document, parse_document
from saniwa.documents.finding_collector import Findings, Located
from saniwa.documents.record_reader import LocatedFields
from saniwa.integrations.textworld import game_format
from saniwa.integrations.textworld.entities import GameEntity, read_entities
from saniwa.integrations.textworld.game_format import (
    GameDialect,
    Proposition,
    PropositionReader,
    check_rules,
    detect_dialect,
)
from saniwa.integrations.textworld.scenario_conversion import (
    GameQuest,
    build_clear_condition,
    build_locations,
    build_props,
    read_food,
    read_hands,
    read_keys,
    read_map,
    read_places,
    read_quests,
    read_states,
    read_walkthrough,
)
from saniwa.scenario.format import check_name
from saniwa.scenario.scaffold import create_file

_NEEDED = ("world", "quests", "infos", "KB")


class ImportedGame(NamedTuple):
    """The result of an import."""

    report: Report
    """All findings in the game file."""
    scenario: dict[str, Any] | None
    """The scenario's document; None if an error prevents it."""
    walkthrough: tuple[str, ...] = ()
    """The lines that win it, if the game gives them."""


def import_game(document: Document, scenario_id: str) -> ImportedGame:
    """Convert a game to a scenario that plays the same under a shipped book.

    Total: any document gives a report.
    """
    page = Findings(document)
    game = game_format.GAME.read(Located(document.plain, (), page))
    missing = [key for key in _NEEDED if key not in game]
    for key in missing:
        page.add_error("FIELD_MISSING", f"a TextWorld game needs {key!r}", ())
    version = game.get_value("version", game_format.VERSION)
    if version != game_format.VERSION:
        message = f"version {version!r} of game files is not known"
        page.add_error("GAME_UNSUPPORTED", message, ("version",))
    if missing:
        return ImportedGame(page.build_report(), None)
    scenario, walkthrough = _convert_game(page, game, scenario_id)
    return ImportedGame(page.build_report(), scenario if page.passed else None, walkthrough)


def _convert_game(
    page: Findings, game: LocatedFields, scenario_id: str
) -> tuple[dict[str, Any], tuple[str, ...]]:
    dialect = detect_dialect(game["infos"].value)
    reader = PropositionReader(page, dialect)
    facts = reader.read(game["world"].value, ("world",))
    quests = read_quests(page, reader, game["quests"].value, ("quests",))
    entities = read_entities(page, reader, game["infos"].value, ("infos",), dialect)
    check_rules(page, game["KB"].value, ("KB",), set(reader.types.values()), dialect)
    reader.report_unknown()
    openables = (entities.get(one.about[0]) for one in facts if one.name == "open")
    opened = {thing.name for thing in openables if thing is not None}
    lines = read_walkthrough(page, game.get("metadata"), quests, opened)
    made = _build_document(page, game, scenario_id, facts, quests, entities, dialect)
    return made, lines


def _build_document(
    page: Findings,
    game: LocatedFields,
    scenario_id: str,
    facts: list[Proposition],
    quests: list[GameQuest],
    entities: dict[str, GameEntity],
    dialect: GameDialect,
) -> dict[str, Any]:
    map = read_map(page, facts)
    states = read_states(page, facts, entities)
    places = read_places(page, facts)
    food = read_food(page, facts, entities, dialect)
    things = build_props(page, entities, map, places, states, read_keys(page, facts), dialect)
    if game_format.PLAYER not in places:
        page.add_error("FIELD_MISSING", "the game does not say where one is", ("world",))
    opening = game.get_value("objective", "")
    return {
        "name": scenario_id,
        "notes": _describe_origin(page, game),
        "language": "en",
        "rulebook": dialect.book,
        **({"gm_opening_message": opening} if opening else {}),
        "locations": build_locations(page, map, entities, states),
        "props": {id: thing | food.get(id, {}) for id, thing in things.items()},
        "characters": {
            game_format.PLAYER: {
                "name": "you",
                "location": places.get(game_format.PLAYER),
                **read_hands(page, facts, entities, places),
            }
        },
        **build_clear_condition(page, quests, map, facts),
    }


def _describe_origin(page: Findings, game: LocatedFields) -> str:
    name = game.get_value("metadata", {}).get("uuid")
    path = ("metadata", "uuid")
    if isinstance(name, str) and check_name(page, name, path):
        return f"Made from the TextWorld game {name}."
    return "Made from a TextWorld game."


class ImportedFiles(NamedTuple):
    """The files of an imported game."""

    scenario: str
    """The scenario."""
    walkthrough: str
    """The lines that win it; empty if the game gives none."""


def write_imported_game(
    file: str, scenario: dict[str, Any], walkthrough: tuple[str, ...]
) -> ImportedFiles:
    """Write the scenario, and its lines into `walkthroughs/ID.txt` next to it.

    Either both are written or neither, and no file is ever overwritten.

    Raises:
        ScenarioError: `SCENARIO_EXISTS` or `SCENARIO_UNWRITABLE`.
    """
    path = Path(file)
    if path.suffix.lower() not in FORMATS:
        raise ScenarioError(
            "SCENARIO_UNWRITABLE",
            f"{file!r} is neither JSON nor YAML",
            hint="name it .json, .yaml or .yml",
        )
    lines = path.parent / "walkthroughs" / f"{scenario['name']}.txt"
    texts = [(path, _render_text(path, scenario))]
    if walkthrough:
        texts.append((lines, "".join(f"{line}\n" for line in walkthrough)))
    _create_files(texts)
    return ImportedFiles(file, str(lines) if walkthrough else "")


def _create_files(texts: list[tuple[Path, str]]) -> None:
    made: list[Path] = []
    try:
        for path, text in texts:
            path.parent.mkdir(parents=True, exist_ok=True)
            create_file(path, text.encode())
            made.append(path)
    except OSError as problem:
        for one in made:
            one.unlink()
        raise _make_write_error(path, problem) from problem


def _make_write_error(path: Path, problem: OSError) -> ScenarioError:
    where = SourceLocation(file=str(path))
    if isinstance(problem, FileExistsError):
        return ScenarioError(
            "SCENARIO_EXISTS",
            f"the file {path.name!r} already exists",
            where=where,
            hint="choose another name; existing files are never overwritten",
        )
    message = f"cannot write {path.name!r}: {problem.strerror}"
    return ScenarioError("SCENARIO_UNWRITABLE", message, where=where)


def _render_text(path: Path, scenario: dict[str, Any]) -> str:
    plain = json.dumps(scenario, ensure_ascii=False, indent=2) + "\n"
    if FORMATS[path.suffix.lower()] == "json":
        return plain
    # The library takes longer to load than most commands take to run.
    import yaml

    text: str = yaml.safe_dump(scenario, allow_unicode=True, sort_keys=False, width=88)
    # The library writes an older YAML than Saniwa reads; JSON is YAML in both.
    return text if parse_document(text, path.name).plain == scenario else plain
