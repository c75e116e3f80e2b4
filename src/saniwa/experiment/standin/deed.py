"""Deeds in the words between asterisks, and those words read back as deeds.

The words are those a turn is told in, so that a stand-in recognises what it and others
have done whether a game master rewrote the line or not.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, Literal, NamedTuple

Kind = Literal["take", "go", "open", "unlock", "give", "search", "study", "look"]
"""What a stand-in knows to do."""
Tongue = Literal["en", "ja"]
"""What it speaks."""

_PHRASES: Final[dict[Tongue, dict[Kind, str]]] = {
    "en": {
        "take": "take {0}",
        "go": "go to {0}",
        "open": "open {0}",
        "unlock": "unlock {0} with {1}",
        "give": "give {0} to {1}",
        "search": "search {0}",
        "study": "look closely at {0}",
        "look": "look around",
    },
    "ja": {
        "take": "{0}を取る",
        "go": "{0}へ行く",
        "open": "{0}を開ける",
        "unlock": "{1}で{0}の鍵を開ける",
        "give": "{0}を{1}に渡す",
        "search": "{0}を調べる",
        "study": "{0}をよく見る",
        "look": "辺りを見回す",
    },
}
_ENGLISH: Final = re.compile(
    r"(?P<verb>take|go to|open|unlock|search|look closely at) (?:the )?(?P<target>.+?)"
    r"(?: from .+| with (?:the )?(?P<other>.+))?"
).fullmatch
_JAPANESE: Final = (
    re.compile(
        r"(?=.*の鍵を開ける\Z)(?:(?P<other>.+?)で)?(?P<target>.+?)(?P<verb>の鍵を開ける)"
    ).fullmatch,
    re.compile(
        r"(?=.*を取る\Z)(?:.+?から)?(?P<target>.+?)(?P<verb>を取る)(?P<other>)"
    ).fullmatch,
    re.compile(
        r"(?P<target>.+?)(?P<verb>へ行く|を開ける|を調べる|をよく見る)(?P<other>)"
    ).fullmatch,
)
_KINDS: Final[dict[str, Kind]] = {
    "take": "take",
    "go to": "go",
    "open": "open",
    "unlock": "unlock",
    "search": "search",
    "look closely at": "study",
    "を取る": "take",
    "へ行く": "go",
    "を開ける": "open",
    "の鍵を開ける": "unlock",
    "を調べる": "search",
    "をよく見る": "study",
}
_LONGEST: Final = 150
_UNSPEAKABLE: Final = re.compile("[*＊\"＂“”„‟「」『』｢｣…\n]|^'|'$|^$")


class Deed(NamedTuple):
    """One thing that somebody does."""

    kind: Kind
    """What is done."""
    target: str = ""
    """To what, by name."""
    other: str = ""
    """With what, or to whom."""


def told(deed: Deed, tongue: Tongue) -> str:
    """The deed in the words that stand between asterisks."""
    phrase = _PHRASES[tongue][deed.kind]
    return phrase.format(called(deed.target, tongue), called(deed.other, tongue))


def deeds_in(text: str) -> Iterator[Deed]:
    """What was done in a line of the talk, as far as a stand-in does such things."""
    for number, words in enumerate(text.split("*")):
        if number % 2 and (deed := read_deed(words)) is not None:
            yield deed


@lru_cache(maxsize=4096)
def read_deed(words: str) -> Deed | None:
    """The deed that the words tell; None for what no stand-in does to anything."""
    if len(words) > _LONGEST:
        return None
    for form in (_ENGLISH, *_JAPANESE):
        if found := form(words):
            return Deed(_KINDS[found["verb"]], found["target"], found["other"] or "")
    return None


@lru_cache(maxsize=4096)
def sayable(name: str) -> bool:
    """Whether a name can stand between asterisks and still be understood as it is."""
    return len(name) <= _LONGEST and not _UNSPEAKABLE.search(name)


def called(name: str, tongue: Tongue) -> str:
    """A name as it stands in a sentence: what has none of its own gets an article."""
    return f"the {name}" if tongue == "en" and name[:1].islower() else name


def bare(name: str) -> str:
    """A name without its article."""
    return name.removeprefix("the ")
