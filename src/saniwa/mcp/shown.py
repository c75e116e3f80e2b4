"""Values in a text: whole lines stay whole, and nothing unseen is in them."""

import json
from typing import Any

from saniwa.core.quoted import cut

LONGEST = 500
"""Letters of a value in a text; the structured answer has all of it."""


def shown(value: Any) -> str:
    """A value as JSON on one line, cut where it is long."""
    text = value[: LONGEST + 1] if isinstance(value, str) else value
    return plain(cut(json.dumps(text, ensure_ascii=False), LONGEST))


def plain(text: str) -> str:
    """The text with everything that is not seen written out: no line can be forged."""
    return "".join(c if c.isprintable() else _written(c) for c in text)


def _written(letter: str) -> str:
    number = ord(letter)
    return f"\\u{number:04x}" if number <= 0xFFFF else f"\\U{number:08x}"
