"""Laws of well-formedness: what no rulebook can allow, as the world would be invalid.

A book decides what may happen in its story; these few laws keep the world well-formed
whatever the book says. They say nothing of locks, reach, turns or manners.
"""

import re
from collections.abc import Sequence
from typing import Any, Final, Literal, NamedTuple, assert_never

from saniwa.core.text import is_encodable
from saniwa.world import actions
from saniwa.world.actions import Action, Speak, Use
from saniwa.world.effects import (
    FIXED,
    SETTABLE,
    BringEffect,
    DismissEffect,
    Effect,
    FlagEffect,
    RemoveEffect,
    ReplyEffect,
    SetEffect,
)
from saniwa.world.model import HOLDERS, KINDS, Entity, Id, World
from saniwa.world.queries import contains_entity, find_room

_INVISIBLE: Final = "\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff"
_IN_NAME: Final = re.compile(f"[{_INVISIBLE}]").search
_IN_TEXT: Final = re.compile(f"[{_INVISIBLE}]".replace("\x00-\x1f", "\x00-\x08\x0b-\x1f")).search


def find_invisible_in_name(name: str) -> str:
    """Return the first invisible character of a name; empty if there is none."""
    if name.isascii() and name.isprintable():
        return ""
    letter = _IN_NAME(name)
    return letter.group() if letter else ""


def find_invisible_in_text(text: str) -> str:
    """Return the first invisible character of a text; tabs and line ends may occur."""
    letter = _IN_TEXT(text)
    return letter.group() if letter else ""


LONGEST_TEXT = 10_000
"""The most characters of a description or a speech."""
LONGEST_NAME = 200
"""The most characters of the name or id of a new entity."""
MOST_ALIASES = 100
"""The most other names of a new entity."""
INTRODUCIBLE = frozenset({"name", "kind", "description", "aliases", "takeable", "edible"})
"""The keys of `metadata` that are facts of the world; free ones become attributes."""
_RESERVED = frozenset(
    {"use", "location", *Entity.__struct_fields__, *Entity.__struct_encode_fields__}
)
"""Keys with a meaning in the world, which `introduce` must not set unless listed above."""
_DEEPEST = 8
_MOST_FACTS = 1000

LawReason = Literal["NOT_FOUND", "INVALID_TARGET", "MISSING_REQUIREMENT"]


class BrokenLaw(NamedTuple):
    """The law an action would break."""

    law: str
    """Its name, such as `no_cycles`."""
    reason: LawReason
    """The reason code for it."""
    message: str
    """What is impossible about it, in one sentence."""


def find_broken_law(action: actions.Action, world: World) -> BrokenLaw | None:
    """Return the first law the action would break, or None if it breaks none.

    Pure and total.
    """
    actor = world.entities.get(action.actor_id)
    if actor is None or actor.kind != "character":
        return BrokenLaw("actor", "NOT_FOUND", f"there is no character {action.actor_id!r}")
    missing = _find_missing_role(action, world)
    return missing or _find_impossible(action, world)


def find_illegible_text(action: actions.Action, world: World) -> BrokenLaw | None:
    """Return the law that texts must be visible, if the action would break it.

    For an action that breaks no other law. A world can contain such characters, and
    that of a run from before this law may: its turns are not checked for them.
    """
    if not isinstance(action, actions.Describe | actions.Introduce):
        return None
    names: tuple[str, ...] = ()
    text = ""
    if isinstance(action, actions.Describe):
        text = action.content
    elif action.target_id not in world.entities:
        facts = action.metadata or {}
        names = (action.target_id or "", facts.get("name", ""), *facts.get("aliases", ()))
        text = facts.get("description", "")
    if any(map(find_invisible_in_name, names)) or find_invisible_in_text(text):
        return _refuse("legible", "names and descriptions need visible characters")
    return None


def _find_missing_role(action: actions.Action, world: World) -> BrokenLaw | None:
    if isinstance(action, actions.Introduce):
        return None
    for role in action.roles:
        named = getattr(action, role)
        if named is not None and named not in world.entities and named not in world.locations:
            return BrokenLaw("exists", "NOT_FOUND", f"there is no {named!r}")
    return None


def _find_impossible(action: actions.Action, world: World) -> BrokenLaw | None:
    match action:
        case actions.Move():
            if action.target_id not in world.locations:
                return _refuse("destination", f"{action.target_id!r} is not a place")
        case actions.Take():
            return _check_carry(world, action.target_id, action.actor_id)
        case actions.Drop():
            if find_room(world, action.actor_id) is None:
                return _refuse("somewhere", f"{action.actor_id!r} is nowhere")
            return _check_carry(world, action.target_id, None)
        case actions.Put():
            return _check_put(world, action.target_id, action.destination_id)
        case actions.Give():
            recipient = world.entities.get(action.recipient_id)
            if recipient is None or recipient.kind != "character":
                return _refuse("recipient", f"{action.recipient_id!r} cannot hold things")
            return _check_carry(world, action.target_id, action.recipient_id)
        case actions.Open() | actions.Close():
            thing = world.entities.get(action.target_id)
            if thing is None or not thing.openable:
                return _refuse("openable", f"{action.target_id!r} cannot be opened or closed")
        case actions.Lock() | actions.Unlock():
            return _check_lock(world, action)
        case actions.Eat():
            return _check_eat(world, action.target_id)
        case actions.Describe():
            if action.target_id not in world.entities:
                return _refuse("entity", f"{action.target_id!r} cannot be described")
            return _check_length(action.content)
        case actions.Speak() | actions.Emote():
            return _check_length(action.content)
        case actions.Introduce():
            return _check_introduce(world, action)
        case actions.Use() | actions.Search() | actions.Inspect() | actions.Look() | actions.Wait():
            pass
        case _:
            assert_never(action)
    return None


def _refuse(law: str, message: str) -> BrokenLaw:
    return BrokenLaw(law, "INVALID_TARGET", message)


def _check_portable(entity: Entity | None, thing: Id) -> BrokenLaw | None:
    if entity is None or entity.kind in ("character", "door"):
        return _refuse("portable", f"{thing!r} is not a thing that can be carried")
    return None


def _check_consumable(entity: Entity | None, thing: Id) -> BrokenLaw | None:
    if entity is None or entity.kind in ("character", "door"):
        return _refuse("consumable", f"{thing!r} is not a thing that can be used up")
    return None


def _check_carry(world: World, thing: Id, holder: Id | None) -> BrokenLaw | None:
    broken = _check_portable(world.entities.get(thing), thing)
    if broken is None and holder is not None and contains_entity(world, thing, holder):
        return _refuse("no_cycles", f"{thing!r} cannot end up inside itself")
    return broken


def _check_put(world: World, thing: Id, destination: Id) -> BrokenLaw | None:
    holder = world.entities.get(destination)
    if holder is None or holder.kind not in HOLDERS - {"character"}:
        return _refuse("holder", f"nothing can be put into or onto {destination!r}")
    return _check_carry(world, thing, destination)


def _check_lock(world: World, action: actions.Lock | actions.Unlock) -> BrokenLaw | None:
    thing = world.entities.get(action.target_id)
    if thing is None or not thing.lockable:
        return _refuse("lockable", f"{action.target_id!r} has no lock")
    if isinstance(action, actions.Lock) and thing.open:
        return BrokenLaw("closed_first", "MISSING_REQUIREMENT", f"{action.target_id!r} is open")
    return None


def _check_eat(world: World, thing: Id) -> BrokenLaw | None:
    eaten = world.entities.get(thing)
    broken = _check_consumable(eaten, thing)
    if broken is None and eaten and eaten.kind in HOLDERS and world.contents.get(thing):
        return _refuse("empty", f"{thing!r} has something in or on it")
    return broken


def _check_length(text: str) -> BrokenLaw | None:
    if len(text) > LONGEST_TEXT:
        return _refuse("length", f"{len(text)} characters are more than {LONGEST_TEXT}")
    return None


def _check_introduce(world: World, action: actions.Introduce) -> BrokenLaw | None:
    if find_room(world, action.actor_id) is None:
        return _refuse("somewhere", f"{action.actor_id!r} is nowhere")
    if action.target_id in world.locations:
        return _refuse("entity", f"{action.target_id!r} is a place")
    known = world.entities.get(action.target_id) if action.target_id else None
    if known is None:
        return _check_new_entity(action)
    if known.kind == "door":
        return _refuse("portable", f"{known.id!r} is a door and stays where it is")
    return None


def _check_new_entity(action: actions.Introduce) -> BrokenLaw | None:
    facts = action.metadata or {}
    name = facts.get("name", action.target_id)
    if not isinstance(name, str) or not name.strip() or len(name) > LONGEST_NAME:
        return BrokenLaw("named", "MISSING_REQUIREMENT", "a new entity needs a name")
    if action.target_id is not None and not 0 < len(action.target_id) <= LONGEST_NAME:
        return _refuse("named", "the id of a new entity is empty or too long")
    unknown = sorted(_RESERVED.intersection(facts) - INTRODUCIBLE)
    if unknown:
        return _refuse("known_facts", f"{unknown[0]!r} is not a property of a new entity")
    # A fraction has no single text, so a world with one has no hash.
    if not is_plain_json(facts, fractions=False):
        return _refuse("known_facts", "'metadata' must be a few texts, whole numbers and lists")
    # A tuple and not a set: a model may send a value that is not hashable.
    if facts.get("kind", "item") not in tuple(k for k in KINDS if k != "door"):
        return _refuse("kind", f"{facts.get('kind')!r} is not a kind of entity")
    return _check_facts(facts)


def _check_facts(facts: dict[str, object]) -> BrokenLaw | None:
    description = facts.get("description", "")
    if not isinstance(description, str):
        return _refuse("known_facts", "'description' must be text")
    aliases = facts.get("aliases", [])
    if not isinstance(aliases, list) or len(aliases) > MOST_ALIASES:
        return _refuse("known_facts", f"'aliases' must be up to {MOST_ALIASES} names")
    if not all(isinstance(a, str) and len(a) <= LONGEST_NAME for a in aliases):
        return _refuse("known_facts", "'aliases' must be a list of names")
    for name in ("takeable", "edible"):
        if not isinstance(facts.get(name, False), bool):
            return _refuse("known_facts", f"{name!r} must be true or false")
    return _check_length(description)


def is_plain_json(facts: object, *, fractions: bool = True) -> bool:
    """Whether a value is JSON, and neither too deep nor too large."""
    waiting: list[tuple[object, int]] = [(facts, 0)]
    seen = 0
    while waiting:
        value, depth = waiting.pop()
        seen += 1
        if seen > _MOST_FACTS or depth > _DEEPEST:
            return False
        if isinstance(value, str):
            if len(value) > LONGEST_TEXT or not is_encodable(value):
                return False
        elif isinstance(value, dict):
            waiting += ((part, depth + 1) for pair in value.items() for part in pair)
            if not all(isinstance(key, str) for key in value):
                return False
        elif isinstance(value, list):
            waiting += ((part, depth + 1) for part in value[: _MOST_FACTS + 1])
        elif value is not None and not _is_plain_number(value, fractions):
            return False
    return True


def _is_plain_number(value: object, fractions: bool) -> bool:
    if isinstance(value, float):
        return fractions and abs(value) <= 1e15
    return isinstance(value, int) and abs(value) <= 2**53


MOST_EFFECTS = 1_000
"""The most effects of one action."""


def find_law_broken_by(action: Action, effects: Sequence[Effect], world: World) -> BrokenLaw | None:
    """Return the first law that the action or one of its effects would break, or None.

    Pure and total.
    """
    broken = find_broken_law(action, world)
    if broken is not None or not effects:
        return broken
    answered = isinstance(action, Speak) and action.recipient_id is not None
    if not answered and (not isinstance(action, Use) or not action.manner):
        return _refuse("craft", "only a craft or an answer has effects")
    if len(effects) > MOST_EFFECTS:
        return _refuse("craft", f"{len(effects)} effects are more than {MOST_EFFECTS}")
    return _EffectChecker(world).find_first(effects)


class _EffectChecker:
    """Checks the effects of one action, in order."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._gone: set[Id] = set()
        self._moved: set[Id] = set()

    def find_first(self, effects: Sequence[Effect]) -> BrokenLaw | None:
        for effect in effects:
            broken = self._check_effect(effect)
            if broken is not None:
                return broken
        return None

    def _check_effect(self, effect: Effect) -> BrokenLaw | None:
        if isinstance(effect, FlagEffect):
            if not 0 < len(effect.name) <= LONGEST_NAME:
                return _refuse("settable", "the name of a flag is empty or too long")
            return None
        entity = self._world.entities.get(effect.entity_id)
        if entity is None or entity.id in self._gone:
            return _refuse("changeable", f"{effect.entity_id!r} is not a thing that can be changed")
        match effect:
            case SetEffect():
                return _check_effect_facts(effect.facts)
            case RemoveEffect():
                return self._check_removal(entity)
            case BringEffect() | DismissEffect():
                self._moved.add(entity.id)
                return _check_portable(entity, entity.id)
            case ReplyEffect():
                mute = entity.dialogue is None
                return _refuse("dialogue", f"{entity.id!r} has nothing to say") if mute else None
            case _:
                assert_never(effect)

    def _check_removal(self, entity: Entity) -> BrokenLaw | None:
        broken = _check_consumable(entity, entity.id)
        inside = self._world.contents.get(entity.id, ())
        if broken is None and any(inner not in self._gone | self._moved for inner in inside):
            return _refuse("empty", f"{entity.id!r} has something in or on it")
        self._gone.add(entity.id)
        return broken


def _check_effect_facts(facts: dict[str, Any]) -> BrokenLaw | None:
    for name, value in facts.items():
        if name in FIXED or not 0 < len(name) <= LONGEST_NAME:
            return _refuse("settable", f"no craft can set {name[:LONGEST_NAME]!r}")
        kind = SETTABLE.get(name)
        if kind is not None and not fits_field(value, kind):
            return _refuse("settable", f"{name!r} cannot be what a craft would set it to")
    return None


def fits_field(value: Any, kind: type) -> bool:
    """Whether a value is valid for a field that effects may set."""
    if kind is list:
        return isinstance(value, list) and all(
            isinstance(word, str) and len(word) <= LONGEST_NAME for word in value
        )
    if kind is str:
        return isinstance(value, str) and len(value) <= LONGEST_TEXT
    return isinstance(value, kind)
