"""A game's descriptions without the parts that are a program.

TextWorld writes its texts for Inform 7, with conditions in square brackets. What a
sentence says under a condition may not be so later; only whole sentences that hold
always are kept.
"""

import re
from typing import NamedTuple

_MARK = re.compile(r"\[([^\[\]]*)\]")
_SENTENCE = re.compile(r"[^.!?]*(?:[.!?]+[\"')]*|$)")
_CUT = "\0"
"""Stands in a sentence for something that was taken out of it."""


class Prose(NamedTuple):
    """What is left of a text."""

    text: str
    """The sentences that always hold."""
    whole: bool
    """Whether that is all of it."""


def prose(text: str) -> Prose:
    """The sentences of a text that hold whatever happens in the game."""
    bare = _without_conditions(text)
    sentences = [found.strip() for found in _SENTENCE.findall(bare)]
    kept = [s for s in sentences if s and not set(s) & {_CUT, "[", "]"}]
    return Prose(" ".join(" ".join(kept).split()), whole="[" not in text)


def _without_conditions(text: str) -> str:
    """The text with every `[if …] … [end if]`, and every other mark, taken out."""
    parts: list[str] = []
    depth = start = 0
    for found in _MARK.finditer(text):
        before = text[start : found.start()]
        if depth == 0:
            parts.append(before)
        word = found.group(1).strip().lower()
        if word.startswith("if "):
            depth += 1
        elif word == "end if":
            depth = max(depth - 1, 0)
            # Whole sentences under a condition leave those around them as they are.
            if depth == 0 and not before.rstrip().endswith((".", "!", "?")):
                parts.append(_CUT)
        elif depth == 0:
            parts.append(_CUT)
        start = found.end()
    return "".join(parts) + (text[start:] if depth == 0 else _CUT)
