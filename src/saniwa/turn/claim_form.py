"""Check that a claim is well formed: a known type, known fields, plain values.

What the claim's words mean is resolved in `claim_resolution`, not here.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from saniwa.core.suggestions import find_typo_correction, get_nearest
from saniwa.core.text import is_encodable
from saniwa.language.host_commands import HOST_COMMANDS
from saniwa.language.lexicon import en, ja
from saniwa.language.mood import GESTURE, NO_COMMAND
from saniwa.language.phrasebook import render_sentence
from saniwa.language.question_kinds import QUESTION_KINDS
from saniwa.language.text import fold_text
from saniwa.turn.record import RejectionCode, SpokenWords
from saniwa.world.actions import ACTIONS
from saniwa.world.model import World
from saniwa.world.well_formedness_laws import LONGEST_TEXT, is_plain_json

_MOST_CORRECTED = 12
LONGEST_REFERENCE = 1000
"""The most characters of an id, or of the words for a thing."""
_RELATIONS = ("in", "on")
_NOTHING = [
    "nothing said",
    "nothing to repeat",
    *(f"nothing to {verb}" for verb in ("take", "take there", "drop", "put", "give")),
]
_ROLES = ("target_id", "tool_id", "source_id", "destination_id", "recipient_id")
WIRE_FIELDS = {role: role.removesuffix("_id") + "Id" for role in _ROLES} | {"actor_id": "actorId"}
"""The field of each role that takes an id."""
SPOKEN_FIELDS = {role: role.removesuffix("_id") for role in _ROLES}
"""The field of each role that takes words."""


_FIELDS = {
    kind: frozenset(
        (
            "type",
            *(SPOKEN_FIELDS[role] for role in cls.roles),
            *(WIRE_FIELDS.get(name, name) for name in cls.__struct_fields__),
        )
    )
    for kind, cls in ACTIONS.items()
}
"""Every field that a claim of each type may have, for ids and for words."""
REQUIRED_FIELDS = {
    kind: tuple(f.name for f in msgspec.structs.fields(cls) if f.required and f.name != "actor_id")
    for kind, cls in ACTIONS.items()
}
"""The required fields of each action; computed once, because that is slow."""


def classify_question(claim: object) -> str:
    """The kind of a question or of a word for the host; empty if the claim is neither.

    A question of an unknown kind is `other`.
    """
    if not isinstance(claim, dict) or claim.get("type") not in ("question", "host"):
        return ""
    host = claim["type"] == "host"
    kind = claim.get("command" if host else "kind")
    if not isinstance(kind, str) or kind not in (HOST_COMMANDS if host else QUESTION_KINDS):
        return "other"
    return f"host.{kind}" if host else kind


class ClaimProblem(NamedTuple):
    """Why a claim is invalid."""

    code: RejectionCode
    """What is wrong with it."""
    message: str
    """The reason in one sentence."""
    hint: str = ""
    """The most similar words that would be understood."""


def check_claim(claim: object, words: SpokenWords, world: World) -> dict[str, Any] | ClaimProblem:
    """Return the claim's fields under their wire names, or why the claim is invalid."""
    if not isinstance(claim, dict):
        return ClaimProblem("NOT_AN_OBJECT", f"a claim is an object, not {_describe_kind(claim)}")
    for key in claim:
        if not isinstance(key, str):
            return ClaimProblem("BAD_FIELD", "the names of a claim's fields are text")
    kind = claim.get("type")
    if kind == "unrecognised":
        return _reject_unrecognised(claim, world)
    if not isinstance(kind, str):
        return ClaimProblem("BAD_FIELD", "a claim needs a 'type', which is text")
    if kind not in ACTIONS:
        return _reject_unknown_type(kind)
    given: dict[str, Any] = _rename_addressee(claim) if kind == "speak" else claim
    fields = {WIRE_FIELDS.get(key, key): value for key, value in given.items()}
    if len(fields) < len(claim):
        return ClaimProblem("BAD_FIELD", "a field is given twice, in both spellings")
    problem = next(_find_problems(kind, fields, words), None)
    return problem or {key: value for key, value in fields.items() if value is not None}


def _rename_addressee(claim: dict[str, Any]) -> dict[str, Any]:
    """The claim with `to` under the name of its role, unless that is there too."""
    if "to" not in claim or "recipient" in claim:
        return claim
    return {"recipient" if key == "to" else key: value for key, value in claim.items()}


def _describe_kind(value: object) -> str:
    return "nothing" if value is None else f"a value of type {type(value).__name__!r}"


def _reject_unknown_type(kind: str) -> ClaimProblem:
    short = _shorten(kind)
    found = get_nearest(short, ACTIONS)
    return ClaimProblem(
        "UNKNOWN_TYPE",
        f"there is no action of type {short!r}",
        f"did you mean {found!r}?" if found else f"types: {', '.join(sorted(ACTIONS))}",
    )


def _shorten(text: str) -> str:
    return text[:80].encode("utf-8", "replace").decode()


def _reject_unrecognised(claim: dict[Any, Any], world: World) -> ClaimProblem:
    text, problem = claim.get("words"), claim.get("problem")
    shown = _shorten(text) if isinstance(text, str) else ""
    language = world.language
    if problem == "too long":
        long = (render_sentence(language, f"{part}.too_long") for part in ("reject", "hint"))
        return ClaimProblem("TEXT_TOO_LONG", *long)
    hint = ""
    if fold_text(shown) in OTHER_GAMES_COMMANDS:
        message = render_sentence(language, "reject.unrecognised", words=shown)
        hint = render_sentence(language, OTHER_GAMES_COMMANDS[fold_text(shown)])
    elif problem in _NOTHING:
        message = render_sentence(language, f"reject.{problem}")
    elif problem == "scenery":
        message = render_sentence(language, "reject.scenery", words=shown)
    elif problem == "no way":
        message = render_sentence(language, "reject.no way", words=shown)
        hint = _suggest_instead(shown, language)
    elif problem in NO_COMMAND:
        message = render_sentence(language, f"reject.{problem}", words=shown)
        asks_where = fold_text(shown).startswith(("where", "どこ"))
        if problem != "prohibition":
            hint = render_sentence(language, "hint.search" if asks_where else "hint.command")
    elif problem == GESTURE:
        message = render_sentence(language, "reject.gesture", words=shown)
    else:
        message, hint = _describe_leftover(claim, shown, language)
    return ClaimProblem("UNRECOGNISED_WORDS", message, hint)


def _describe_leftover(claim: dict[Any, Any], shown: str, language: str) -> tuple[str, str]:
    """Say which part of the words is not understood, and the nearest known verb."""
    lost, nearest = claim.get("leftover"), claim.get("nearest")
    if not isinstance(lost, str):
        message = render_sentence(language, "reject.unrecognised", words=shown)
        return message, _suggest_wording(shown, language)
    message = render_sentence(language, "reject.leftover", words=shown, lost=_shorten(lost))
    if isinstance(nearest, str) and nearest:
        return message, render_sentence(language, "hint.verb", near=_shorten(nearest))
    return message, render_sentence(language, "hint.leftover")


def _suggest_instead(shown: str, language: str) -> str:
    """What to try instead of something that no actor can do here; empty if unknown."""
    words = fold_text(shown).split()
    for length in (2, 1):
        line = en.PAIRS.deed_hints.get(" ".join(words[:length]))
        if line:
            return render_sentence(language, line)
    return ""


_POSSIBLE_VERBS = frozenset(
    verb
    for kind, verbs in en.VERBS.items()
    for verb in verbs
    if len(verb) > 2 and kind not in ("unknown", "deed")
) - {*en.VERBS["unknown"], *en.VERBS["deed"]}


_FIRST_VERBS = frozenset(verb.split()[0] for verb in _POSSIBLE_VERBS)
_BEFORE_VERBS = en.LINKS | en.SELF | {"to", "please", "we", "you", "will", "not", "don't", "let's"}


def list_corrected_lines(line: str, names: Iterable[str]) -> Iterator[str]:
    """Yield the line with its typing errors corrected: in all words, then in one word each.

    A word is an error if it is almost a verb, a direction or a word of the names. Nothing
    says that a corrected line is understood.
    """
    typed = line.split()[:_MOST_CORRECTED]
    phrases = (*_POSSIBLE_VERBS, *en.DIRECTIONS, *sorted(names, reverse=True))
    known = {fold_text(part): part for phrase in phrases for part in phrase.split()}
    possible = [word for word in known if len(word) > 2]
    # A verb is meant only where one may begin: no "wall" of a room is a "walk".
    others = [word for word in possible if word not in _FIRST_VERBS]
    meant = [
        word if fold_text(word) in known else known.get(found, word)
        for at, word in enumerate(typed)
        for begins in (not at or fold_text(typed[at - 1]).rstrip(",.;") in _BEFORE_VERBS,)
        for begins in (begins or typed[at - 1].endswith((",", ".", ";")),)
        for found in (find_typo_correction(fold_text(word), possible if begins else others),)
    ]
    wrong = [at for at, word in enumerate(typed) if word != meant[at]]
    if wrong and len(line.split()) == len(typed):
        yield " ".join(meant)
    for at in wrong if len(wrong) > 1 else ():
        yield " ".join((*typed[:at], meant[at], *typed[at + 1 :]))


OTHER_GAMES_COMMANDS = {
    **dict.fromkeys(("score", "得点", "スコア"), "hint.score"),
    **dict.fromkeys(("restart", "最初から", "リスタート"), "hint.restart"),
    **dict.fromkeys(("verbose", "brief", "superbrief"), "hint.verbose"),
}
"""The line that says what there is instead, for commands of other games."""


def _suggest_wording(shown: str, language: str) -> str:
    """How to phrase speech or an action."""
    first = fold_text(shown).split(" ")[0]
    talk = {phrase.split()[0] for phrase in en.VERBS["ask"]} | {"tell"}
    if first in talk or any(word in shown for word in ja.TALK):
        return render_sentence(language, "hint.speech")
    if first in ("where", "where's"):
        return render_sentence(language, "hint.search")
    known = {v for verbs in en.VERBS.values() for v in verbs if len(v) > 2}
    is_deed = first in known or any(particle in shown for particle in "をへに")
    return render_sentence(language, "hint.words" if is_deed else "hint.verbs")


def _find_problems(kind: str, fields: dict[str, Any], words: SpokenWords) -> Iterator[ClaimProblem]:
    known = _FIELDS[kind]
    for key, value in fields.items():
        if key not in known:
            found = get_nearest(_shorten(key), sorted(known))
            hint = f"did you mean {found!r}?" if found else ""
            yield ClaimProblem("BAD_FIELD", f"{kind!r} has no field {_shorten(key)!r}", hint)
        elif value is not None:
            yield from _find_value_problems(key, value)
    for role in ACTIONS[kind].roles:
        spoken, wire = SPOKEN_FIELDS[role], WIRE_FIELDS[role]
        if fields.get(spoken) is not None and fields.get(wire) is not None:
            yield ClaimProblem("BAD_FIELD", f"{spoken!r} and {wire!r} set the same role")
    if fields.get("actorId") not in (None, words.actor_id):
        yield ClaimProblem("BAD_FIELD", "'actorId' is not the speaker")


def _find_value_problems(key: str, value: object) -> Iterator[ClaimProblem]:
    if key == "metadata":
        return _find_metadata_problems(value)
    if key == "relation" and value not in _RELATIONS:
        return iter([ClaimProblem("BAD_FIELD", "'relation' is 'in' or 'on'")])
    if key != "request":
        short = type(value) is str and value.isascii() and len(value) <= LONGEST_REFERENCE
        return iter(()) if short else _find_text_problems(key, value)
    wrong = [] if isinstance(value, bool) else ["'request' is true or false"]
    return iter([ClaimProblem("BAD_FIELD", each) for each in wrong])


def _find_text_problems(key: str, value: object) -> Iterator[ClaimProblem]:
    longest = LONGEST_TEXT if key == "content" else LONGEST_REFERENCE
    if not isinstance(value, str):
        yield ClaimProblem("BAD_FIELD", f"{key!r} is text, not {_describe_kind(value)}")
    elif len(value) > longest:
        message = f"{key!r} has {len(value)} letters, more than {longest}"
        yield ClaimProblem("TEXT_TOO_LONG" if key == "content" else "BAD_FIELD", message)
    elif not value.isascii() and not is_encodable(value):
        yield ClaimProblem("BAD_FIELD", f"{key!r} contains half of a surrogate pair")


def _find_metadata_problems(value: object) -> Iterator[ClaimProblem]:
    if not isinstance(value, dict):
        yield ClaimProblem("BAD_FIELD", f"'metadata' is an object, not {_describe_kind(value)}")
    elif not is_plain_json(value):
        yield ClaimProblem("BAD_FIELD", "'metadata' is more than a few plain facts")


def is_wordless_talk(fields: Mapping[str, Any]) -> bool:
    """Whether the recipient or the subject is known, but not the words."""
    if fields["type"] != "speak" or fields.get("content") is not None:
        return False
    return any(fields.get(name) for name in ("recipient", "recipientId", "about"))


def find_missing_field(action: Mapping[str, Any]) -> str:
    """The first missing field of an action in its wire form; empty if none is missing.

    A claim made of words may leave out what is obvious: "take" takes the only thing
    there is. For an action nothing may be guessed. Empty as well for what is no action
    at all: `claim_resolution` reports that in detail.
    """
    kind = action.get("type")
    if not isinstance(kind, str) or kind not in ACTIONS or is_wordless_talk(action):
        return ""
    for name in REQUIRED_FIELDS[kind]:
        wire = WIRE_FIELDS.get(name, name)
        spoken = action.get(SPOKEN_FIELDS.get(name, name))
        # Words that are only spaces count as left out.
        named = spoken is not None and not (isinstance(spoken, str) and not spoken.strip())
        if action.get(name) is None and action.get(wire) is None and not named:
            return wire
    return ""
