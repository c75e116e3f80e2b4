"""Makes text from the world and from people safe to put into a prompt; reads own prompts.

A quotation is one line, has no control characters, and cannot close its own quotation
marks: a name or a speech that pretends to be an instruction stays a name or a speech.
"""

import re
import unicodedata
from functools import lru_cache
from pathlib import Path

from saniwa.core.text import truncate

_JOINER = "\u200d"
_MARKS: dict[str, tuple[str, str]] = {"en": ("“", "”"), "ja": ("「", "」")}
_INNER_MARKS = str.maketrans(
    dict.fromkeys('“”„‟〝〞"＂', "'") | dict(zip("「」｢｣", "〈〉〈〉", strict=True))
)
"""Characters that would end a quotation."""
_PROMPT_MARKUP = str.maketrans("<>{}`[]", "＜＞｛｝｀［］")
"""Markup of prompts and chat templates. The wide characters read the same to a model,
and mean nothing to a template."""
_LINE_BREAK = re.compile("\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_LOOKAHEAD = 4
"""How many times its limit a text is read before it is cut."""


def quote(text: str, language: str, longest: int = 60) -> str:
    """Quote the text in the language's marks, on one line, cut to `longest`."""
    return _quote_beginning(text[: longest * _LOOKAHEAD], language, longest)


@lru_cache(maxsize=2048)
def _quote_beginning(text: str, language: str, longest: int) -> str:
    """Clean, cut and quote; cached, because a memory is quoted turn after turn."""
    first, last = _MARKS.get(language, _MARKS["en"])
    return f"{first}{truncate(strip_marks(text), longest)}{last}"


def strip_marks(text: str) -> str:
    """Return the text on one line, without unprintable characters or quotes."""
    return flatten_line(text).translate(_INNER_MARKS)


def flatten_line(text: str) -> str:
    """Return the text on one line, with control characters and markup neutralized."""
    # Most texts need no change, and looking at each character is slow.
    if not (text.isascii() and text.isprintable()):
        text = "".join(map(_replace_character, text))
    return " ".join(text.translate(_PROMPT_MARKUP).split())


def _replace_character(character: str) -> str:
    category = unicodedata.category(character)
    if category in ("Cs", "Co", "Cn"):
        return "\ufffd"
    return " " if category[0] in "CZ" and character != _JOINER else character


def quote_lines(text: str, longest: int) -> str:
    """Quote the text so that nothing in it can end the quotation: each line gets "> ".

    A longer text is cut, and the quotation says by how much.
    """
    more = len(text) - longest
    lines = [f"> {line}" for line in _LINE_BREAK.split(text[:longest])]
    if more > 0:
        lines.append(f"(letters left out: {more})")
    return "\n".join(lines)


def read_prompt(module: str, name: str) -> str:
    """Read a prompt stored next to a module; `module` is its `__file__`."""
    return Path(module).with_name(name).read_text(encoding="utf-8").removesuffix("\n")
