"""The verdict on one action: whether it may happen, and if not, why, in words.

Does not decide (see `rulebook.judge`). The text of each check is its `failMessage` in
`rulebook/books/`; the laws of the world have theirs here, in Japanese.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

import msgspec

from saniwa.core.text import truncate
from saniwa.rulebook.predicates import ROLES, ActionCase
from saniwa.world.effects import Effect
from saniwa.world.well_formedness_laws import BrokenLaw

LAW_TEXTS_JA: Final[dict[str, str]] = {
    "actor": "そのような人はいない。",
    "exists": "そのようなものは、どこにもない。",
    "destination": "それは行ける場所ではない。",
    "somewhere": "どこにもいない者には、それはできない。",
    "portable": "それは持ち運べるものではない。",
    "no_cycles": "物をそれ自身の中に入れることはできない。",
    "holder": "そこには何も置けない。",
    "recipient": "それは物を持つことができない。",
    "openable": "それは開け閉めできるものではない。",
    "lockable": "それには鍵穴がない。",
    "closed_first": "まず閉めなければならない。",
    "consumable": "それは使い切れるものではない。",
    "empty": "中か上に、まだ何かある。",
    "entity": "場所に対して、それはできない。",
    "length": "言葉が長すぎる。",
    "named": "新しいものには名前が要る。",
    "known_facts": "新しいものについて、それは決められない。",
    "legible": "名前や説明は、目に見える文字だけで書く。",
    "kind": "そのような種類のものはない。",
    "craft": "それでは、何も起こりえない。",
    "dialogue": "その人には、話すことがない。",
    "changeable": "それを変えることはできない。",
    "settable": "それは、そのようには変えられない。",
}
"""One sentence for each law, by its name."""


def translate_law(law: BrokenLaw, language: str) -> str:
    """Return the law's sentence in the language, else in the law's own English."""
    if language[:2] == "ja":
        return LAW_TEXTS_JA.get(law.law, law.message)
    return law.message


LONGEST_NAME = 200
"""The most characters of one name in a message; a claim's words can have any length."""


LONGEST_TEMPLATE = 2_000
"""The most characters of a message in a book."""


LONGEST_MESSAGE = 4_000
"""The most characters of a message once its placeholders are filled in."""


_NAMED = ("target", "tool", "source", "destination", "recipient")


PLACEHOLDERS: Final = frozenset(
    {"actor.id", "target.id", "target.hint", "door.hint"}
    | {f"{role}.name" for role in ("actor", "door", "key", *_NAMED)}
)
"""Every placeholder a message may have between braces."""


_BRACES = re.compile(r"\{([^{}]*)\}")


_SOMETHING = {"ja": "何か"}


@dataclass(frozen=True, slots=True)
class RefusalMessage:
    """One text in one or more languages."""

    texts: Mapping[str, str]
    """The text by language; `en` is the fallback."""

    def render(self, case: ActionCase) -> str:
        """Return the text in the world's language, with its placeholders filled in."""
        language = case.world.language
        texts = self.texts
        text = texts.get(language) or texts.get(language[:2]) or texts.get("en")
        if text is None:
            text = next(iter(texts.values()), "")
        filled = _BRACES.sub(lambda found: _fill_placeholder(found, case), text)
        return truncate(filled, LONGEST_MESSAGE)


def find_unknown_placeholders(text: str) -> list[str]:
    """List the placeholders of a text that are unknown, in reading order."""
    return [name for name in _BRACES.findall(text) if name not in PLACEHOLDERS]


def _fill_placeholder(found: "re.Match[str]", case: ActionCase) -> str:
    role, _, fact = found[1].partition(".")
    if found[1] not in PLACEHOLDERS:
        return found[0]
    thing: Any = ROLES[role].resolve(case)
    if fact == "hint":
        return truncate(getattr(thing, "hint", ""), LONGEST_MESSAGE)
    claimed = _get_claim_words(role, case)
    text = thing.name if thing is not None and fact == "name" else claimed
    text = text or _SOMETHING.get(case.world.language, "something")
    return truncate(text, LONGEST_NAME)


def _get_claim_words(role: str, case: ActionCase) -> str:
    """Return the words the claim itself used; empty for roles that no field names."""
    return getattr(case, f"{role}_id", None) or ""


ReasonCode = Literal[
    "OK",
    "NOT_FOUND",
    "NOT_PRESENT",
    "LOCKED",
    "INVALID_TARGET",
    "MISSING_REQUIREMENT",
    "OUT_OF_TURN",
    "UNKNOWN",
]
"""The eight reason codes, exactly as published."""


class Verdict(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """The rulebook's decision about one action. A refusal is a value, never an error."""

    success: bool
    """Whether the action may happen."""
    reason_code: ReasonCode
    """`OK`, or the kind of refusal."""
    message: str
    """The refusal in one sentence, in the world's language; empty for `OK`."""
    check: str = ""
    """The check that decided, such as `take.in_scope`; for `OK`, the rule that allowed
    it."""
    fail_reason: str = ""
    """The rule's more specific word for the refusal, if it has one."""
    hint: str = ""
    """What might work instead, such as a similar name; never acted on."""
    effects: tuple[Effect, ...] = ()
    """The effects of an allowed craft or of an answer, in order; else empty."""


REASON_CODES: Final[frozenset[str]] = frozenset(get_args(ReasonCode))
"""The eight codes, `OK` included."""

REASON_WORDS: Final[dict[ReasonCode, tuple[str, ...]]] = {
    "OK": (),
    "NOT_FOUND": (
        "MISSING_OBJECT",
        "actor_not_found",
        "entity_not_found",
        "item_not_found",
        "location_not_found",
        "recipient_not_found",
        "target_not_found",
        "tool_not_found",
    ),
    "NOT_PRESENT": (
        "WRONG_LOCATION",
        "not_in_room",
        "not_in_same_location",
        "not_in_scope",
        "not_there",
        "out_of_reach",
    ),
    "LOCKED": ("INVALID_STATE", "door_locked", "target_locked"),
    "INVALID_TARGET": (
        "CONTRADICTS_WORLD",
        "OUT_OF_SCOPE",
        "already_closed",
        "already_held",
        "already_locked",
        "already_on_stage",
        "already_open",
        "already_so",
        "already_there",
        "already_unlocked",
        "belongs_to_somebody",
        "duplicate_name",
        "fixed",
        "inside_itself",
        "no_exit",
        "not_connected",
        "not_edible",
        "not_lockable",
        "not_openable",
        "not_takeable",
        "wrong_kind",
    ),
    "MISSING_REQUIREMENT": (
        "NOT_OWNED",
        "closed",
        "key_missing",
        "must_close_first",
        "needs_something",
        "not_authorised",
        "not_authorized",
        "not_held",
        "not_owned",
        "wrong_key",
    ),
    "OUT_OF_TURN": ("RATE_LIMITED", "not_your_turn"),
    "UNKNOWN": ("AMBIGUOUS_ACTION",),
}
"""The more specific words, by their code."""

REASONS: Final[dict[str, ReasonCode]] = {
    **{word: code for code, words in REASON_WORDS.items() for word in words},
    **{code: code for code in get_args(ReasonCode) if code != "OK"},
}
"""Every word a check may fail with; a code is its own word. `OK` is not a refusal."""


def find_reason_code(word: str, own: Mapping[str, ReasonCode] | None = None) -> ReasonCode | None:
    """Return the code of a word, or None for an unknown word.

    `own` are the words a book adds; they never change what a known word means.
    """
    return REASONS.get(word) or (own or {}).get(word)
