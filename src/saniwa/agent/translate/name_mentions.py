"""Find the names of known people, places and things in a narration."""

from collections.abc import Iterator
from typing import NamedTuple

from saniwa.agent.translate.narration_facts import NarrationFacts
from saniwa.agent.translate.statements import YOU_TOKEN, NarrationToken
from saniwa.language.text import prepare_text
from saniwa.world.model import Entity, Id


class NameMention(NamedTuple):
    """A name in the text."""

    start: int
    """Where it begins."""
    end: int
    """Where it ends (exclusive)."""
    name: str
    """The name, folded."""
    ids: tuple[Id, ...]
    """The ids of everything with this name, sorted."""


def make_name_token(
    mention: NameMention, facts: NarrationFacts, *, subject: bool = True
) -> NarrationToken:
    """Make the token for a name: the perceived things that have it."""
    if facts.viewer in mention.ids:
        return NarrationToken(YOU_TOKEN, mention.name, person=True, subject=subject)
    known = frozenset(mention.ids)
    ids = known & facts.perceived_ids or known
    person = any(_is_person(who, facts) for who in ids)
    return NarrationToken(
        mention.name, mention.name, ids, person, "name", subject=person and subject
    )


def _is_person(who: Id, facts: NarrationFacts) -> bool:
    found = facts.find_entity(who)
    return isinstance(found, Entity) and found.kind == "character"


_YOU_WORDS = frozenset({"you", "あなた", "i", "me"})


class ParsedNarration(NamedTuple):
    """A parsed narration."""

    text: str
    """The text as written, normalized, with a mark for each quotation."""
    low: str
    """The same in lower case, character for character."""
    quotes: tuple[str, ...]
    """The text between quotation marks."""
    mentions: tuple[NameMention, ...]
    """Every name in it; the longest match wins."""


def parse_narration(text: str, facts: NarrationFacts) -> ParsedNarration:
    """Parse a narration and find its names. Takes time in the length of the text."""
    prepared = prepare_text(text, ())
    return ParsedNarration(
        prepared.text, prepared.low, prepared.quotes, tuple(_find_mentions(prepared.low, facts))
    )


def _find_mentions(low: str, facts: NarrationFacts) -> Iterator[NameMention]:
    lengths = sorted({n for names in facts.names for n in names.lengths}, reverse=True)
    start = 0
    while start < len(low):
        found = _find_mention_at(low, start, lengths, facts)
        if found is not None:
            yield found
        start = found.end if found is not None else start + 1


def _find_mention_at(
    low: str, start: int, lengths: list[int], facts: NarrationFacts
) -> NameMention | None:
    for length in lengths:
        end = start + length
        word = low[start:end]
        if len(word) < length or _is_inside_word(low, start) or _is_inside_word(low, end):
            continue
        if word not in _YOU_WORDS and any(word in names.spoken for names in facts.names):
            ids = {who for names in facts.names for who in names.find_bearers(word)}
            return NameMention(start, end, word, tuple(sorted(ids)))
    return None


def _is_inside_word(low: str, place: int) -> bool:
    """Whether a word spans the position; kana may follow a name, kanji may not."""
    if not 0 < place < len(low):
        return False
    left, right = detect_script(low[place - 1]), detect_script(low[place])
    return left == right and left in ("latin", "kanji", "katakana")


def detect_script(letter: str) -> str:
    """Return the script of a character; empty for one of no script.

    Scripts are latin, kana, katakana, kanji and other; digits count as latin.
    """
    if "ぁ" <= letter <= "ゟ":
        return "kana"
    if "ァ" <= letter <= "ヺ" or letter == "ー":
        return "katakana"
    if "一" <= letter <= "鿿" or letter in "々〆":
        return "kanji"
    if not letter.isalpha():
        return "latin" if letter.isdigit() else ""
    return "latin" if ord(letter) < 0x250 else "other"
