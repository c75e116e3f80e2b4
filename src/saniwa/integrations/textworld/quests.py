"""Converts the quests of a game to milestones of a scenario, and reads its walkthrough."""

from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

from saniwa.documents.finding_collector import Findings, KeyPath, Located
from saniwa.documents.record_reader import LocatedFields, is_well_formed
from saniwa.integrations.textworld import game_format
from saniwa.integrations.textworld.game_format import OWN, Proposition, PropositionReader
from saniwa.integrations.textworld.scenario_parts import PLACES, GameMap, get_place
from saniwa.scenario.format import NAMES


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
