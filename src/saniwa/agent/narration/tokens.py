"""Splits English and Japanese text into tokens, known names among them.

In Japanese the longest word wins.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final, NamedTuple

from saniwa.agent.narration.narration_facts import NarrationFacts
from saniwa.agent.narration.statements import QUOTED_TOKEN, THEY_TOKEN, YOU_TOKEN, NarrationToken
from saniwa.agent.narration.words import find_lemma, load_words
from saniwa.language.text import QUOTE, prepare_text
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
    found = (facts.find_entity(who) for who in ids)
    person = any(isinstance(each, Entity) and each.kind == "character" for each in found)
    return NarrationToken(
        mention.name, mention.name, ids, person, "name", subject=person and subject
    )


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
    start = 0
    while start < len(low):
        found = _find_mention_at(low, start, facts)
        if found is not None:
            yield found
        start = found.end if found is not None else start + 1


def _find_mention_at(low: str, start: int, facts: NarrationFacts) -> NameMention | None:
    lengths = {n for names in facts.names for n in names.lengths.get(low[start], ())}
    for length in sorted(lengths, reverse=True):
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


_TOKEN_EN: Final = re.compile(rf"\n|{QUOTE}|[^\W\d_]+(?:['’-][^\W\d_]+)*|\d+|[^\s\w]")
_CONTRACTION_EN: Final = re.compile(r"\b(it|that|there|here|you)['’](?:s|re)\b")


def tokenize_english(telling: ParsedNarration, facts: NarrationFacts) -> Iterator[NarrationToken]:
    """Yield the tokens of a folded English text; each name is one token."""
    low, start, before = telling.low, 0, ""
    for mention in telling.mentions:
        for token in _tokenize_plain_english(low[start : mention.start], before):
            before = token.text
            yield token
        yield make_name_token(mention, facts)
        start, before = mention.end, mention.name
    yield from _tokenize_plain_english(low[start:], before)


def _tokenize_plain_english(text: str, before: str) -> Iterator[NarrationToken]:
    for found in _TOKEN_EN.findall(_CONTRACTION_EN.sub(r"\1 is", text)):
        yield _make_english_token(found, before)
        before = found


def _make_english_token(text: str, before: str) -> NarrationToken:
    word, words = find_lemma(text), load_words("en")
    if text == QUOTE:
        return NarrationToken(QUOTED_TOKEN, text)
    for kind, marks in (("end", words.ends), ("break", words.breaks), ("it", words.it)):
        if text in marks:
            return NarrationToken(text, text, kind=kind)
    if text in words.you or text in words.they:
        who = YOU_TOKEN if text in words.you else THEY_TOKEN
        return NarrationToken(who, text, person=True, subject=True)
    if text in words.your:
        return NarrationToken(YOU_TOKEN, text)
    if word == "lock" and before in words.articles:
        return NarrationToken(find_lemma("keyhole"), text)
    kinds = {"denials": "denial", "doubts": "doubt", "verbs": "verb", "free": "free"}
    found = (kind for name, kind in kinds.items() if word in getattr(words, name))
    return NarrationToken(word, text, kind=next(found, "word"))


_ENDING_JA: Final = re.compile(
    "(?:っ(?:て|た)|い(?:て|た|で|だ)|ん(?:で|だ)|し(?:て|た)?"
    "|[りるきくけいうえぐぎげすせみむめびぶべちつれに]"
    "|[らかさまばわがたな](?=ない|なかった|なく|ず|な[ければ])|[ろこそもぼお](?=うと))?"
    "(?:ている|ていた|ていて|てい|いる|いた|て|た|る|ました|ます|れば|ると)?"
)
"""Endings of a verb that do not negate it."""
_LOCK_JA: Final = re.compile(
    "鍵(?:が|は|も)?(?P<locked>(?:かか|掛か)っ(?:てい[るた]|ていて|てい|て|た))"
    "|鍵(?:が|は)(?P<undone>開い[たて]|外れ[たて]|開く|外れる)"
    "|鍵を(?P<undo>開け[たてる]?|外し[たて]?|外す)|鍵を(?P<do>かけ[たてる]?|掛け[たてる]?)"
)
"""Phrases in which 鍵 is a lock, not a key."""
_LOCK_WORDS_JA: Final = {
    "locked": "施錠され", "undone": "鍵が開", "undo": "鍵を開け", "do": "鍵をかけ",
}  # fmt: skip
_RUN_JA: Final = re.compile("[一-鿿々〆]+|[ァ-ヺー]+|[ぁ-ゟ]|.", re.DOTALL)


_TABLES_JA: Final = [
    "held",
    "inside",
    "on",
    "closed",
    "open",
    "locked",
    "here",
    "way",
    "person",
    "reaching",
    "reaches",
    "received",
    "receiving",
    "trying",
    "holding_fast",
    "moving",
    "with_a_mark",
]


@cache
def _build_japanese_table() -> dict[str, str]:
    """Return every word of the tables with its kind."""
    words = load_words("ja")
    tables = [getattr(words, name) for name in _TABLES_JA]
    tables += [part for deed in words.deeds.values() for part in deed]
    known = dict.fromkeys(frozenset().union(*tables), "word")
    known |= dict.fromkeys(words.free - words.verbs, "free") | dict.fromkeys(words.verbs, "verb")
    return known | dict.fromkeys(words.denials, "denial") | dict.fromkeys(words.doubts, "doubt")


def tokenize_japanese(
    telling: ParsedNarration, facts: NarrationFacts, more: Iterable[str] = ()
) -> Iterator[NarrationToken]:
    """Yield the tokens of a folded Japanese text.

    `more` are words the viewer has met.
    """
    known = dict.fromkeys((word for word in more if word not in _build_japanese_table()), "word")
    known |= _build_japanese_table()
    lengths = sorted({len(word) for word in known}, reverse=True)
    named = {mention.start: mention for mention in telling.mentions}
    low, place = telling.low, 0
    while place < len(low):
        token, end = _take_japanese_token(low, place, known, lengths, named, facts)
        if token is not None:
            yield token
        place = end


def _take_japanese_token(
    low: str,
    place: int,
    known: dict[str, str],
    lengths: list[int],
    named: dict[int, NameMention],
    facts: NarrationFacts,
) -> tuple[NarrationToken | None, int]:
    lock = _LOCK_JA.match(low, place)
    if lock is not None:
        return NarrationToken(_LOCK_WORDS_JA[lock.lastgroup or ""], lock.group()), lock.end()
    mention = named.get(place)
    if mention is not None:
        return make_name_token(
            mention, facts, subject=_is_subject_marker(low, mention.end)
        ), mention.end
    character = low[place]
    if character.isspace() and character != "\n":
        return None, place + 1
    if character == QUOTE:
        return NarrationToken(QUOTED_TOKEN, character), place + 1
    ends = load_words("ja").ends
    if character in ends or character in load_words("ja").breaks:
        kind = "end" if character in ends else "break"
        return NarrationToken(character, character, kind=kind), place + 1
    if character == "と" and place + 1 in named:
        # A list: the box and the key.
        return NarrationToken(character, character, kind="break"), place + 1
    for length in lengths:
        word = low[place : place + length]
        if word in known:
            return _make_japanese_word(low, place, word, known[word])
    return _take_unknown_japanese(low, place)


def _make_japanese_word(low: str, place: int, word: str, kind: str) -> tuple[NarrationToken, int]:
    end = place + len(word)
    if kind in ("word", "verb"):
        found = _ENDING_JA.match(low, end)
        end = found.end() if found is not None else end
    return NarrationToken(word, low[place:end], kind=kind), end


def _take_unknown_japanese(low: str, place: int) -> tuple[NarrationToken, int]:
    """Take a pronoun, or a word that is in no table."""
    words = load_words("ja")
    for word in sorted((*words.you, *words.they, *words.it), key=len, reverse=True):
        if low.startswith(word, place):
            end = place + len(word)
            if word in words.it:
                return NarrationToken(word, word, kind="it"), end
            who = YOU_TOKEN if word in words.you else THEY_TOKEN
            return NarrationToken(who, word, person=True, subject=_is_subject_marker(low, end)), end
    found = _RUN_JA.match(low, place)
    text = found.group() if found is not None else low[place]
    return NarrationToken(text, text), place + len(text)


def _is_subject_marker(low: str, end: int) -> bool:
    return low[end : end + 1] in ("は", "が", "も")
