"""Rough claims become typed actions, or are turned away before anything is judged.

A claim has a `type` and, for each role of that type, an id (`targetId`, taken as it is)
or words (`target`, resolved here); ids are welcome in snake_case too. Pure and total: no
claim, however hostile, makes this raise, and no world is changed by it.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from saniwa.core.near import near
from saniwa.turn.languages import en
from saniwa.turn.languages.tongue import told
from saniwa.turn.question import ask_for, ask_which
from saniwa.turn.refer import Found, Several, Sought, refer
from saniwa.turn.spoken import fold
from saniwa.turn.trace import Clarification, Rejection, Words
from saniwa.turn.way import find_way
from saniwa.world.action import ACTIONS, Action, Lock, Put, Unlock, Use
from saniwa.world.law import LONGEST_TEXT
from saniwa.world.model import HOLDERS, Id, World
from saniwa.world.view import holds

LONGEST_REFERENCE = 1000
"""Letters an id or the words for a thing may have."""
_DEEPEST = 8
_MOST_FACTS = 1000
_NOTHING = [f"nothing to {verb}" for verb in ("take", "drop", "put", "give")]
_ROLES = ("target_id", "tool_id", "source_id", "destination_id", "recipient_id")
_SNAKE = {role: role.removesuffix("_id") + "Id" for role in _ROLES} | {
    "actor_id": "actorId"
}
_WORDS = {role: role.removesuffix("_id") for role in _ROLES}


class Understood(NamedTuple):
    """A claim that became an action."""

    action: Action
    """The action."""
    hint: str = ""
    """What might have been meant instead, such as a near name; never acted on."""


class _Bad(NamedTuple):
    """Why a claim is not one."""

    code: Any
    message: str
    hint: str = ""


def normalise(
    claim: object, index: int, words: Words, world: World
) -> Understood | Rejection | Clarification:
    """The claim as an action in this world, a question back, or a rejection."""
    fields = _shaped(claim, words, world)
    if isinstance(fields, _Bad):
        return Rejection(
            index=index, code=fields.code, message=fields.message, hint=fields.hint
        )
    roles = _resolved(fields, words, world)
    if isinstance(roles, Clarification):
        return roles
    return _finished(fields, roles, words, world)


def _shaped(claim: object, words: Words, world: World) -> dict[str, Any] | _Bad:
    """The claim's fields under their wire names, all of them of the right kind."""
    if not isinstance(claim, dict):
        return _Bad("NOT_AN_OBJECT", f"a claim is an object, not {_kind(claim)}")
    if not all(isinstance(key, str) for key in claim):
        return _Bad("BAD_FIELD", "the names of a claim's fields are text")
    return _checked(claim, words, world)


def _checked(
    claim: dict[str, Any], words: Words, world: World
) -> dict[str, Any] | _Bad:
    kind = claim.get("type")
    if kind == "unrecognised":
        return _unrecognised(claim, world)
    if not isinstance(kind, str):
        return _Bad("BAD_FIELD", "a claim has a 'type', and it is text")
    if kind not in ACTIONS:
        return _unknown_type(kind)
    fields = {_SNAKE.get(key, key): value for key, value in claim.items()}
    if len(fields) < len(claim):
        return _Bad("BAD_FIELD", "a field is given twice, in both spellings")
    return next(_wrongs(kind, fields, words), None) or _known(fields)


def _known(fields: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if value is not None}


def _kind(value: object) -> str:
    return "nothing" if value is None else f"a value of type {type(value).__name__!r}"


def _unknown_type(kind: str) -> _Bad:
    short = _shown(kind)
    found = near(short, ACTIONS)
    return _Bad(
        "UNKNOWN_TYPE",
        f"there is no action of type {short!r}",
        f"did you mean {found!r}?" if found else f"types: {', '.join(sorted(ACTIONS))}",
    )


def _shown(text: str) -> str:
    return text[:80].encode("utf-8", "replace").decode()


def _unrecognised(claim: dict[Any, Any], world: World) -> _Bad:
    text, problem = claim.get("words"), claim.get("problem")
    shown = _shown(text) if isinstance(text, str) else ""
    language = world.language
    if problem == "too long":
        return _Bad(
            "TEXT_TOO_LONG",
            told(language, "reject.too_long"),
            told(language, "hint.too_long"),
        )
    if problem in _NOTHING:
        return _Bad("UNRECOGNISED_WORDS", told(language, f"reject.{problem}"))
    message = told(language, "reject.unrecognised", words=shown)
    return _Bad("UNRECOGNISED_WORDS", message, _near_verb(shown, language))


def _near_verb(shown: str, language: str) -> str:
    first = fold(shown).split(" ")[0]
    verbs = (v for verbs in en.VERBS.values() for v in verbs if len(v) > 2)
    found = near(first, verbs) if first.isascii() and len(first) > 2 else None
    if found and abs(len(found) - len(first)) < 3:
        return told(language, "hint.verb", near=found)
    return told(language, "hint.words")


def _wrongs(kind: str, fields: dict[str, Any], words: Words) -> Iterator[_Bad]:
    roles = ACTIONS[kind].roles
    spoken = {_WORDS[role]: role for role in roles}
    wire = {_SNAKE[role]: role for role in roles}
    other = set(ACTIONS[kind].__struct_fields__) - set(roles) - {"actor_id"}
    known = {"type", "actorId", *spoken, *wire, *other}
    for key, value in fields.items():
        if key not in known:
            found = near(_shown(key), sorted(known))
            hint = f"did you mean {found!r}?" if found else ""
            yield _Bad("BAD_FIELD", f"{kind!r} has no field {_shown(key)!r}", hint)
        elif value is not None and key == "metadata":
            yield from _wrong_facts(value)
        elif value is not None:
            longest = LONGEST_TEXT if key == "content" else LONGEST_REFERENCE
            yield from _wrong_text(key, value, longest)
    for role in roles:
        if (
            fields.get(_WORDS[role]) is not None
            and fields.get(_SNAKE[role]) is not None
        ):
            yield _Bad(
                "BAD_FIELD", f"{_WORDS[role]!r} and {_SNAKE[role]!r} say the same role"
            )
    if fields.get("actorId") not in (None, words.actor_id):
        yield _Bad("BAD_FIELD", "'actorId' is somebody other than the speaker")


def _wrong_text(key: str, value: object, longest: int) -> Iterator[_Bad]:
    if not isinstance(value, str):
        yield _Bad("BAD_FIELD", f"{key!r} is text, not {_kind(value)}")
    elif len(value) > longest:
        message = f"{key!r} has {len(value)} letters, more than {longest}"
        yield _Bad("TEXT_TOO_LONG" if key == "content" else "BAD_FIELD", message)
    elif not _writable(value):
        yield _Bad("BAD_FIELD", f"{key!r} has half a letter in it (a lone surrogate)")


def _writable(text: str) -> bool:
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


def _wrong_facts(value: object) -> Iterator[_Bad]:
    if not isinstance(value, dict):
        yield _Bad("BAD_FIELD", f"'metadata' is an object, not {_kind(value)}")
    elif not _plain(value):
        yield _Bad("BAD_FIELD", "'metadata' is more than a few plain facts")


def _plain(facts: object) -> bool:
    """Whether it is JSON, and neither deep nor large."""
    waiting: list[tuple[object, int]] = [(facts, 0)]
    seen = 0
    while waiting:
        value, depth = waiting.pop()
        seen += 1
        if seen > _MOST_FACTS or depth > _DEEPEST:
            return False
        if isinstance(value, str):
            if len(value) > LONGEST_TEXT or not _writable(value):
                return False
        elif isinstance(value, dict):
            waiting += ((part, depth + 1) for pair in value.items() for part in pair)
            if not all(isinstance(key, str) for key in value):
                return False
        elif isinstance(value, list):
            waiting += ((part, depth + 1) for part in value[: _MOST_FACTS + 1])
        elif value is not None and not _plain_number(value):
            return False
    return True


def _plain_number(value: object) -> bool:
    if isinstance(value, bool):
        return True
    if isinstance(value, int):
        return abs(value) <= 2**53
    return isinstance(value, float) and abs(value) <= 1e15


def _resolved(
    fields: dict[str, Any], words: Words, world: World
) -> dict[str, Found] | Clarification:
    """What each role means.

    The source first, so that the thing is sought in it; the key first, so that of two
    doors it is the one it fits.
    """
    kind = fields["type"]
    first = "tool_id" if kind in ("lock", "unlock") else "source_id"
    found: dict[str, Found] = {}
    for role in sorted(ACTIONS[kind].roles, key=lambda r: r != first):
        if _SNAKE[role] in fields:
            found[role] = Found(Id(fields[_SNAKE[role]]))
        elif _WORDS[role] in fields:
            meant = _meant(fields, role, found, words, world)
            if isinstance(meant, Clarification):
                return meant
            found[role] = meant
    return found


def _meant(
    fields: dict[str, Any],
    role: str,
    found: dict[str, Found],
    words: Words,
    world: World,
) -> Found | Clarification:
    kind = fields["type"]
    source, tool = found.get("source_id"), found.get("tool_id")
    sought = Sought(
        words=fields[_WORDS[role]],
        action=kind,
        role=role,
        among=source.id if source else None,
        apart_from=tuple(f.id for f in found.values()),
        key=tool.id if tool else None,
    )
    if kind == "introduce":
        return _introduced(sought, world)
    if not sought.words.strip():
        return ask_for(kind, role, sought.words, words, world)
    find = find_way if kind == "move" else refer
    meant = find(sought, words, world)
    if isinstance(meant, Found):
        return meant
    if len(meant.ids) < 2:
        return ask_for(kind, role, sought.words, words, world)
    fitting = _fitting_key(fields, meant, words, world) if role == "tool_id" else None
    return fitting or ask_which(kind, role, sought.words, meant.ids, words, world)


def _fitting_key(
    fields: dict[str, Any], keys: Several, words: Words, world: World
) -> Found | None:
    """Of several keys, the one that fits what is to be locked or unlocked."""
    if fields["type"] not in ("lock", "unlock"):
        return None
    named = fields.get("targetId")
    if named is None:
        sought = Sought(str(fields.get("target", "")), fields["type"], "target_id")
        found = refer(sought, words, world)
        named = found.id if isinstance(found, Found) else None
    thing = world.entities.get(named) if named else None
    key = thing.required_key if thing else None
    return Found(key) if key in keys.ids and key is not None else None


def _introduced(sought: Sought, world: World) -> Found:
    """Somebody known by that name, wherever they are; else the name itself."""
    name = fold(sought.words)
    known = [
        e.id for e in world.entities.values() if name in (fold(e.name), fold(e.id))
    ]
    return Found(min(known, default=Id(sought.words.strip())))


def _finished(
    fields: dict[str, Any], roles: dict[str, Found], words: Words, world: World
) -> Understood | Clarification:
    cls = ACTIONS[fields["type"]]
    missing = _missing(fields, roles)
    if missing:
        return ask_for(fields["type"], missing, "", words, world)
    values: dict[str, Any] = {role: found.id for role, found in roles.items()}
    values |= {key: fields[key] for key in ("content", "metadata") if key in fields}
    action = _filled(cls(actor_id=words.actor_id, **values), world)
    return Understood(action, next((f.hint for f in roles.values() if f.hint), ""))


def _missing(fields: dict[str, Any], roles: dict[str, Found]) -> str:
    """The first field the action cannot do without and has not got."""
    cls = ACTIONS[fields["type"]]
    have = {*roles, *fields, "actor_id"}
    needed = (
        f.name for f in msgspec.structs.fields(cls) if f.default is msgspec.NODEFAULT
    )
    return next((name for name in needed if name not in have), "")


def _filled(action: Action, world: World) -> Action:
    """The action with what anyone would add: the key that fits, if it is in hand."""
    if isinstance(action, Use):
        return _unlocking(action, world)
    if isinstance(action, Put):
        return _pouring(action, world)
    if not isinstance(action, Lock | Unlock) or action.tool_id is not None:
        return action
    thing = world.entities.get(action.target_id)
    key = thing.required_key if thing else None
    if key is None or not holds(world, action.actor_id, key):
        return action
    return msgspec.structs.replace(action, tool_id=key)


def _pouring(action: Put, world: World) -> Action:
    """Putting oil into a lamp is using it, where a lamp holds nothing but can be used."""
    holder = world.entities.get(action.destination_id)
    if holder is None or holder.kind in HOLDERS or "use" not in holder.attributes:
        return action
    who, thing = action.actor_id, action.target_id
    return Use(actor_id=who, target_id=holder.id, tool_id=thing)


def _unlocking(action: Use, world: World) -> Action:
    """A key used on what it fits unlocks it; "use the door with the key" is the same."""
    for target, tool in (
        (action.target_id, action.tool_id),
        (action.tool_id, action.target_id),
    ):
        thing = world.entities.get(target) if target else None
        if thing and tool and thing.locked and thing.required_key == tool:
            return Unlock(actor_id=action.actor_id, target_id=thing.id, tool_id=tool)
    return action
