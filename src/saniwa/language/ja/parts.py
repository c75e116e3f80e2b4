"""Split the words of a clause at the particles."""

from collections.abc import Iterator

from saniwa.language.ja.clauses import COMMAS, JapanesePart
from saniwa.language.ja.predicate import is_lying
from saniwa.language.ja.tokens import Token
from saniwa.language.lexicon import ja
from saniwa.language.text import PreparedText


def split_parts(heard: PreparedText, tokens: list[Token]) -> Iterator[JapanesePart]:
    """The parts of a clause before its verb; adverbs are no part."""
    held: list[Token] = []
    described = _find_described(tokens)
    read = {tokens[n].start: words for n, words in described.items() if words != tokens[n].text}
    for place, token in enumerate(tokens):
        follows = tokens[place + 1] if place + 1 < len(tokens) else None
        if place in described:
            held.append(token)
            continue
        if token.kind == "particle" and token.text not in ja.GENITIVES:
            yield from _close_part(heard, held, token, read)
            held = []
        elif token.kind == "comma":
            yield JapanesePart(_join_words(heard, held, read), "、")
            held = []
        elif token.kind in ("adverb", "time") and not (follows and follows.text == "の"):
            if held and token.text not in _REASONS:
                yield JapanesePart(_join_words(heard, held, read), "")
            held = []
        else:
            if held and held[-1].kind in ("name", "title") and token.kind == "name":
                yield JapanesePart(_join_words(heard, held, read), "")
                held = []
            held.append(token)
    if held:
        yield JapanesePart(_join_words(heard, held, read), "")


def _find_described(tokens: list[Token]) -> dict[int, str]:
    """The places of the words before a noun that say which one is meant, with their reading.

    Every verb that says where a thing is is read as ある; 手に持った means a thing in hand.
    """
    found: dict[int, str] = {}
    for place, token in enumerate(tokens):
        if token.kind != "verb" or token.form in ("noun", "way") or token.verb is None:
            continue
        back = _find_particle(tokens, place)
        lies = back >= 0 and tokens[back].text in ("に", "で") and is_lying(token)
        held = token.verb.word in ja.HOLDING and not token.marks - {"past", "prog"}
        if lies and _is_in_hand(tokens, back):
            found |= {back - 1: "", back: "", place: "持っている"}
        elif lies:
            found |= {back: "に", place: "ある"}
        elif held and (back < 0 or _is_in_hand(tokens, back)):
            found |= dict.fromkeys(range(max(0, back - 1), place), "") | {place: "持っている"}
        else:
            found |= {place: token.text} | ({back: tokens[back].text} if back >= 0 else {})
        if [t.text for t in tokens[place + 1 : place + 3]] in (["ほう", "の"], ["方", "の"]):
            found |= {place + 1: "", place + 2: ""}
    return found


def _find_particle(tokens: list[Token], place: int) -> int:
    """The place of the particle that belongs to a verb before a noun; -1 if there is none."""
    for back in range(place - 1, -1, -1):
        if tokens[back].kind in ("comma", "verb"):
            break
        if tokens[back].kind == "particle" and tokens[back].text not in ja.GENITIVES:
            return back
    return -1


def _is_in_hand(tokens: list[Token], back: int) -> bool:
    return (
        back > 0
        and tokens[back].text in ("に", "が", "は")
        and (tokens[back - 1].text in ja.HANDS | ja.SELF | {"手元"})
    )


def _close_part(
    heard: PreparedText, held: list[Token], particle: Token, read: dict[int, str]
) -> Iterator[JapanesePart]:
    words, text = _join_words(heard, held, read), particle.text
    if text in _INSTEAD:
        return
    if text in ("のまま", "のままで"):
        yield JapanesePart(words + text, "で")
        return
    if text.startswith(("以外", "のほか", "の他", "抜き", "ぬき")):
        yield JapanesePart(words + "以外", text[-1] if text[-1] in "はを" else "")
    else:
        yield JapanesePart(words, ja.SAME_PARTICLES.get(text, text))


_REASONS = frozenset({"なので", "だから"})
"""Words after a reason, which asks for nothing: 退屈なので庭へ行く."""
_INSTEAD = frozenset(
    {
        "ではなく",
        "じゃなくて",
        "ではなくて",
        "じゃなく",
        "でなく",
        "でなくて",
        "のかわりに",
        "の代わりに",
    }
)
"""Particles after what is not meant."""


def _join_words(heard: PreparedText, tokens: list[Token], read: dict[int, str]) -> str:
    """The words of a noun; those that only describe it as they are read."""
    made, begun = "", -1
    for number, token in enumerate(tokens):
        if begun < 0 and token.start not in read:
            begun = token.start
        if token.start in read:
            made += read[token.start]
            begun = -1
        elif number + 1 == len(tokens) or tokens[number + 1].start in read:
            made += heard.extract_span(begun, token.end)
            begun = -1
    return made.strip(COMMAS)
