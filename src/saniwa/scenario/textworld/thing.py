"""The things of a game: where each is, how it stands, which key fits."""

from collections.abc import Iterable, Mapping
from typing import Any

from saniwa.scenario.code import Code
from saniwa.scenario.page import Page
from saniwa.scenario.textworld.dialect import STRICT, Dialect
from saniwa.scenario.textworld.entity import Entity
from saniwa.scenario.textworld.form import HANDS, PLAYER, STATES
from saniwa.scenario.textworld.map import Map
from saniwa.scenario.textworld.proposition import Proposition

PLACES = ("at", "in", "on")
"""The predicates that say where something is."""


def place_of(one: Proposition) -> str:
    """The place that `at`, `in` or `on` speaks of; hands are whose they are."""
    return PLAYER if one.about[1] == HANDS else one.about[1]


def read_places(page: Page, told: Iterable[Proposition]) -> dict[str, str]:
    """Where everything is; a finding for what is in two places."""
    places: dict[str, str] = {}
    for one in told:
        if one.name in PLACES:
            place = places.setdefault(one.about[0], place_of(one))
            if place != place_of(one):
                message = f"{one.about[0]!r} is in {place!r} and in {place_of(one)!r}"
                page.error(Code.PLACED_TWICE, message, one.path)
    return places


def read_states(
    page: Page, told: Iterable[Proposition], entities: Mapping[str, Entity]
) -> dict[str, str]:
    """How every container and door stands; what the game does not say is closed."""
    states: dict[str, str] = {}
    for one in told:
        if one.name in STATES:
            before = states.setdefault(one.about[0], one.name)
            if before != one.name:
                message = f"{one.about[0]!r} is both {before} and {one.name}"
                page.error(Code.STATE_CONTRADICTION, message, one.path)
    for thing in entities.values():
        if thing.type in ("c", "d") and thing.id not in states:
            message = f"the game does not say how {thing.id!r} stands; it is closed"
            page.warn(Code.FIELD_MISSING, message, thing.path)
            states[thing.id] = "closed"
    return states


def read_keys(page: Page, told: Iterable[Proposition]) -> dict[str, str]:
    """The key of every lock; a finding where two would fit."""
    keys: dict[str, str] = {}
    for one in told:
        if one.name == "match":
            key, lock = one.about
            if keys.setdefault(lock, key) != key:
                message = f"two keys fit {lock!r}, and a scenario knows one"
                page.error(Code.GAME_UNSUPPORTED, message, one.path)
    return keys


def props(
    page: Page,
    entities: Mapping[str, Entity],
    map: Map,
    places: Mapping[str, str],
    states: Mapping[str, str],
    keys: Mapping[str, str],
    dialect: Dialect = STRICT,
) -> dict[str, Any]:
    """The scenario's things."""
    return {
        thing.id: _named(thing, _kind(thing, states, dialect))
        | _standing(states.get(thing.id), keys.get(thing.id))
        | _placed(page, thing, map, places)
        for thing in entities.values()
        if thing.type in dialect.kinds
    }


def _kind(thing: Entity, states: Mapping[str, str], dialect: Dialect) -> str:
    """Its kind; what could be a container and neither opens nor closes holds nothing."""
    kind = dialect.kinds[thing.type]
    return "fixture" if kind == "container" and thing.id not in states else kind


def _named(thing: Entity, kind: str) -> dict[str, Any]:
    return {
        "name": thing.name,
        "kind": kind,
        **({"description": thing.description} if thing.description else {}),
        **({"aliases": list(thing.aliases)} if thing.aliases else {}),
    }


def _standing(state: str | None, key: str | None) -> dict[str, Any]:
    if state is None:
        return {}
    standing = {"locked": True} if state == "locked" else {"open": state == "open"}
    return standing | ({"required_key": key} if key is not None else {})


def _placed(
    page: Page, thing: Entity, map: Map, places: Mapping[str, str]
) -> dict[str, Any]:
    if thing.type != "d":
        return {"location": places.get(thing.id)}
    sides = map.sides.get(thing.id)
    if sides is None or sides not in map.paths:
        message = f"the door {thing.id!r} stands in no way between two rooms"
        page.error(Code.DOOR_SIDES, message, thing.path)
    return {"connects": list(sides or ())}
