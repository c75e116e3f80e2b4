"""Split the words of a clause at the particles, wherever its verb is."""

import re
from collections.abc import Iterator

from saniwa.language.ja.clause_moods import TokenClause, is_command, is_lying
from saniwa.language.ja.clause_roles import JapanesePart
from saniwa.language.ja.nouns import COMMAS, is_noun_known, is_person, split_count
from saniwa.language.ja.tokens import Token
from saniwa.language.lexicon import ja
from saniwa.language.parser_context import ParserContext
from saniwa.language.text import PreparedText


def extract_words(heard: PreparedText, tokens: list[Token]) -> str:
    """The words of the tokens as spoken, without commas around them."""
    return heard.extract_span(tokens[0].start, tokens[-1].end).strip(COMMAS) if tokens else ""


def strip_openers(tokens: list[Token]) -> list[Token]:
    """The tokens without the commas and small words at their beginning."""
    place = 0
    while place < len(tokens) and tokens[place].kind in ("comma", "adverb", "call"):
        place += 1
    return tokens[place:]


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
        if token.kind == "particle" and token.text not in ja.WORDS.genitives:
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
            named = bool(held) and held[-1].kind in ("name", "title") and token.kind == "name"
            if named and token.text not in ja.ALL and split_count(token.text)[0]:
                yield JapanesePart(_join_words(heard, held, read), "")
                held = []
            held.append(token)
    if held:
        yield JapanesePart(_join_words(heard, held, read), "")


def restore_order(
    heard: PreparedText, lexicon: ParserContext, clauses: list[TokenClause], rest: list[Token]
) -> tuple[list[TokenClause], list[Token]]:
    """Put the phrases after the last verb before it: 渡す、傘を is 傘を渡す.

    Nothing is moved if a phrase has no free place in the clause.
    """
    adverbs = [t for t in rest if t.kind == "adverb"]
    phrases = list(_split_phrases([t for t in rest if t.kind not in ("adverb", "call")]))
    if not clauses or not phrases or rest[-1].kind == "comma":
        return clauses, rest
    last = clauses[-1]
    if not is_command(last):
        return clauses, rest
    moved: list[Token] = []
    filled = _list_filled(last.before)
    for phrase in phrases:
        placed, role = _place_phrase(heard, lexicon, last, phrase)
        if role in filled or not role:
            return clauses, rest
        filled.add(role)
        moved = placed + moved if role == "の" else moved + placed
    return [*clauses[:-1], last._replace(before=moved + last.before)], adverbs


def _split_phrases(tokens: list[Token]) -> Iterator[list[Token]]:
    """Nouns, each with the particle after it; commas end a phrase as well."""
    held: list[Token] = []
    for token in tokens:
        apart = bool(held) and token.start > held[-1].end and token.kind == held[-1].kind == "name"
        if apart:
            yield held  # 渡せ 鉄の鍵 料理人
            held = []
        if token.kind != "comma":
            held.append(token)
        ends = token.kind == "particle" and token.text not in ja.WORDS.genitives
        if held and (ends or token.kind == "comma"):
            yield held
            held = []
    if held:
        yield held


_SAME_ROLES = {"へ": "に", "まで": "に", "は": "を", "も": "を", "が": "を"}
_NOUN_KINDS = frozenset({"name", "title", "word"})


def _list_filled(tokens: list[Token]) -> set[str]:
    """The places of a clause that the words before its verb take."""
    filled: set[str] = set()
    for phrase in _split_phrases([t for t in tokens if t.kind != "adverb"]):
        bare = phrase[-1].kind != "particle"
        text = ja.PAIRS.same_particles.get(phrase[-1].text, phrase[-1].text)
        filled.add("を" if bare else _SAME_ROLES.get(text, text))
    return filled


def _place_phrase(
    heard: PreparedText, lexicon: ParserContext, clause: TokenClause, phrase: list[Token]
) -> tuple[list[Token], str]:
    """The phrase as it precedes the verb, and its place; empty if the verb has none for it."""
    asks, end = clause.word.asks, phrase[-1]
    marked = end.kind == "particle"
    nouns = phrase[:-1] if marked else phrase
    goes = clause.word.goes
    text = ja.PAIRS.same_particles.get(end.text, end.text) if marked else "に" if goes else "を"
    role = "に" if text in ("へ", "まで") else text
    words = heard.extract_span(nouns[0].start, nouns[-1].end) if nouns else ""
    words = _CONTRACTED.sub("の中", words)
    plain = all(t.kind in _NOUN_KINDS or t.text in ja.WORDS.genitives for t in nouns)
    if not marked and asks == "give" and is_person(lexicon, words):
        text = role = "に"
    if words in ja.WORDS.self and text in ("は", "が"):
        return [], text
    fits = role in ja.GROUPS.frames.get(asks, ()) and not (
        role in ("から", "で") and (goes or asks == "put")
    )
    if not plain or not fits:
        return [], ""
    place = lexicon.is_way(words) or lexicon.is_near(words)
    known = place if goes else is_noun_known(lexicon, words)
    if not known or (place and role == "に" and not goes):
        return [], ""
    if role == "の":
        return (phrase, "の") if sum(t.kind == "particle" for t in clause.before) < 2 else ([], "")
    return (phrase if marked else [*phrase, Token("particle", end.end, end.end, text)]), role


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
        held = token.verb.word in ja.WORDS.holding and not token.marks - {"past", "prog"}
        if lies and _is_in_hand(tokens, back):
            found |= {back - 1: "", back: "", place: "持っている"}
        elif lies:
            found |= {back: "に", place: "ある"}
        elif back < 0 and is_lying(token) and token.form == "past":
            found |= {place: ""}  # 置いてあった鍵
        elif held and (back < 0 or _is_in_hand(tokens, back)):
            begun = back - 1 if back > 0 else place
            found |= dict.fromkeys(range(begun, place), "") | {place: "持っている"}
        else:
            # カップは赤い方を is カップの赤い方を.
            chosen = [t.text for t in tokens[place + 1 : place + 2]] in (["ほう"], ["方"])
            link = "の" if chosen and tokens[back].text == "は" else tokens[back].text
            found |= {place: token.text} | ({back: link} if back >= 0 else {})
        if [t.text for t in tokens[place + 1 : place + 3]] in (["ほう", "の"], ["方", "の"]):
            found |= {place + 1: "", place + 2: ""}
    return found


def _find_particle(tokens: list[Token], place: int) -> int:
    """The place of the particle that belongs to a verb before a noun; -1 if there is none."""
    for back in range(place - 1, -1, -1):
        if tokens[back].kind in ("comma", "verb"):
            break
        if tokens[back].kind == "particle" and tokens[back].text not in ja.WORDS.genitives:
            return back
    return -1


def _is_in_hand(tokens: list[Token], back: int) -> bool:
    return (
        back > 0
        and tokens[back].text in ("に", "が", "は")
        and (tokens[back - 1].text in ja.WORDS.hands | ja.WORDS.self | {"手元"})
    )


def _close_part(
    heard: PreparedText, held: list[Token], particle: Token, read: dict[int, str]
) -> Iterator[JapanesePart]:
    words, text = _join_words(heard, held, read), particle.text
    if text in ja.WORDS.instead:
        return
    if text in ("のまま", "のままで"):
        yield JapanesePart(words + text, "で")
        return
    if text.startswith(("以外", "のほか", "の他", "抜き", "ぬき")):
        yield JapanesePart(words + "以外", text[-1] if text[-1] in "はを" else "")
    else:
        yield JapanesePart(words, ja.PAIRS.same_particles.get(text, text))


_REASONS = frozenset({"なので", "だから"})
"""Words after a reason, which asks for nothing: 退屈なので庭へ行く."""


def _join_words(heard: PreparedText, tokens: list[Token], read: dict[int, str]) -> str:
    """The words of a noun; those that only describe it as they are read."""
    made, begun = "", -1
    for number, token in enumerate(tokens):
        if begun < 0 and token.start not in read:
            begun = token.start
        if token.start in read:
            made += read[token.start]
            begun = -1
        elif number + 1 == len(tokens) or _is_span_over(tokens[number : number + 2], read):
            made += heard.extract_span(begun, token.end)
            begun = -1
    return _CONTRACTED.sub("の中", made.strip(COMMAS)).replace("の ", "の").replace("の、", "の")


def _is_span_over(pair: list[Token], read: dict[int, str]) -> bool:
    """Whether the words after the first token are elsewhere in the text, or read otherwise."""
    return pair[1].start in read or pair[1].start < pair[0].start


_CONTRACTED = re.compile("(?<![真ま])ん中")
"""かごん中 is かごの中."""


def split_at_commas(tokens: list[Token]) -> Iterator[list[Token]]:
    """The tokens between the commas."""
    piece: list[Token] = []
    for token in tokens:
        if token.kind != "comma":
            piece.append(token)
        elif piece:
            yield piece
            piece = []
    if piece:
        yield piece
