"""Find the words that only say how, in what mood or among what something is done.

Body, mind, breath, sounds, light and air: 震える手で, 足音を忍ばせて, 霧が漂う中. None of these
words names anything in the world, so a clause may be obeyed without them.
"""

from collections.abc import Iterator

from saniwa.language.ja.predicate import TokenClause
from saniwa.language.ja.tokens import Token
from saniwa.language.lexicon import ja
from saniwa.language.parser_context import ParserContext

_HEADS = ja.WORDS.manner_nouns.union(ja.LISTS.manner_heads)
_INNER = _HEADS | ja.WORDS.body | ja.WORDS.inner
_AMONG = frozenset({"中", "なか", "中で", "最中"})
_LINKING = frozenset({"te", "stem", "while"})
_NOUNS = frozenset({"name", "word", "title"})
_COUNTS = ja.WORDS.single | {"ひとつ", "一度"}
_LIKENESS = frozenset({"よう", "ように", "ような", "そうな", "みたいな", "そう", "な"})


def drop_circumstances(lexicon: ParserContext, tokens: list[Token]) -> list[Token]:
    """The tokens without phrases of manner and surroundings: 祈るような気持ちで, 風が吹く中、."""
    made: list[Token] = []
    for token in tokens:
        start = len(made)
        if token.text in ("で", "でもって") and made and _is_inner(lexicon, made[-1], _HEADS):
            start = _find_start(lexicon, made)
        elif token.verb and token.verb.asks == "think" and [t.text for t in made[-1:]] == ["と"]:
            start = 0 if token.form in _LINKING and token is not tokens[-1] else start
        elif token.kind == "comma" or token.text in ("で", "を"):
            start = _find_surroundings(lexicon, made)
        elif token.text == "つまり" and made:
            start = _find_phrase(made)
        if start == len(made):
            made.append(token)
        else:
            del made[start:]
    return made


def is_circumstance(lexicon: ParserContext, clause: TokenClause) -> bool:
    """Whether the clause only says how the next is done: 音を立てぬよう, 霧に誘われて, 息を切らし."""
    verb = clause.verb
    led = "passive" in verb.marks and "neg" not in verb.marks
    if led and (verb.form == "te" or clause.has_tail("state")):
        return True
    if any(t.text in ("よう", "ように") for t in clause.tails[-1:]):
        return True
    if clause.has_tail("state"):
        return clause.word.asks == "gesture" or is_inner(lexicon, clause)
    if verb.form not in _LINKING or (clause.tails and not clause.has_tail("reason")):
        return False
    # 雨がやんでから is another time.
    later = verb.text.endswith("から") and any(t.text == "が" for t in clause.before)
    return not later and is_inner(lexicon, clause)


def is_inner(lexicon: ParserContext, clause: TokenClause) -> bool:
    """Whether the clause is only about body, mind, sound or light: ため息をつく."""
    heads = [(head, p) for head, p in _list_heads(clause.before) if head.text not in _COUNTS]
    heads = [(head, p) for head, p in heads if p not in ("は", "も") or head.text not in ja.SELF]
    noun, has_object, _ = clause.word.word.partition("を")  # 足を引きずる
    moved = [particle for _, particle in heads if particle != "で"]
    if has_object and noun in _INNER and not lexicon.can_see(noun):
        moved.append("を")
    return bool(moved) and all(_is_inner(lexicon, head, _INNER) for head, _ in heads)


def _list_heads(tokens: list[Token]) -> Iterator[tuple[Token, str]]:
    """The last noun of each phrase, with the particle after it."""
    for place, token in enumerate(tokens):
        follows = tokens[place + 1] if place + 1 < len(tokens) else None
        inside = follows is not None and (
            follows.kind in _NOUNS or follows.text in ja.WORDS.genitives | {"な"}
        )
        if token.kind in _NOUNS and not inside:
            yield token, follows.text if follows and follows.kind == "particle" else ""


def _is_inner(lexicon: ParserContext, token: Token, words: frozenset[str]) -> bool:
    """Whether the word is one of these, and the name of nothing here."""
    known = token.kind in _NOUNS and token.text in words
    return known and not lexicon.can_see(token.text)


def _find_start(lexicon: ParserContext, tokens: list[Token]) -> int:
    """Where a phrase of manner that ends here begins: the words that describe its noun."""
    place = len(tokens) - 1
    while place > 0:
        token = tokens[place - 1]
        if token.text == "の":
            pass
        elif token.kind == "verb":
            if token.form not in ("plain", "past"):
                break
        elif token.kind == "particle":
            # The object of the verb that describes the noun, and not of the one after it.
            if place < 2 or not _is_inner(lexicon, tokens[place - 2], _INNER):
                break
        elif token.kind in _NOUNS:
            linked = tokens[place].kind == "particle" or token.text in _INNER
            linked = linked or tokens[place].text == "な" or token.text[-1] in "たるいうくすつむ"
            if not linked or (tokens[place].text != "の" and lexicon.is_known(token.text)):
                break
        elif token.kind != "tail" or token.text not in _LIKENESS:
            break
        place -= 1
    return place


def _find_surroundings(lexicon: ParserContext, tokens: list[Token]) -> int:
    """Where 風が吹く中 or 雨の中 begins, if the tokens end in it; else their number."""
    end = len(tokens)
    if end < 3 or tokens[-1].text not in _AMONG:
        return end
    before = tokens[-2]
    if before.text == "の":
        noun = tokens[-3]
        return end - 3 if noun.text in _INNER and not lexicon.is_known(noun.text) else end
    if before.kind != "verb" or before.form not in ("plain", "past"):
        return end
    start = end - 2
    while start > 0 and tokens[start - 1].kind not in ("comma", "verb", "quote"):
        start -= 1
    subject = any(t.text in ("が", "の", "も") for t in tokens[start : end - 2])
    return start if subject else end


def _find_phrase(tokens: list[Token]) -> int:
    """Where a noun begins that another one explains: 鶴の絵の襖、つまり押し入れを開ける."""
    start = len(tokens)
    while start > 0 and (
        tokens[start - 1].kind in (*_NOUNS, "comma") or tokens[start - 1].text == "の"
    ):
        start -= 1
    return start
