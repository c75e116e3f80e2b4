"""A model's words made fit to be shown."""

import re
import unicodedata
from typing import Final

MOST_SENTENCES: Final = 6
"""Sentences that are told of one answer; a turn is a moment, not a chapter."""
_ESCAPE = re.compile(r"\\([nrt\"'\\/]|u[0-9a-fA-F]{4})")
_ESCAPES = {"n": "\n", "r": " ", "t": " "}
_BULLET = re.compile(r"(?m)^[-*•>]+ +")
"""What stands before each line of the question, and no story."""
_BREAKS = re.compile(r"(?<!\s)[^\S\n]*+\n\s*+")
_SENTENCE = re.compile(r"[^.!?。！？\n]*(?:[.!?。！？]+[\"”’」』)）]*[ \n]*|\n|$)")
_WRAPPED = re.compile(r'^(?:"(?P<a>[^"]*)"?|“(?P<b>[^“”]*)”?|「(?P<c>[^「」]*)」?)$')


def fit_to_show(text: str) -> str:
    """The words as plain text: no control characters, no half letters, no empty lines.

    Escapes that are written out, such as a backslash and an n, become what they mean.
    Quotation marks around all of it fall away, and so does everything from the first
    sentence that was said before: small models do not know when to stop.
    """
    legible = "".join(_plain(letter) for letter in _ESCAPE.sub(_unescaped, text))
    lines = _BULLET.sub("", _BREAKS.sub("\n", legible).strip())
    bare = _unwrapped(lines)
    return _once(bare).strip()


def _unescaped(found: re.Match[str]) -> str:
    """What an escape means; a program's text was shown, and none is told."""
    letter = found.group(1)
    if len(letter) > 1:
        return chr(int(letter[1:], 16))
    return _ESCAPES.get(letter, letter)


def _unwrapped(text: str) -> str:
    found = _WRAPPED.match(text)
    inner = next((g for g in found.groups() if g is not None), "") if found else text
    return inner.strip()


def _once(text: str) -> str:
    """The sentences up to the first that is said again, and no more than a few."""
    kept: list[str] = []
    said: set[str] = set()
    for sentence in _SENTENCE.findall(text):
        words = sentence.strip()
        if words in said or len(said) == MOST_SENTENCES:
            break
        said |= {words} if words else set()
        kept.append(sentence)
    return "".join(kept)


def _plain(letter: str) -> str:
    """The letter, if it is one that hosts can show and that cannot move a cursor."""
    if letter == "\n":
        return letter
    kind = unicodedata.category(letter)
    if kind in ("Zl", "Zp") or letter in "\r\t\x0b\x0c\x85":
        return " "
    return "" if kind in ("Cc", "Cf", "Cs", "Co", "Cn") else letter
