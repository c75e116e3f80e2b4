"""Split the words of a clause at the particles."""

from collections.abc import Iterator

from saniwa.language.ja.clauses import COMMAS, JapanesePart
from saniwa.language.ja.tokens import Token
from saniwa.language.lexicon import ja
from saniwa.language.text import PreparedText


def split_parts(heard: PreparedText, tokens: list[Token]) -> Iterator[JapanesePart]:
    """The parts of a clause before its verb; adverbs are no part."""
    held: list[Token] = []
    described = _find_described(tokens)
    for place, token in enumerate(tokens):
        follows = tokens[place + 1] if place + 1 < len(tokens) else None
        if place in described:
            held.append(token)
            continue
        if token.kind == "particle" and token.text not in ja.GENITIVES:
            yield from _close_part(heard, held, token)
            held = []
        elif token.kind == "comma":
            yield JapanesePart(_join_words(heard, held), "、")
            held = []
        elif token.kind in ("adverb", "time") and not (follows and follows.text == "の"):
            if held:
                yield JapanesePart(_join_words(heard, held), "")
            held = []
        else:
            if held and held[-1].kind in ("name", "title") and token.kind == "name":
                yield JapanesePart(_join_words(heard, held), "")
                held = []
            held.append(token)
    if held:
        yield JapanesePart(_join_words(heard, held), "")


def _find_described(tokens: list[Token]) -> set[int]:
    """The places of the particles that belong to a verb before a noun: に in 机にある本."""
    found: set[int] = set()
    for place, token in enumerate(tokens):
        if token.kind != "verb" or token.form in ("noun", "way"):
            continue
        found.add(place)
        for back in range(place - 1, -1, -1):
            if tokens[back].kind in ("comma", "verb"):
                break
            if tokens[back].kind == "particle" and tokens[back].text not in ja.GENITIVES:
                found.add(back)
                break
    return found


def _close_part(heard: PreparedText, held: list[Token], particle: Token) -> Iterator[JapanesePart]:
    words, text = _join_words(heard, held), particle.text
    if text in _INSTEAD:
        return
    if text.startswith(("以外", "のほか", "の他")):
        yield JapanesePart(words + "以外", text[-1] if text[-1] in "はを" else "")
    else:
        yield JapanesePart(words, ja.SAME_PARTICLES.get(text, text))


_INSTEAD = frozenset({"ではなく", "じゃなくて", "ではなくて", "じゃなく"})
"""Particles after what is not meant."""


def _join_words(heard: PreparedText, tokens: list[Token]) -> str:
    if not tokens:
        return ""
    return heard.extract_span(tokens[0].start, tokens[-1].end).strip(COMMAS)
