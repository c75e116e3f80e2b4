"""Imports a game file: converts it to a scenario and a walkthrough, and writes both.

`entities` and `places` read the other parts of a game; quests become milestones here.
"""

import json
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from saniwa.core.errors import ScenarioError
from saniwa.core.findings import Report, SourceLocation
from saniwa.documents.document import FORMATS, Document, parse_document
from saniwa.documents.finding_collector import Findings, KeyPath, Located
from saniwa.documents.record_reader import LocatedFields, is_well_formed
from saniwa.integrations.textworld import game_format
from saniwa.integrations.textworld.entities import GameEntity, read_entities
from saniwa.integrations.textworld.game_format import (
    OWN,
    GameDialect,
    Proposition,
    PropositionReader,
    check_rules,
    detect_dialect,
)
from saniwa.integrations.textworld.scenario_parts import (
    PLACES,
    GameMap,
    build_locations,
    build_props,
    get_place,
    read_food,
    read_hands,
    read_keys,
    read_map,
    read_places,
    read_states,
)
from saniwa.scenario.format import NAMES, check_name
from saniwa.scenario.scaffold import create_file


class GameQuest(NamedTuple):
    """One quest of the game."""

    number: int
    """Its number, from 1."""
    wins: list[list[Proposition]]
    """The events of which one must occur."""
    fails: list[list[Proposition]]
    """The events of which none may occur."""
    commands: tuple[str, ...]
    """Lines that complete it on its own."""
    path: KeyPath
    """Its path in the game file."""


def read_quests(
    page: Findings, reader: PropositionReader, value: list[Any], path: KeyPath
) -> list[GameQuest]:
    """Read the quests that count; a finding for each that does not."""
    quests, reward = [], 0
    for index, item in enumerate(value):
        here = (*path, index)
        found = game_format.QUEST.read(Located(item, here, page))
        if found.get_value("optional", False):
            message = f"quest {index + 1} is optional, and is left out of the goal"
            page.add_warning("GAME_UNSUPPORTED", message, here)
            continue
        worth = found.get_value("reward", 0)
        reward += worth if isinstance(worth, int) else 2
        wins = _read_events(page, reader, found, "win_events")
        fails = _read_events(page, reader, found, "fail_events")
        commands = tuple(found.get_value("commands", ()))
        quests.append(GameQuest(index + 1, wins, fails, commands, here))
    if reward > 1:
        message = "the game keeps a score; a scenario knows only whether the goal is met"
        page.add_note("GAME_UNSUPPORTED", message, path, key=False)
    return quests


def _read_events(
    page: Findings, reader: PropositionReader, quest: LocatedFields, key: str
) -> list[list[Proposition]]:
    held = quest.get(key)
    events = []
    for index, value in enumerate(held.value if held is not None else ()):
        path = (*quest[key].path, index)
        event = game_format.EVENT.read(Located(value, path, page))
        condition = event.get("condition")
        asked = game_format.CONDITION.read(condition) if condition is not None else {}
        facts = asked.get("preconditions")
        if facts is None or not facts.value:
            page.add_error("FIELD_MISSING", "an event needs preconditions", path)
            continue
        events.append(reader.read(facts.value, facts.path))
    return events


def build_clear_condition(
    page: Findings, quests: list[GameQuest], map: GameMap, facts: Collection[Proposition]
) -> dict[str, Any]:
    """Build the scenario's clear condition; empty if there is nothing to win."""
    known = {(one.name, one.about) for one in facts}
    milestones = [
        milestone
        for quest in quests
        for flag, events, spoils in (
            (f"quest {quest.number}", quest.wins, False),
            (f"quest {quest.number} failed", quest.fails, True),
        )
        for milestone in _build_milestones(page, quest, flag, events, spoils, map, known)
    ]
    if any("spoils" in milestone for milestone in milestones):
        page.add_warning(
            "GAME_UNSUPPORTED",
            "the game can be lost; the scenario then continues, with its goal out of reach",
            quests[0].path[:-1],
        )
    if all("spoils" in milestone for milestone in milestones):
        message = "the game has no required quest; the scenario has no goal"
        page.add_warning("GAME_UNSUPPORTED", message, ("quests",))
        return {}
    return {"clear_condition": {"milestones": milestones}}


_KnownFacts = set[tuple[str, tuple[str, ...]]]


def _build_milestones(
    page: Findings,
    quest: GameQuest,
    flag: str,
    events: list[list[Proposition]],
    spoils: bool,
    map: GameMap,
    known: _KnownFacts,
) -> Iterator[dict[str, Any]]:
    for event in events:
        facts = [fact for one in event if (fact := _build_fact(page, one, map, known))]
        if facts:
            more = {"spoils": True} if spoils else {}
            yield {"flag": flag, "facts": facts, **more}
        elif event:
            message = f"{flag} requires nothing that can change"
            page.add_error("GAME_UNSUPPORTED", message, quest.path)


def _build_fact(
    page: Findings, one: Proposition, map: GameMap, known: _KnownFacts
) -> dict[str, str] | None:
    """Convert a proposition to a fact of a milestone; None if it is always true."""
    if one.name in PLACES:
        return {"entity": one.about[0], "place": get_place(one)}
    if one.name in game_format.STATES:
        return {"entity": one.about[0], "condition": one.name}
    if one.name in OWN:
        return {"entity": one.about[0], "attribute": one.name}
    if one.name in ("eaten", "consumed"):
        return {"entity": one.about[0], "condition": "gone"}
    if one.name == "free" and (door := map.doors.get((one.about[0], one.about[1]))):
        return {"entity": door, "condition": "open"}
    if (one.name, one.about) not in known:
        message = f"{one} is required, is false at the start, and nothing makes it true"
        page.add_error("GAME_UNSUPPORTED", message, one.path)
    return None


def read_walkthrough(
    page: Findings, metadata: Located | None, quests: list[GameQuest], opened: Collection[str] = ()
) -> tuple[str, ...]:
    """Return the game's walkthrough, else that of its only quest; none with a finding.

    `opened` are the names of things that are open at the start.
    """
    given = metadata.value.get("walkthrough") if metadata is not None else None
    if given is not None and metadata is not None:
        path = (*metadata.path, "walkthrough")
        if is_well_formed(Located(given, path, page), NAMES, "'walkthrough'"):
            return _remove_repeated_opens(page, tuple(given), path, set(opened))
        return ()
    to_win = [quest for quest in quests if quest.wins]
    if len(to_win) == 1 and to_win[0].commands:
        return to_win[0].commands
    message = "the game has no walkthrough; none is written"
    page.add_warning("FIELD_MISSING", message, ("metadata",))
    return ()


def _remove_repeated_opens(
    page: Findings, lines: tuple[str, ...], path: KeyPath, opened: set[str]
) -> tuple[str, ...]:
    """Remove lines that open what is already open.

    Cooking games describe the way through a door as if it were closed each time.
    """
    remaining: list[str] = []
    for line in lines:
        # Values that are not text already have a finding.
        verb, _, thing = str(line).partition(" ")
        if verb == "open" and thing in opened:
            continue
        if verb == "open":
            opened.add(thing)
        elif verb == "close":
            opened.discard(thing)
        remaining.append(line)
    if len(remaining) < len(lines):
        count = len(lines) - len(remaining)
        message = f"{count} lines of the walkthrough were left out: they open what is already open"
        page.add_note("GAME_UNSUPPORTED", message, path, key=False)
    return tuple(remaining)


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
