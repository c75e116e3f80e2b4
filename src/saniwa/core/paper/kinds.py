"""What may stand under a key, and what people call it."""

import re
from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any, NamedTuple

from saniwa.core.paper.held import Held
from saniwa.core.quoted import quoted

MOST_COUNTED = 1_000_000_000
"""The largest number of anything."""
LONGEST_TEXT = 100_000
"""Letters a text may have."""
_WORD = re.compile(r"\w[\w.-]*").fullmatch
_TYPES = (
    (bool, "true or false"),
    (str, "text"),
    (int, "a number"),
    (float, "a fraction"),
    (list, "a list"),
    (dict, "a mapping"),
)


def type_name(value: Any) -> str:
    """What people call the type of a value."""
    return next((name for kind, name in _TYPES if isinstance(value, kind)), "nothing")


def _no_hint(_: Any) -> str:
    return ""


def _as_it_is(_: Held) -> bool:
    return True


class Check(NamedTuple):
    """What must stand somewhere."""

    wanted: str
    """What people call it; reads on after `must be`."""
    fits: Callable[[Any], bool]
    """Whether a value is that."""
    told: bool = False
    """Whether the value itself says most about what is wrong with it."""
    hides: str = ""
    """A letter of values that are not shown: a password may stand before it."""
    code: str = "WRONG_TYPE"
    """What is wrong, where it is not that."""
    hint: Callable[[Any], str] = _no_hint
    """A cure for a value that is not that."""
    inside: Callable[[Held], bool] = _as_it_is
    """Whether what is in it is well, too; tells of what is not."""


def is_whole(value: Any) -> bool:
    """Whether it is a whole number, and neither true nor false."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    """Whether it is a number one can count with."""
    return is_whole(value) or (isinstance(value, float) and isfinite(value))


def is_text(value: Any) -> bool:
    """Whether it is a text that is not too long."""
    return isinstance(value, str) and len(value) <= LONGEST_TEXT


def all_texts(held: Held) -> bool:
    """Whether every item of a list is a text; a finding for each that is not."""
    good = True
    for nth, item in enumerate(held.value if isinstance(held.value, list) else ()):
        if not isinstance(item, str) or not item:
            good = False
            wrong_type(held.inner(nth, item), "an item", "a text that is not empty")
    return good


def wrong_type(
    held: Held,
    what: str,
    wanted: str,
    *,
    code: str = "WRONG_TYPE",
    told: bool = False,
    hint: str = "",
) -> None:
    """Note that something else stands where `wanted` should."""
    shown = quoted(held.value) if told else type_name(held.value)
    held.error(code, f"{what} must be {wanted}, not {shown}", hint=hint)


SHAPES: Mapping[str, Check] = {
    "anything": Check("", lambda _: True),
    "unused": Check("", lambda _: True),
    "text": Check("text", is_text),
    "words": Check("a text that is not empty", lambda v: is_text(v) and v.strip()),
    "word": Check(
        "one word, which is part of a file's name",
        lambda v: is_text(v) and _WORD(v) is not None,
        told=True,
    ),
    "texts": Check("a list of texts", lambda v: isinstance(v, list), inside=all_texts),
    "flag": Check("true or false", lambda v: isinstance(v, bool)),
    "number": Check("a number", is_number),
    "whole": Check("a whole number", lambda v: is_whole(v) and abs(v) < 2**63),
    "count": Check(
        f"a whole number from 1 to {MOST_COUNTED}",
        lambda v: is_whole(v) and 1 <= v <= MOST_COUNTED,
        told=True,
    ),
    "amount": Check(
        f"a whole number from 0 to {MOST_COUNTED}",
        lambda v: is_whole(v) and 0 <= v <= MOST_COUNTED,
        told=True,
    ),
    "mapping": Check("a mapping", lambda v: isinstance(v, dict)),
    "list": Check("a list", lambda v: isinstance(v, list)),
}
"""What may stand under a key of any file."""
