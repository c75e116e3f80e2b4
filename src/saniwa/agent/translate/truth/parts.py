"""A narration taken apart: quotations lifted out, names found, clauses in order."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final, NamedTuple

from saniwa.agent.translate.truth.facts import Facts
from saniwa.turn.spoken import hear
from saniwa.world.model import Entity, Id

MOST_CLAUSES: Final = 80
"""Clauses that are looked at one by one; a narration has a handful."""
_ENDS = re.compile(r"[.!?。!?…\n]+")
_BREAKS_EN = re.compile(
    r"[,;:()—–]|\s-\s|\b(?:but|while|as|until|though|although|because|so|when|where)\b"
)
_BREAKS_JA = re.compile(r"[、,;:()]|(?<=[たるいだう])が(?=[、 ])|けれど|しかし")
_AND = re.compile(r"\band (?:the )?")
_YOU = frozenset({"you", "あなた", "i", "me"})


class Mention(NamedTuple):
    """A name in the text."""

    start: int
    """Where it begins."""
    end: int
    """Where it has ended."""
    name: str
    """The name, folded."""
    ids: tuple[Id, ...]
    """Whoever bears it, in order of id."""
    person: bool = False
    """Whether that is a person."""


class Clause(NamedTuple):
    """A stretch of a sentence that says one thing."""

    text: str
    """Its words, folded."""
    start: int
    """Where it begins in the whole text."""
    sentence: str
    """The sentence it is part of, folded."""
    mentions: tuple[Mention, ...]
    """The names in it; places count from its own beginning."""
    so: bool = False
    """Whether the plain narrator says the very same."""


class Telling(NamedTuple):
    """A narration, ready to be looked at."""

    text: str
    """As written, composed, with a mark for each quotation."""
    low: str
    """The same in lower case, letter for letter."""
    quotes: tuple[str, ...]
    """What stood between quotation marks."""
    mentions: tuple[Mention, ...]
    """Every name in it, the longest first that fits."""
    clauses: tuple[Clause, ...]
    """Its clauses, in order."""


def taken_apart(text: str, facts: Facts) -> Telling:
    """The narration with its names found. Costs the length of the text."""
    heard = hear(text, ())
    language = facts.after.language
    told = _clauses(hear(facts.plain, ()).low, (), language)
    plainly = frozenset(clause.text.strip() for clause in told)
    mentions = tuple(_mentions(heard.low, facts))
    clauses = islice(_clauses(heard.low, mentions, language), MOST_CLAUSES)
    marked = tuple(c._replace(so=c.text.strip() in plainly) for c in clauses)
    return Telling(heard.text, heard.low, heard.quotes, mentions, marked)


def _mentions(low: str, facts: Facts) -> Iterator[Mention]:
    lengths = sorted({n for names in facts.names for n in names.lengths}, reverse=True)
    start = 0
    while start < len(low):
        found = _named_at(low, start, lengths, facts)
        if found is not None:
            yield found
        start = found.end if found is not None else start + 1


def _named_at(low: str, start: int, lengths: list[int], facts: Facts) -> Mention | None:
    for length in lengths:
        end = start + length
        word = low[start:end]
        if len(word) < length or _runs_on(low, start) or _runs_on(low, end):
            continue
        if word not in _YOU and any(word in names.spoken for names in facts.names):
            ids = {who for names in facts.names for who in names.answering(word)}
            found = Mention(start, end, word, tuple(sorted(ids)))
            who = meant(found, facts)
            return found._replace(person=who is not None and who.kind == "character")
    return None


def _runs_on(low: str, place: int) -> bool:
    """Whether one word runs across the place; kana may follow a name, kanji may not."""
    if not 0 < place < len(low):
        return False
    left, right = script(low[place - 1]), script(low[place])
    return left == right and left in ("latin", "kanji", "katakana")


def script(letter: str) -> str:
    """The script of a letter: latin, kana, katakana, kanji, other; empty for none."""
    if "ぁ" <= letter <= "ゟ":
        return "kana"
    if "ァ" <= letter <= "ヺ" or letter == "ー":
        return "katakana"
    if "一" <= letter <= "鿿" or letter in "々〆":
        return "kanji"
    if not letter.isalpha():
        return "latin" if letter.isdigit() else ""
    return "latin" if ord(letter) < 0x250 else "other"


def _clauses(
    low: str, mentions: tuple[Mention, ...], language: str
) -> Iterator[Clause]:
    breaks = _BREAKS_JA if language == "ja" else _BREAKS_EN
    firsts = frozenset(m.start for m in mentions if m.person)
    for start, end in _parts(low, 0, len(low), _ENDS):
        inner = _parts(low, start, end, breaks)
        for first, last in (
            part for each in inner for part in _each_one(low, *each, firsts)
        ):
            within = (m for m in mentions if first <= m.start and m.end <= last)
            yield Clause(
                low[first:last],
                first,
                low[start:end],
                tuple(
                    m._replace(start=m.start - first, end=m.end - first) for m in within
                ),
            )


def _each_one(
    low: str, start: int, end: int, people: frozenset[int]
) -> Iterator[tuple[int, int]]:
    """A clause in two where "and" leads on to somebody else."""
    for found in _AND.finditer(low, start, end):
        if found.end() in people and low[start : found.start()].strip():
            yield start, found.start()
            start = found.end()
    yield start, end


def _parts(
    low: str, start: int, end: int, breaks: re.Pattern[str]
) -> Iterator[tuple[int, int]]:
    for found in breaks.finditer(low, start, end):
        if low[start : found.start()].strip():
            yield start, found.start()
        start = found.end()
    if low[start:end].strip():
        yield start, end


def meant(mention: Mention, facts: Facts) -> Entity | None:
    """The entity a name means here: one that is perceived, if any bearer is."""
    for who in sorted(mention.ids, key=lambda who: who not in facts.perceived):
        found = facts.thing(who)
        if isinstance(found, Entity):
            return found
    return None


def place_meant(mention: Mention, facts: Facts) -> Id | None:
    """The place a name means; None where it is no place's name."""
    places = (facts.after.locations, facts.before.locations)
    return next((who for who in mention.ids if any(who in p for p in places)), None)
