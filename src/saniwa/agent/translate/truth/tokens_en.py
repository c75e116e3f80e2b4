"""English text as tokens."""

import re
from collections.abc import Iterator
from typing import Final

from saniwa.agent.translate.truth.facts import Facts
from saniwa.agent.translate.truth.lemma import lemma
from saniwa.agent.translate.truth.names import Mention, name_token
from saniwa.agent.translate.truth.statements import QUOTED, THEY, YOU, Token
from saniwa.agent.translate.truth.words import en
from saniwa.turn.spoken import QUOTE

_TOKEN: Final = re.compile(rf"\n|{QUOTE}|[^\W\d_]+(?:['’-][^\W\d_]+)*|\d+|[^\s\w]")
_CONTRACTED: Final = re.compile(r"\b(it|that|there|here|you)['’](?:s|re)\b")


def tokens(low: str, mentions: tuple[Mention, ...], facts: Facts) -> Iterator[Token]:
    """The tokens of a folded text, each name as one."""
    start, before = 0, ""
    for mention in mentions:
        for token in _plain(low[start : mention.start], before):
            before = token.text
            yield token
        yield name_token(mention, facts)
        start, before = mention.end, mention.name
    yield from _plain(low[start:], before)


def _plain(text: str, before: str) -> Iterator[Token]:
    for found in _TOKEN.findall(_CONTRACTED.sub(r"\1 is", text)):
        yield _token(found, before)
        before = found


def _token(text: str, before: str) -> Token:
    word = lemma(text)
    if text == QUOTE:
        return Token(QUOTED, text)
    if text in en.ENDS:
        return Token(text, text, kind="end")
    if text in en.BREAKS:
        return Token(text, text, kind="break")
    if text in en.YOU or text in en.THEY:
        who = YOU if text in en.YOU else THEY
        return Token(who, text, person=True, subject=True)
    if text in en.YOUR:
        return Token(YOU, text)
    if text in en.IT:
        return Token(text, text, kind="it")
    if word == "lock" and before in en.ARTICLES:
        return Token(lemma("keyhole"), text)
    return Token(word, text, kind=_kind(word))


def _kind(word: str) -> str:
    if word in en.DENIALS:
        return "denial"
    if word in en.DOUBTS:
        return "doubt"
    if word in en.VERBS:
        return "verb"
    return "free" if word in en.FREE else "word"
