"""Rough claims become typed actions, or are turned away before anything is judged.

A claim has a `type` and, for each role of that type, an id (`targetId`, taken as it is)
or words (`target`, resolved here); ids are welcome in snake_case too. Pure and total: no
claim, however hostile, makes this raise, and no world is changed by it.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from saniwa.language.names import index_world_names
from saniwa.language.text import fold_text
from saniwa.turn.claims import SPOKEN_FIELDS, WIRE_FIELDS, ClaimProblem, check_claim
from saniwa.turn.clarification import ask_for_role, ask_which, find_only_candidate
from saniwa.turn.exits import resolve_destination
from saniwa.turn.record import Clarification, Rejection, SpokenWords
from saniwa.turn.references import (
    AmbiguousReference,
    ReferenceQuery,
    ResolvedReference,
    resolve_reference,
)
from saniwa.world.actions import (
    ACTIONS,
    Action,
    Inspect,
    Lock,
    Put,
    Search,
    Unlock,
    Use,
)
from saniwa.world.model import HOLDERS, Id, World
from saniwa.world.view import is_holding, is_within_reach

_NEEDED = {
    kind: tuple(
        f.name
        for f in msgspec.structs.fields(cls)
        if f.required and f.name != "actor_id"
    )
    for kind, cls in ACTIONS.items()
}
"""The fields each action cannot do without; worked out once, because it takes long."""

_FIRST = {"lock": "tool_id", "unlock": "tool_id"}
_ORDER = {
    kind: sorted(cls.roles, key=lambda role: role != _FIRST.get(kind, "source_id"))
    for kind, cls in ACTIONS.items()
}
"""The roles of each action as they are resolved.

The source first, so that the thing is sought in it; the key first, so that of two doors
it is the one it fits.
"""
_SPOKEN_NAMES = frozenset(SPOKEN_FIELDS.values())
"""The fields for words."""
_PLAIN = ("content", "metadata", "manner", "relation")
"""The fields that name nothing in the world."""


class NormalisedClaim(NamedTuple):
    """A claim that became an action."""

    action: Action
    """The action."""
    hint: str = ""
    """What might have been meant instead, such as a near name; never acted on."""


def normalise(
    claim: object, index: int, words: SpokenWords, world: World
) -> NormalisedClaim | Rejection | Clarification:
    """The claim as an action in this world, a question back, or a rejection."""
    fields = check_claim(claim, words, world)
    if isinstance(fields, ClaimProblem):
        return Rejection(
            index=index, code=fields.code, message=fields.message, hint=fields.hint
        )
    roles = _resolve_roles(fields, words, world)
    if isinstance(roles, Clarification):
        return roles
    return _finish_action(fields, roles, words, world)


def find_missing_field(action: Mapping[str, Any]) -> str:
    """The first field that an action given in its wire form lacks; empty for none.

    A claim made of words may leave out what is plain to see: "take" takes the only thing
    there is. An action is meant as it is, so nothing may be guessed. Of what is no action
    at all `normalise` tells more.
    """
    kind = action.get("type")
    if not isinstance(kind, str) or kind not in ACTIONS:
        return ""
    for name in _NEEDED[kind]:
        wire = WIRE_FIELDS.get(name, name)
        given = action.get(name) is not None or action.get(wire) is not None
        if not given and not _has_words(action.get(SPOKEN_FIELDS.get(name, name))):
            return wire
    return ""


def _has_words(said: object) -> bool:
    """Whether words name anything: blank ones leave it out as none do."""
    return said is not None and not (isinstance(said, str) and not said.strip())


def _resolve_roles(
    fields: dict[str, Any], words: SpokenWords, world: World
) -> dict[str, ResolvedReference] | Clarification:
    """What each role means."""
    found: dict[str, ResolvedReference] = {}
    for role in _ORDER[fields["type"]]:
        if WIRE_FIELDS[role] in fields:
            found[role] = ResolvedReference(Id(fields[WIRE_FIELDS[role]]))
        elif SPOKEN_FIELDS[role] in fields:
            meant = _resolve_role(fields, role, found, words, world)
            if isinstance(meant, Clarification):
                return meant
            found[role] = meant
    return found


def _resolve_role(
    fields: dict[str, Any],
    role: str,
    found: dict[str, ResolvedReference],
    words: SpokenWords,
    world: World,
) -> ResolvedReference | Clarification:
    kind = fields["type"]
    source, tool = found.get("source_id"), found.get("tool_id")
    sought = ReferenceQuery(
        words=fields[SPOKEN_FIELDS[role]],
        action=kind,
        role=role,
        among=source.id if source else None,
        apart_from=tuple(f.id for f in found.values()),
        key=tool.id if tool else None,
    )
    if kind == "introduce":
        return _resolve_introduced(sought, world)
    if not sought.words.strip():
        return _fill_missing_role(kind, role, sought.words, words, world)
    find = resolve_destination if kind == "move" else resolve_reference
    meant = find(sought, words, world)
    if isinstance(meant, ResolvedReference):
        return meant
    if len(meant.ids) < 2:
        return _fill_missing_role(kind, role, sought.words, words, world)
    fitting = (
        _find_fitting_key(fields, meant, words, world) if role == "tool_id" else None
    )
    return fitting or ask_which(kind, role, sought.words, meant.ids, words, world)


def _find_fitting_key(
    fields: dict[str, Any], keys: AmbiguousReference, words: SpokenWords, world: World
) -> ResolvedReference | None:
    """Of several keys, the one that fits what is to be locked or unlocked."""
    if fields["type"] not in ("lock", "unlock"):
        return None
    named = fields.get("targetId")
    if named is None:
        sought = ReferenceQuery(
            str(fields.get("target", "")), fields["type"], "target_id"
        )
        found = resolve_reference(sought, words, world)
        named = found.id if isinstance(found, ResolvedReference) else None
    thing = world.entities.get(named) if named else None
    key = thing.required_key if thing else None
    return ResolvedReference(key) if key in keys.ids and key is not None else None


def _resolve_introduced(sought: ReferenceQuery, world: World) -> ResolvedReference:
    """Somebody known by that name, wherever they are; else the name itself."""
    name = fold_text(sought.words)
    called = [
        e for e in index_world_names(world).find_bearers(name) if e in world.entities
    ]
    known = [
        e for e in called if name in (fold_text(world.entities[e].name), fold_text(e))
    ]
    return ResolvedReference(known[0] if known else Id(sought.words.strip()))


def _finish_action(
    fields: dict[str, Any],
    roles: dict[str, ResolvedReference],
    words: SpokenWords,
    world: World,
) -> NormalisedClaim | Clarification:
    cls = ACTIONS[fields["type"]]
    while missing := _find_missing_role(fields, roles):
        manner = str(fields.get("manner", ""))
        meant = _fill_missing_role(fields["type"], missing, "", words, world, manner)
        if isinstance(meant, Clarification):
            return meant
        roles = roles | {missing: meant}
    values: dict[str, Any] = {role: found.id for role, found in roles.items()}
    values |= {key: fields[key] for key in _PLAIN if key in fields}
    action: Action = cls(actor_id=words.actor_id, **values)
    # What was said in words may leave things out; an action given by ids is meant as it is.
    if not _SPOKEN_NAMES.isdisjoint(fields):
        action = _complete_action(action, world)
    return NormalisedClaim(action, next((f.hint for f in roles.values() if f.hint), ""))


def _fill_missing_role(
    kind: str, role: str, said: str, words: SpokenWords, world: World, manner: str = ""
) -> ResolvedReference | Clarification:
    """The one thing that will do for a role nobody named; else a question."""
    only = find_only_candidate(kind, role, words, world)
    if only is not None:
        return ResolvedReference(only)
    return ask_for_role(kind, role, said, words, world, manner)


def _find_missing_role(
    fields: dict[str, Any], roles: dict[str, ResolvedReference]
) -> str:
    """The first field the action cannot do without and has not got."""
    for name in _NEEDED[fields["type"]]:
        if name not in roles and name not in fields:
            return name
    return ""


def _complete_action(action: Action, world: World) -> Action:
    """The action with what anyone would add: the key that fits, if it is in hand."""
    if isinstance(action, Use):
        return _to_unlocking(action, world)
    if isinstance(action, Put):
        return _to_pouring(action, world)
    if isinstance(action, Search):
        return _to_door_inspection(action, world)
    if not isinstance(action, Lock | Unlock) or action.tool_id is not None:
        return action
    thing = world.entities.get(action.target_id)
    key = thing.required_key if thing else None
    if key is None or not is_holding(world, action.actor_id, key):
        return action
    return msgspec.structs.replace(action, tool_id=key)


def _to_pouring(action: Put, world: World) -> Action:
    """Putting oil into a lamp is using it, where a lamp holds nothing but can be used."""
    who, thing = action.actor_id, action.target_id
    holder = world.entities.get(action.destination_id)
    if holder is None or holder.kind in HOLDERS or "use" not in holder.attributes:
        return action
    if not _are_in_reach(world, who, thing, holder.id):
        return action
    return Use(actor_id=who, target_id=holder.id, tool_id=thing)


def _to_door_inspection(action: Search, world: World) -> Action:
    """Behind a door is another place: looking through it is looking at it."""
    thing = world.entities.get(action.target_id)
    if thing is None or thing.kind != "door":
        return action
    return Inspect(actor_id=action.actor_id, target_id=thing.id)


def _are_in_reach(world: World, actor: Id, *things: Id) -> bool:
    """Whether the actor sees them all: what an unseen key fits is nobody's to know."""
    return all(is_within_reach(world, actor, thing) for thing in things)


def _to_unlocking(action: Use, world: World) -> Action:
    """A key used on what it fits unlocks it; "use the door with the key" is the same."""
    if action.manner:
        return action
    for target, tool in (
        (action.target_id, action.tool_id),
        (action.tool_id, action.target_id),
    ):
        thing = world.entities.get(target) if target else None
        if (
            thing
            and tool
            and thing.locked
            and thing.required_key == tool
            and _are_in_reach(world, action.actor_id, thing.id, tool)
        ):
            return Unlock(actor_id=action.actor_id, target_id=thing.id, tool_id=tool)
    return action
