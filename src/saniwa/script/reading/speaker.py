"""Names at the beginning of a line that only speak if they are known.

`Old Man: Hi`, `Ben:Hi`, `Ben : Hi`, `Ben (sad): Hi` and `**Ben:** Hi` may be speech or
prose with a colon; who is known decides, and that is not known here.
"""

import re
from typing import Final, NamedTuple

_HEAD = re.compile(
    '([^\\[{<#:：\\\\"“”„«»「」『』*`\\n]{1,60}+)(：|:)[ \t\u3000]*+'
).match
"""What stands before the first colon of a line, if it could be a name."""
_BOLD = re.compile(
    r"(\*{1,3}+)([^*:：\\{\[<`\n]{1,60}+)(?:\1[ \t]?+[:：]|[:：]\1)[ \t\u3000]*+"
).match
"""A name in bold, as other manuscripts have it: `**Ben:** Hi`, `**Ben**: Hi`."""
_MOOD = re.compile(r"([^(（]++)[(（]([^()（）]++)[)）]").fullmatch
_TAG = re.compile(r"[^\W\d][\w-]*+").fullmatch
_PART_OF_NAME = re.compile(r"[^\W\d_][\w.'’-]*+").fullmatch
_BLANKS = " \t\u3000"
ADDRESS = ("/", "\\", ":")
"""What follows a colon in an address, a path or a name of a program."""
_PARTICLES: Final = frozenset(
    {"and", "da", "de", "del", "der", "di", "du", "la", "le", "of", "the", "van", "von"}
)
_MOST_WORDS = 4
"""Words of what is taken for a name that nobody declared."""


class SpeakerHead(NamedTuple):
    """What stands before the first colon of a line."""

    name: str
    """It, without a mood and without marks."""
    mood: str
    """What stands in brackets behind it, as a tag: `Ben (very sad)`."""
    end: int
    """Where the line goes on behind the colon."""
    behind: str
    """The letter there; empty at the end of the line."""
    bold: bool
    """Whether it is marked as strong or emphasised."""

    @property
    def spaced(self) -> bool:
        """Whether the name has blanks in it."""
        return " " in self.name or "\u3000" in self.name or "\t" in self.name


def find_head(raw: str, at: int) -> SpeakerHead | None:
    """What stands before the first colon; None for a time such as `12:30`."""
    if ":" not in raw and "：" not in raw:
        return None
    bold = raw[at] == "*"
    found = _BOLD(raw, at) if bold else _HEAD(raw, at)
    if found is None:
        return None
    name, mood = (found[2] if bold else found[1]).strip(_BLANKS), ""
    if mooded := _MOOD(name):
        mood = "-".join(mooded[2].split())
        name = mooded[1].strip(_BLANKS) if _TAG(mood) else name
        mood = mood if _TAG(mood) else ""
    behind = raw[found.end() : found.end() + 1]
    if not name or (name[-1].isdecimal() and behind.isdecimal()):
        return None
    return SpeakerHead(name, mood, found.end(), behind, bold)


def is_name_like(name: str) -> bool:
    """Whether people could be called that: a few words, written like names."""
    words = name.split()
    if not 0 < len(words) <= _MOST_WORDS or not all(map(_PART_OF_NAME, words)):
        return False
    if words[0][0].islower() or words[-1][0].islower():
        return False
    return all(not word[0].islower() or word in _PARTICLES for word in words)
