"""How long a story is: counted in words, in Japanese letters, and in minutes.

Chinese characters and kana are counted letter by letter, everything else in words parted
by blanks. A text with variations counts with all it may say; values filled in do not
count.
"""

import re
from collections.abc import Iterator
from typing import Final

import msgspec

from saniwa.script.language.words import Switch, Vary, Words
from saniwa.script.program import (
    End,
    Enter,
    Hear,
    Offer,
    Program,
    Put,
    Speak,
)

WORDS_A_MINUTE: Final = 200
"""Words somebody reads in a minute."""
LETTERS_A_MINUTE: Final = 500
"""Japanese letters somebody reads in a minute."""

_LETTER = re.compile(
    "[\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]"
)
_WORD = re.compile(r"[^\W_]")


class Size(msgspec.Struct, frozen=True, kw_only=True):
    """How much text there is."""

    lines: int = 0
    """Utterances."""
    words: int = 0
    """Words parted by blanks."""
    letters: int = 0
    """Japanese letters."""
    characters: int = 0
    """Everything but blanks."""

    def __add__(self, other: "Size") -> "Size":
        return Size(
            lines=self.lines + other.lines,
            words=self.words + other.words,
            letters=self.letters + other.letters,
            characters=self.characters + other.characters,
        )

    @property
    def seconds(self) -> int:
        """How long it takes to read."""
        minutes = self.words / WORDS_A_MINUTE + self.letters / LETTERS_A_MINUTE
        return round(minutes * 60)


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """The text of one speaker or one section."""

    name: str
    """Whose; empty for the narrator, or for what stands before the first section."""
    size: Size
    """How much."""


class Stats(msgspec.Struct, frozen=True, kw_only=True):
    """What a story holds."""

    size: Size
    """All its text, options too."""
    speakers: tuple[Part, ...]
    """By speaker; who says most comes first."""
    sections: int
    """Places to jump to."""
    choices: int
    """Lists of options."""
    options: int
    """Options in them."""
    endings: tuple[str, ...]
    """Their ids, in order."""
    variables: tuple[str, ...]
    """Names, sorted."""
    longest: Part | None
    """The section that takes longest to read."""


def stats(program: Program) -> Stats:
    """What the story holds; costs the length of it."""
    speakers, sections = dict[str, Size](), dict[str, Size]()
    label, number, choices, options = "", 0, 0, 0
    endings: dict[str, None] = {}
    names = {declared.name for declared in program.variables}
    for op in program.ops:
        size = Size()
        match op:
            case Speak(speaker=speaker, words=words):
                size = _size(words, lines=1)
                speakers[speaker] = speakers.get(speaker, Size()) + size
            case Offer(ways=ways):
                choices, options = choices + 1, options + len(ways)
                for way in ways:
                    size += _size(way.words)
            case Enter(label=label):
                number += 1
            case End(ending=str(ending)):
                endings[ending] = None
            case Put(name=name) | Hear(name=name) if name:
                names.add(name)
            case _:
                continue
        sections[label] = sections.get(label, Size()) + size
    return Stats(
        size=sum(sections.values(), Size()),
        speakers=_most_first(speakers),
        sections=number,
        choices=choices,
        options=options,
        endings=tuple(endings),
        variables=tuple(sorted(names)),
        longest=_longest(sections),
    )


def _most_first(sizes: dict[str, Size]) -> tuple[Part, ...]:
    parts = [Part(name=name, size=size) for name, size in sizes.items()]
    return tuple(sorted(parts, key=lambda part: -part.size.characters))


def _longest(sizes: dict[str, Size]) -> Part | None:
    parts = _most_first(sizes)
    return max(parts, key=lambda part: part.size.seconds) if parts else None


def _size(words: Words, lines: int = 0) -> Size:
    text = "".join(_texts(words))
    letters = len(_LETTER.findall(text))
    rest = _LETTER.sub(" ", text).split()
    return Size(
        lines=lines,
        words=sum(_WORD.search(word) is not None for word in rest),
        letters=letters,
        characters=sum(map(len, text.split())),
    )


def _texts(words: Words) -> Iterator[str]:
    # As deep as braces nest, which `parse_words` bounds.
    if isinstance(words, str):
        yield words
        return
    for part in words.parts:
        if isinstance(part, str):
            yield part
        elif isinstance(part, Switch):
            yield from _sides(part.yes, part.no)
        elif isinstance(part, Vary):
            yield from _sides(*part.options)


def _sides(*sides: Words) -> Iterator[str]:
    for nth, side in enumerate(sides):
        if nth:
            yield " "
        yield from _texts(side)
