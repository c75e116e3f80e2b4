"""Japanese text as tokens: the longest word first that fits."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final

from saniwa.agent.translate.truth.facts import Facts
from saniwa.agent.translate.truth.names import Mention, name_token
from saniwa.agent.translate.truth.statements import QUOTED, THEY, YOU, Token
from saniwa.agent.translate.truth.words import ja
from saniwa.turn.spoken import QUOTE

_ENDING: Final = re.compile(
    "(?:っ(?:て|た)|い(?:て|た|で|だ)|ん(?:で|だ)|し(?:て|た)?"
    "|[りるきくけいうえぐぎげすせみむめびぶべちつれに]"
    "|[らかさまばわがたな](?=ない|なかった|なく|ず|な[ければ])|[ろこそもぼお](?=うと))?"
    "(?:ている|ていた|ていて|てい|いる|いた|て|た|る|ました|ます|れば|ると)?"
)
"""What may follow the stem of a verb and denies nothing."""
_LOCK: Final = re.compile(
    "鍵(?:が|は|も)?(?P<locked>(?:かか|掛か)っ(?:てい[るた]|ていて|てい|て|た))"
    "|鍵(?:が|は)(?P<undone>開い[たて]|外れ[たて]|開く|外れる)"
    "|鍵を(?P<undo>開け[たてる]?|外し[たて]?|外す)|鍵を(?P<do>かけ[たてる]?|掛け[たてる]?)"
)
"""Where 鍵 is a lock, and no key."""
_LOCKS: Final = {
    "locked": "施錠され", "undone": "鍵が開", "undo": "鍵を開け", "do": "鍵をかけ",
}  # fmt: skip
_RUN: Final = re.compile("[一-鿿々〆]+|[ァ-ヺー]+|[ぁ-ゟ]|.", re.DOTALL)


@cache
def _known() -> dict[str, str]:
    """Every word of the tables, with its kind."""
    known: dict[str, str] = {}
    tables = (
        ja.HELD, ja.INSIDE, ja.ON, ja.CLOSED, ja.OPEN, ja.LOCKED, ja.HERE, ja.WAY,
        ja.PERSON, ja.REACHING, ja.REACHES, ja.RECEIVED, ja.RECEIVING, ja.TRYING,
        ja.HOLDING_FAST, ja.MOVING, ja.WITH_A_MARK,
        *(part for deed in ja.DEEDS.values() for part in deed),
    )  # fmt: skip
    for table in tables:
        known |= dict.fromkeys(table, "word")
    known |= dict.fromkeys(ja.FREE - ja.VERBS, "free")
    known |= dict.fromkeys(ja.VERBS, "verb")
    known |= dict.fromkeys(ja.DENIALS, "denial") | dict.fromkeys(ja.DOUBTS, "doubt")
    return known


def tokens(
    low: str, mentions: tuple[Mention, ...], facts: Facts, more: Iterable[str] = ()
) -> Iterator[Token]:
    """The tokens of a folded text; `more` are words of what the viewer has met."""
    known = dict.fromkeys((word for word in more if word not in _known()), "word")
    known |= _known()
    lengths = sorted({len(word) for word in known}, reverse=True)
    named = {mention.start: mention for mention in mentions}
    place = 0
    while place < len(low):
        token, end = _next(low, place, known, lengths, named, facts)
        if token is not None:
            yield token
        place = end


def _next(
    low: str,
    place: int,
    known: dict[str, str],
    lengths: list[int],
    named: dict[int, Mention],
    facts: Facts,
) -> tuple[Token | None, int]:
    lock = _LOCK.match(low, place)
    if lock is not None:
        return Token(_LOCKS[lock.lastgroup or ""], lock.group()), lock.end()
    mention = named.get(place)
    if mention is not None:
        return name_token(mention, facts, subject=_acts(low, mention.end)), mention.end
    letter = low[place]
    if letter.isspace() and letter != "\n":
        return None, place + 1
    if letter == QUOTE:
        return Token(QUOTED, letter), place + 1
    if letter in ja.ENDS or letter in ja.BREAKS:
        kind = "end" if letter in ja.ENDS else "break"
        return Token(letter, letter, kind=kind), place + 1
    if letter == "と" and place + 1 in named:
        # A list: the box and the key.
        return Token(letter, letter, kind="break"), place + 1
    for length in lengths:
        word = low[place : place + length]
        if word in known:
            return _word(low, place, word, known[word])
    return _other(low, place)


def _word(low: str, place: int, word: str, kind: str) -> tuple[Token, int]:
    end = place + len(word)
    if kind in ("word", "verb"):
        found = _ENDING.match(low, end)
        end = found.end() if found is not None else end
    return Token(word, low[place:end], kind=kind), end


def _other(low: str, place: int) -> tuple[Token, int]:
    """Somebody who is not named, or a word in no table."""
    for word in sorted((*ja.YOU, *ja.THEY, *ja.IT), key=len, reverse=True):
        if low.startswith(word, place):
            end = place + len(word)
            if word in ja.IT:
                return Token(word, word, kind="it"), end
            who = YOU if word in ja.YOU else THEY
            return Token(who, word, person=True, subject=_acts(low, end)), end
    found = _RUN.match(low, place)
    text = found.group() if found is not None else low[place]
    return Token(text, text), place + len(text)


def _acts(low: str, end: int) -> bool:
    return low[end : end + 1] in ("は", "が", "も")
