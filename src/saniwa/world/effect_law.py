"""What no craft of any book can do, because no world could hold the result.

Effects come about one after the other, and are weighed so.
"""

from collections.abc import Sequence
from typing import Any, assert_never

from saniwa.world.action import Action, Use
from saniwa.world.effect import (
    FIXED,
    SETTABLE,
    Bring,
    Dismiss,
    Effect,
    Flag,
    Remove,
    Set,
)
from saniwa.world.law import LONGEST_NAME, LONGEST_TEXT, Broken, broken_law
from saniwa.world.model import Entity, Id, World

MOST_EFFECTS = 1_000
"""Effects one action may have."""


def broken_by(action: Action, effects: Sequence[Effect], world: World) -> Broken | None:
    """The first law that the action or one of its effects would break, if any.

    Pure and total.
    """
    broken = broken_law(action, world)
    if broken is not None or not effects:
        return broken
    if not isinstance(action, Use) or not action.manner:
        return _wrong("craft", "only a craft has effects")
    if len(effects) > MOST_EFFECTS:
        return _wrong("craft", f"{len(effects)} effects are more than {MOST_EFFECTS}")
    return _Weighing(world).first(effects)


class _Weighing:
    """The effects of one action, weighed in order."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._gone: set[Id] = set()
        self._moved: set[Id] = set()

    def first(self, effects: Sequence[Effect]) -> Broken | None:
        for effect in effects:
            broken = self._broken(effect)
            if broken is not None:
                return broken
        return None

    def _broken(self, effect: Effect) -> Broken | None:
        if isinstance(effect, Flag):
            return _unfit_flag(effect.name)
        entity = self._world.entities.get(effect.entity_id)
        if entity is None or entity.id in self._gone:
            return _wrong("changeable", f"{effect.entity_id!r} is no thing to change")
        match effect:
            case Set():
                return _unfit_facts(effect.facts)
            case Remove():
                return self._removed(entity)
            case Bring() | Dismiss():
                self._moved.add(entity.id)
                return _unportable(entity)
            case _:
                assert_never(effect)

    def _removed(self, entity: Entity) -> Broken | None:
        if entity.kind in ("character", "door"):
            message = f"{entity.id!r} is not a thing that can be used up"
            return _wrong("consumable", message)
        inside = self._world.contents.get(entity.id, ())
        if any(inner not in self._gone | self._moved for inner in inside):
            return _wrong("empty", f"{entity.id!r} has something in or on it")
        self._gone.add(entity.id)
        return None


def _unportable(entity: Entity) -> Broken | None:
    if entity.kind in ("character", "door"):
        message = f"{entity.id!r} is not a thing that can be carried"
        return _wrong("portable", message)
    return None


def _unfit_flag(name: str) -> Broken | None:
    if not 0 < len(name) <= LONGEST_NAME:
        return _wrong("settable", "the name of a flag is empty or too long")
    return None


def _unfit_facts(facts: dict[str, Any]) -> Broken | None:
    for name, value in facts.items():
        if name in FIXED or not 0 < len(name) <= LONGEST_NAME:
            return _wrong("settable", f"no craft can set {name[:LONGEST_NAME]!r}")
        kind = SETTABLE.get(name)
        if kind is not None and not fits(value, kind):
            return _wrong(
                "settable", f"{name!r} cannot be what a craft would set it to"
            )
    return None


def fits(value: Any, kind: type) -> bool:
    """Whether a value is one for a field that effects may set."""
    if kind is list:
        return isinstance(value, list) and all(
            isinstance(word, str) and len(word) <= LONGEST_NAME for word in value
        )
    if kind is str:
        return isinstance(value, str) and len(value) <= LONGEST_TEXT
    return isinstance(value, kind)


def _wrong(law: str, message: str) -> Broken:
    return Broken(law, "INVALID_TARGET", message)
