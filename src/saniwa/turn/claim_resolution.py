"""Turn untrusted claims into typed actions, questions or rejections.

A claim has a `type` and, for each role of that type, an id (`targetId`, used as it is)
or words (`target`, resolved here); field names may also be in snake_case. Pure and
total: no claim, however hostile, makes this raise, and no world is changed by it.
Whether an action is allowed is judged later.
"""

from typing import Any, NamedTuple

import msgspec

from saniwa.language.lexicon import ja
from saniwa.language.name_index import index_world_names
from saniwa.language.parse import parse
from saniwa.language.phrasebook import render_sentence
from saniwa.language.text import fold_text
from saniwa.turn.claim_form import (
    OTHER_GAMES_COMMANDS,
    REQUIRED_FIELDS,
    SPOKEN_FIELDS,
    WIRE_FIELDS,
    ClaimProblem,
    check_claim,
    is_wordless_talk,
    list_corrected_lines,
)
from saniwa.turn.clarification import ask_for_role, ask_which, find_only_candidate
from saniwa.turn.dialogue import resolve_speech
from saniwa.turn.exits import has_no_way_back, list_exits, render_exit, resolve_destination
from saniwa.turn.record import Clarification, Rejection, SpokenWords
from saniwa.turn.references import UnknownReference, get_reference_id, resolve_reference
from saniwa.world.actions import (
    ACTIONS,
    Action,
    Drop,
    Inspect,
    Lock,
    Put,
    Search,
    Speak,
    Unlock,
    Use,
)
from saniwa.world.model import HOLDERS, Id, World
from saniwa.world.queries import find_room, is_holding, is_within_reach, list_scope

_FIRST = {"lock": "tool_id", "unlock": "tool_id"}
_ORDER = {
    kind: sorted(cls.roles, key=lambda role: role != _FIRST.get(kind, "source_id"))
    for kind, cls in ACTIONS.items()
}
"""The order in which the roles of each action are resolved.

The source comes first, so that the thing is looked for in it; the key comes first, so
that of two doors the one it fits is chosen.
"""
_SPOKEN_NAMES = frozenset(SPOKEN_FIELDS.values())
"""The fields that take words."""
_ORIGIN = ja.WORDS.origin | {"back"}
"""Words for the place from which a thing was taken."""
_LONGEST_PLACE = 6
_LOOKS = frozenset({"inspect", "search"})
_PLAIN = ("content", "metadata", "manner", "relation", "about", "request")
"""The fields that name nothing in the world."""


class ResolvedClaim(NamedTuple):
    """A claim that became an action."""

    action: Action
    """The action."""
    hint: str = ""
    """What might have been meant instead, such as a similar name; never acted on."""


def resolve_claim(
    claim: object, index: int, words: SpokenWords, world: World
) -> ResolvedClaim | Rejection | Clarification:
    """Turn a claim into an action in this world, a question to the player, or a rejection."""
    fields = check_claim(claim, words, world)
    if isinstance(fields, ClaimProblem):
        hint = _suggest_named_place(claim, words, world)
        hint = hint or _suggest_line(claim, words, world) or fields.hint
        return Rejection(index=index, code=fields.code, message=fields.message, hint=hint)
    if is_wordless_talk(fields):
        fields["content"] = ""
    said = fields.get("target")
    if fields["type"] == "move" and isinstance(said, str) and has_no_way_back(said, words, world):
        message = render_sentence(world.language, "reject.nowhere back")
        return Rejection(index=index, code="UNRECOGNISED_WORDS", message=message)
    roles: dict[str, Id] = {}
    hint = ""
    for role in _ORDER[fields["type"]]:
        if WIRE_FIELDS[role] in fields:
            roles[role] = Id(fields[WIRE_FIELDS[role]])
        elif SPOKEN_FIELDS[role] in fields:
            meant = _resolve_role(fields, role, roles, words, world)
            if isinstance(meant, Clarification):
                return meant
            if isinstance(meant, UnknownReference):
                hint = hint or meant.hint
                meant = meant.id
            if fields["type"] in _LOOKS and meant not in world.entities:
                hint = _suggest_place(fields[SPOKEN_FIELDS[role]], words, world) or hint
            roles[role] = meant
    action = _finish_action(fields, roles, words, world)
    return action if isinstance(action, Clarification) else ResolvedClaim(action, hint)


def _resolve_role(
    fields: dict[str, Any], role: str, found: dict[str, Id], words: SpokenWords, world: World
) -> Id | UnknownReference | Clarification:
    kind, said = fields["type"], fields[SPOKEN_FIELDS[role]]
    if kind == "introduce":
        return _resolve_introduced(said, world)
    if not said.strip():
        return _fill_missing_role(kind, role, said, words, world)
    if kind == "put" and role == "destination_id" and said in _ORIGIN:
        origin = _find_origin(found.get("target_id"), words, world)
        return origin or _fill_missing_role(kind, role, "", words, world)
    if kind == "move":
        meant = resolve_destination(said, words, world)
    else:
        meant = resolve_reference(
            said,
            kind,
            role,
            words,
            world,
            among=found.get("source_id"),
            apart_from=tuple(found.values()),
            key=found.get("tool_id"),
        )
    if isinstance(meant, str | UnknownReference):
        return meant
    if len(meant.ids) < 2:
        return _fill_missing_role(kind, role, said, words, world)
    fitting = _find_fitting_key(fields, meant.ids, words, world) if role == "tool_id" else None
    return fitting or ask_which(kind, role, said, meant.ids, words, world)


def _suggest_named_place(claim: object, words: SpokenWords, world: World) -> str:
    """The way to an adjacent place that words which were not understood end with."""
    lost = claim.get("leftover") if isinstance(claim, dict) else None
    said = lost.split()[-_LONGEST_PLACE:] if isinstance(lost, str) else []
    named = (_suggest_place(" ".join(said[n:]), words, world) for n in range(1, len(said)))
    return next(filter(None, named), "")


def _suggest_line(claim: object, words: SpokenWords, world: World) -> str:
    """The words without typing errors, if they are understood then; empty if not."""
    said = claim.get("words") if isinstance(claim, dict) and "problem" not in claim else None
    if not isinstance(said, str) or fold_text(said) in OTHER_GAMES_COMMANDS:
        return ""
    near_by = (world.entities[e] for e in list_scope(world, words.actor_id) if e in world.entities)
    names = [name for each in near_by for name in (each.name, *each.aliases)]
    names += [way.label for way in list_exits(world, words.actor_id)]
    for line in list_corrected_lines(said, names):
        heard = parse(line, words.actor_id, world)
        if heard and all(_is_clear(each, words, world) for each in heard):
            return render_sentence(world.language, "hint.verb", near=line)
    return ""


def _is_clear(claim: dict[str, Any], words: SpokenWords, world: World) -> bool:
    """Whether a claim is understood and names only what is here."""
    kind = claim["type"]
    if kind in ("unrecognised", "host"):
        return False
    named = {role: claim[said] for role, said in SPOKEN_FIELDS.items() if said in claim}
    if kind == "move":
        return resolve_destination(named.get("target_id", ""), words, world) in world.locations
    if kind in ("speak", "question", "emote", "introduce"):
        return True
    found = (resolve_reference(said, kind, role, words, world) for role, said in named.items())
    return not any(isinstance(meant, UnknownReference) for meant in found)


def _suggest_place(said: str, words: SpokenWords, world: World) -> str:
    """Say that words name an adjacent place, which cannot be looked at from here."""
    meant = resolve_destination(said, words, world)
    ways = [way for way in list_exits(world, words.actor_id) if way.to == meant]
    if not ways:
        return ""
    there = render_exit(world, ways[0], with_state=False)
    return render_sentence(world.language, "hint.place", exit=there)


def _find_origin(thing: Id | None, words: SpokenWords, world: World) -> Id | None:
    """The place, container or supporter from which the thing was taken, if it is here."""
    entity = world.entities.get(thing) if thing is not None else None
    if entity is None:
        return None
    left = entity.place if entity.place != words.actor_id else words.came_from.get(entity.id)
    holder = world.entities.get(left) if left is not None else None
    if holder is None:
        return left if left == find_room(world, words.actor_id) else None
    near = holder.kind in ("container", "supporter") and is_within_reach(
        world, words.actor_id, holder.id
    )
    return holder.id if near else None


def _find_fitting_key(
    fields: dict[str, Any], keys: tuple[Id, ...], words: SpokenWords, world: World
) -> Id | None:
    """Of several keys, the one that fits the thing to be locked or unlocked."""
    if fields["type"] not in ("lock", "unlock"):
        return None
    named = fields.get("targetId")
    if named is None:
        said = str(fields.get("target", ""))
        found = resolve_reference(said, fields["type"], "target_id", words, world)
        named = get_reference_id(found)
    thing = world.entities.get(named) if named else None
    key = thing.required_key if thing else None
    return key if key in keys else None


def _resolve_introduced(said: str, world: World) -> Id:
    """The entity of that name, wherever it is; else the name itself."""
    name = fold_text(said)
    called = [e for e in index_world_names(world).find_bearers(name) if e in world.entities]
    known = [e for e in called if name in (fold_text(world.entities[e].name), fold_text(e))]
    return known[0] if known else Id(said.strip())


def _finish_action(
    fields: dict[str, Any], roles: dict[str, Id], words: SpokenWords, world: World
) -> Action | Clarification:
    manner = str(fields.get("manner", ""))
    for name in REQUIRED_FIELDS[fields["type"]]:
        if name not in roles and name not in fields:
            meant = _fill_missing_role(fields["type"], name, "", words, world, manner)
            if isinstance(meant, Clarification):
                return meant
            roles[name] = meant
    values = {**roles, **{key: fields[key] for key in _PLAIN if key in fields}}
    action: Action = ACTIONS[fields["type"]](actor_id=words.actor_id, **values)
    if isinstance(action, Speak):
        return resolve_speech(action, words, world)
    # Words may leave things out; an action given by ids is used as it is.
    return action if _SPOKEN_NAMES.isdisjoint(fields) else _complete_action(action, world)


def _fill_missing_role(
    kind: str, role: str, said: str, words: SpokenWords, world: World, manner: str = ""
) -> Id | Clarification:
    """The only thing that suits a role left out; else a question."""
    only = find_only_candidate(kind, role, words, world)
    if only is not None:
        return only
    return ask_for_role(kind, role, said, words, world, manner)


def _complete_action(action: Action, world: World) -> Action:
    """The action as a person would understand it, such as with the key that fits."""
    if isinstance(action, Use):
        return _to_unlocking(action, world)
    if isinstance(action, Put):
        return _to_plain_put(action, world)
    thing = world.entities.get(getattr(action, "target_id", None) or Id(""))
    if isinstance(action, Search) and thing is not None and thing.kind == "door":
        # Behind a door is another place.
        return Inspect(actor_id=action.actor_id, target_id=thing.id)
    if not isinstance(action, Lock | Unlock) or action.tool_id is not None:
        return action
    key = thing.required_key if thing else None
    if key is None or not is_holding(world, action.actor_id, key):
        return action
    return msgspec.structs.replace(action, tool_id=key)


def _to_plain_put(action: Put, world: World) -> Action:
    """Turn putting a thing into a place into dropping it there.

    "Put oil into the lamp" uses the lamp, if it is no container.
    """
    who, thing = action.actor_id, action.target_id
    if action.destination_id in world.locations:  # "Put it back" where it lay on the floor.
        return Drop(actor_id=who, target_id=thing)
    holder = world.entities.get(action.destination_id)
    if holder is None or holder.kind in HOLDERS or "use" not in holder.attributes:
        return action
    if not _are_in_reach(world, who, thing, holder.id):
        return action
    return Use(actor_id=who, target_id=holder.id, tool_id=thing)


def _are_in_reach(world: World, actor: Id, *things: Id) -> bool:
    """Whether the actor sees them all: what an unseen key fits stays secret."""
    return all(is_within_reach(world, actor, thing) for thing in things)


def _to_unlocking(action: Use, world: World) -> Action:
    """Turn using a key on what it fits into unlocking it, in either order."""
    if action.manner:
        return action
    for target, tool in ((action.target_id, action.tool_id), (action.tool_id, action.target_id)):
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
