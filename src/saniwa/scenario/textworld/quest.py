"""The quests of a game, as milestones of a clear condition.

A quest is done when one of its events has come about at any time, and the game when
every quest is that is not optional. It is lost when an event comes about that fails one.
"""

from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

from saniwa.scenario import shape
from saniwa.scenario.code import Code
from saniwa.scenario.draft import value_of
from saniwa.scenario.page import Page, Path
from saniwa.scenario.shape import Fields
from saniwa.scenario.textworld import form
from saniwa.scenario.textworld.dialect import OWN
from saniwa.scenario.textworld.map import Map
from saniwa.scenario.textworld.proposition import Proposition, Propositions
from saniwa.scenario.textworld.thing import PLACES, place_of


class Quest(NamedTuple):
    """One quest, as the game tells it."""

    number: int
    """Which one it is, from 1."""
    wins: list[list[Proposition]]
    """The events of which one must come about."""
    fails: list[list[Proposition]]
    """The events of which none may."""
    commands: tuple[str, ...]
    """Lines that do it, by itself."""
    path: Path
    """Where the game tells it."""


def read_quests(
    page: Page, told: Propositions, value: list[Any], path: Path
) -> list[Quest]:
    """The quests that count; a finding for each that does not."""
    quests, reward = [], 0
    for index, item in enumerate(value):
        here = (*path, index)
        found = shape.fields(page, item, here, form.QUEST, "a quest")
        if value_of(found, "optional", False):
            message = f"quest {index + 1} is optional, and is left out of the goal"
            page.warn(Code.GAME_UNSUPPORTED, message, here)
            continue
        worth = value_of(found, "reward", 0)
        reward += worth if isinstance(worth, int) else 2
        wins = _events(page, told, found, "win_events")
        fails = _events(page, told, found, "fail_events")
        commands = tuple(value_of(found, "commands", ()))
        quests.append(Quest(index + 1, wins, fails, commands, here))
    if reward > 1:
        message = (
            "the game keeps a score; a scenario knows only whether the goal is met"
        )
        page.note(Code.GAME_UNSUPPORTED, message, path)
    return quests


def _events(
    page: Page, told: Propositions, quest: Fields, key: str
) -> list[list[Proposition]]:
    held = quest.get(key)
    events = []
    for index, value in enumerate(held.value if held is not None else ()):
        path = (*quest[key].path, index)
        event = shape.fields(page, value, path, form.EVENT, "an event")
        condition = event.get("condition")
        asked: Fields = {}
        if condition is not None:
            asked = shape.fields(
                page, condition.value, condition.path, form.CONDITION, "a condition"
            )
        facts = asked.get("preconditions")
        if facts is None or not facts.value:
            page.error(Code.FIELD_MISSING, "an event needs preconditions", path)
            continue
        events.append(told.read(facts.value, facts.path))
    return events


def clear_condition(
    page: Page, quests: list[Quest], map: Map, so: Collection[Proposition]
) -> dict[str, Any]:
    """The scenario's clear condition; empty where the game has nothing to win."""
    said = {(one.name, one.about) for one in so}
    stones = [
        stone
        for quest in quests
        for flag, events, spoils in (
            (f"quest {quest.number}", quest.wins, False),
            (f"quest {quest.number} failed", quest.fails, True),
        )
        for stone in _milestones(page, quest, flag, events, spoils, map, said)
    ]
    if any("spoils" in stone for stone in stones):
        page.warn(
            Code.GAME_UNSUPPORTED,
            "the game can be lost; the scenario goes on, and its goal stays out of reach",
            quests[0].path[:-1],
        )
    if all("spoils" in stone for stone in stones):
        message = "the game has no quest to be done; the scenario has no goal"
        page.warn(Code.GAME_UNSUPPORTED, message, ("quests",))
        return {}
    return {"clear_condition": {"milestones": stones}}


_Said = set[tuple[str, tuple[str, ...]]]


def _milestones(
    page: Page,
    quest: Quest,
    flag: str,
    events: list[list[Proposition]],
    spoils: bool,
    map: Map,
    said: _Said,
) -> Iterator[dict[str, Any]]:
    for event in events:
        facts = [fact for one in event if (fact := _fact(page, one, map, said))]
        if facts:
            more = {"spoils": True} if spoils else {}
            yield {"flag": flag, "facts": facts, **more}
        elif event:
            message = f"{flag} asks for nothing that can change"
            page.error(Code.GAME_UNSUPPORTED, message, quest.path)


def _fact(page: Page, one: Proposition, map: Map, said: _Said) -> dict[str, str] | None:
    """What a scenario says for it; None for what is so and always will be."""
    if one.name in PLACES:
        return {"entity": one.about[0], "place": place_of(one)}
    if one.name in form.STATES:
        return {"entity": one.about[0], "condition": one.name}
    if one.name in OWN:
        return {"entity": one.about[0], "attribute": one.name}
    if one.name in ("eaten", "consumed"):
        return {"entity": one.about[0], "condition": "gone"}
    if one.name == "free" and (door := map.doors.get((one.about[0], one.about[1]))):
        return {"entity": door, "condition": "open"}
    if (one.name, one.about) not in said:
        message = f"{one} is asked for, is not so, and nothing makes it so"
        page.error(Code.GAME_UNSUPPORTED, message, one.path)
    return None
