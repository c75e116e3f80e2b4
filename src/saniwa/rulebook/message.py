"""What a refusal says: texts by language, with a closed list of names to fill in."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from saniwa.core.quoted import cut
from saniwa.rulebook.case import ROLES, Case

LONGEST = 200
"""Letters one name may take in a message; a claim's words can be of any length."""

LONGEST_TEMPLATE = 2_000
"""Letters a message may have in a book."""
LONGEST_MESSAGE = 4_000
"""Letters a message may have once its names are filled in."""

_NAMED = ("target", "tool", "source", "destination", "recipient")
PLACEHOLDERS: Final = frozenset(
    {"actor.id", "target.id", "target.hint", "door.hint"}
    | {f"{role}.name" for role in ("actor", "door", "key", *_NAMED)}
)
"""Everything a message may have between braces."""

_BRACES = re.compile(r"\{([^{}]*)\}")
_SOMETHING = {"ja": "何か"}


@dataclass(frozen=True, slots=True)
class Message:
    """One text in one or more languages."""

    texts: Mapping[str, str]
    """The text by language; `en` is the one to fall back on."""

    def spoken(self, case: Case) -> str:
        """The text in the world's language, with its names filled in."""
        language = case.world.language
        texts = self.texts
        text = texts.get(language) or texts.get(language[:2]) or texts.get("en")
        if text is None:
            text = next(iter(texts.values()), "")
        filled = _BRACES.sub(lambda found: _filled(found, case), text)
        return cut(filled, LONGEST_MESSAGE)


def unknown_placeholders(text: str) -> list[str]:
    """What stands between braces in the text and means nothing, in reading order."""
    return [name for name in _BRACES.findall(text) if name not in PLACEHOLDERS]


def _filled(found: "re.Match[str]", case: Case) -> str:
    role, _, fact = found[1].partition(".")
    if found[1] not in PLACEHOLDERS:
        return found[0]
    thing: Any = ROLES[role].resolve(case)
    if fact == "hint":
        return cut(getattr(thing, "hint", ""), LONGEST_MESSAGE)
    spoken = _spoken(role, case)
    text = thing.name if thing is not None and fact == "name" else spoken
    text = text or _SOMETHING.get(case.world.language, "something")
    return cut(text, LONGEST)


def _spoken(role: str, case: Case) -> str:
    """The words the claim itself used; nothing for roles that no field names."""
    return getattr(case, f"{role}_id", None) or ""
