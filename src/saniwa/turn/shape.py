"""Whether a claim has the shape of one: a closed union, known fields, plain values.

Says nothing about what its words mean.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from saniwa.core.near import near, slipped
from saniwa.turn.languages import en, ja
from saniwa.turn.languages.tongue import told
from saniwa.turn.mood import GESTURE, NO_COMMAND
from saniwa.turn.spoken import fold
from saniwa.turn.trace import RejectionCode, Words
from saniwa.world.action import ACTIONS
from saniwa.world.law import LONGEST_TEXT
from saniwa.world.model import World

LONGEST_REFERENCE = 1000
"""Letters an id or the words for a thing may have."""
_DEEPEST = 8
_MOST_FACTS = 1000
_RELATIONS = ("in", "on")
_NOTHING = [
    "nothing said",
    *(f"nothing to {verb}" for verb in ("take", "take there", "drop", "put", "give")),
]
_ROLES = ("target_id", "tool_id", "source_id", "destination_id", "recipient_id")
WIRE = {role: role.removesuffix("_id") + "Id" for role in _ROLES} | {
    "actor_id": "actorId"
}
"""Each role's field for an id."""
SPOKEN = {role: role.removesuffix("_id") for role in _ROLES}
"""Each role's field for words."""


_FIELDS = {
    kind: frozenset(
        (
            "type",
            *(SPOKEN[role] for role in cls.roles),
            *(WIRE.get(name, name) for name in cls.__struct_fields__),
        )
    )
    for kind, cls in ACTIONS.items()
}
"""Every field a claim of each type may have, for ids and for words."""


class Bad(NamedTuple):
    """Why a claim is not one."""

    code: RejectionCode
    """What is wrong with it."""
    message: str
    """The same in one sentence."""
    hint: str = ""
    """The nearest thing that would be understood."""


def shaped(claim: object, words: Words, world: World) -> dict[str, Any] | Bad:
    """The claim's fields under their wire names, all of them of the right kind."""
    if not isinstance(claim, dict):
        return Bad("NOT_AN_OBJECT", f"a claim is an object, not {_kind(claim)}")
    for key in claim:
        if not isinstance(key, str):
            return Bad("BAD_FIELD", "the names of a claim's fields are text")
    return _checked(claim, words, world)


def _checked(claim: dict[str, Any], words: Words, world: World) -> dict[str, Any] | Bad:
    kind = claim.get("type")
    if kind == "unrecognised":
        return _unrecognised(claim, world)
    if not isinstance(kind, str):
        return Bad("BAD_FIELD", "a claim has a 'type', and it is text")
    if kind not in ACTIONS:
        return _unknown_type(kind)
    fields = {WIRE.get(key, key): value for key, value in claim.items()}
    if len(fields) < len(claim):
        return Bad("BAD_FIELD", "a field is given twice, in both spellings")
    return next(_wrongs(kind, fields, words), None) or _known(fields)


def _known(fields: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if value is not None}


def _kind(value: object) -> str:
    return "nothing" if value is None else f"a value of type {type(value).__name__!r}"


def _unknown_type(kind: str) -> Bad:
    short = _shown(kind)
    found = near(short, ACTIONS)
    return Bad(
        "UNKNOWN_TYPE",
        f"there is no action of type {short!r}",
        f"did you mean {found!r}?" if found else f"types: {', '.join(sorted(ACTIONS))}",
    )


def _shown(text: str) -> str:
    return text[:80].encode("utf-8", "replace").decode()


def _unrecognised(claim: dict[Any, Any], world: World) -> Bad:
    text, problem = claim.get("words"), claim.get("problem")
    shown = _shown(text) if isinstance(text, str) else ""
    language = world.language
    if problem == "too long":
        return Bad(
            "TEXT_TOO_LONG",
            told(language, "reject.too_long"),
            told(language, "hint.too_long"),
        )
    if problem in _NOTHING:
        return Bad("UNRECOGNISED_WORDS", told(language, f"reject.{problem}"))
    if problem == "no way":
        message = told(language, "reject.no way", words=shown)
        return Bad("UNRECOGNISED_WORDS", message, _instead(shown, language))
    if problem in NO_COMMAND:
        message = told(language, f"reject.{problem}", words=shown)
        asks_where = fold(shown).startswith(("where", "どこ"))
        line = "hint.search" if asks_where else "hint.command"
        hint = "" if problem == "prohibition" else told(language, line)
        return Bad("UNRECOGNISED_WORDS", message, hint)
    if problem == GESTURE:
        message = told(language, "reject.gesture", words=shown)
        return Bad("UNRECOGNISED_WORDS", message)
    return _not_understood(claim, shown, language)


def _not_understood(claim: dict[Any, Any], shown: str, language: str) -> Bad:
    """What of the words is not understood, and the nearest thing that would be."""
    lost, nearest = claim.get("leftover"), claim.get("nearest")
    if not isinstance(lost, str):
        message = told(language, "reject.unrecognised", words=shown)
        return Bad("UNRECOGNISED_WORDS", message, _how_to_say(shown, language))
    message = told(language, "reject.leftover", words=shown, lost=_shown(lost))
    if isinstance(nearest, str) and nearest:
        hint = told(language, "hint.verb", near=_shown(nearest))
        return Bad("UNRECOGNISED_WORDS", message, hint)
    return Bad("UNRECOGNISED_WORDS", message, told(language, "hint.words"))


def _instead(shown: str, language: str) -> str:
    """What to try instead of something nobody can do here, or nothing."""
    words = fold(shown).split()
    for length in (2, 1):
        line = en.DEED_HINTS.get(" ".join(words[:length]))
        if line:
            return told(language, line)
    return ""


def _how_to_say(shown: str, language: str) -> str:
    """A near verb for a slip of the finger; else how to speak, or how to act."""
    first = fold(shown).split(" ")[0]
    talk = {phrase.split()[0] for phrase in en.VERBS["ask"]} | {"tell"}
    if first in talk or any(word in shown for word in ja.TALK):
        return told(language, "hint.speech")
    if first in ("where", "where's"):
        return told(language, "hint.search")
    known = {v for verbs in en.VERBS.values() for v in verbs if len(v) > 2}
    found = (
        slipped(first, known - {*en.VERBS["unknown"], *en.VERBS["deed"]})
        if first not in known
        else ""
    )
    if found:
        return told(language, "hint.verb", near=found)
    return told(language, "hint.words")


def _wrongs(kind: str, fields: dict[str, Any], words: Words) -> Iterator[Bad]:
    known = _FIELDS[kind]
    for key, value in fields.items():
        if key not in known:
            found = near(_shown(key), sorted(known))
            hint = f"did you mean {found!r}?" if found else ""
            yield Bad("BAD_FIELD", f"{kind!r} has no field {_shown(key)!r}", hint)
        elif value is not None and key == "metadata":
            yield from _wrong_facts(value)
        elif value is not None and key == "relation" and value not in _RELATIONS:
            yield Bad("BAD_FIELD", "'relation' is 'in' or 'on'")
        elif value is not None:
            longest = LONGEST_TEXT if key == "content" else LONGEST_REFERENCE
            if not _is_text(value, longest):
                yield _wrong_text(key, value, longest)
    for role in ACTIONS[kind].roles:
        if fields.get(SPOKEN[role]) is not None and fields.get(WIRE[role]) is not None:
            yield Bad(
                "BAD_FIELD", f"{SPOKEN[role]!r} and {WIRE[role]!r} say the same role"
            )
    if fields.get("actorId") not in (None, words.actor_id):
        yield Bad("BAD_FIELD", "'actorId' is somebody other than the speaker")


def _is_text(value: object, longest: int) -> bool:
    return isinstance(value, str) and len(value) <= longest and _writable(value)


def _wrong_text(key: str, value: object, longest: int) -> Bad:
    """Why it is no text, of what is none."""
    if not isinstance(value, str):
        return Bad("BAD_FIELD", f"{key!r} is text, not {_kind(value)}")
    if len(value) > longest:
        message = f"{key!r} has {len(value)} letters, more than {longest}"
        return Bad("TEXT_TOO_LONG" if key == "content" else "BAD_FIELD", message)
    return Bad("BAD_FIELD", f"{key!r} has half a letter in it (a lone surrogate)")


def _writable(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= each <= "\udfff" for each in text)


def _wrong_facts(value: object) -> Iterator[Bad]:
    if not isinstance(value, dict):
        yield Bad("BAD_FIELD", f"'metadata' is an object, not {_kind(value)}")
    elif not _plain(value):
        yield Bad("BAD_FIELD", "'metadata' is more than a few plain facts")


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
