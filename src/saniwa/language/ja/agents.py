"""Find who does what a Japanese sentence tells of, where it is another than the speaker."""

from collections.abc import Iterable
from itertools import pairwise

from saniwa.language.ja.clause_moods import TokenClause
from saniwa.language.ja.tokens import Token
from saniwa.language.lexicon import ja
from saniwa.language.name_match import strip_honorific
from saniwa.language.parser_context import ParserContext
from saniwa.language.text import fold_text

_LEADING = frozenset({"te", "stem", "while"})
_TELLING = frozenset({"be", "exist", "think"})
_OWN_ACTS = frozenset({"gesture", "speak", "think", "unknown", "unlisted"})
"""What a person does who is named with は, which after a deed may also mark an object."""


def has_subject(lexicon: ParserContext, clause: TokenClause, particles: str) -> bool:
    """Whether another person is the subject, with one of these particles."""
    return bool(_find_subject(lexicon, clause.before, particles))


def is_other(lexicon: ParserContext, words: str) -> bool:
    """Whether the words mean another person or an animal."""
    named = {fold_text(words), strip_honorific(fold_text(words))}
    if not named.isdisjoint(ja.SELF | lexicon.own_names):
        return False
    return any(map(lexicon.is_person, named)) or not named.isdisjoint(ja.WORDS.beings)


def _find_subject(lexicon: ParserContext, tokens: list[Token], particles: str) -> str:
    for token, follows in pairwise(tokens):
        words = lexicon.heard.low[token.start : token.end]
        if follows.text in particles and (token.kind == "title" or is_other(lexicon, words)):
            return words
    return ""


def find_agent(lexicon: ParserContext, clauses: list[TokenClause]) -> str:
    """Who else does all that the clauses tell of: ナナは笑って、パンを食べる.

    Empty if the speaker may be meant: ナナは放っておいて庭へ行く, ナナが泣くので戸棚を開ける.
    """
    for number, clause in enumerate(clauses[:-1]):
        later = clauses[number + 1 :]
        asked = _find_asked(lexicon, clause)
        if asked:
            return asked
        if clause.verb.form not in _LEADING or clause.tails or _names_speaker(lexicon, later):
            continue
        who = _find_subject(lexicon, clause.before, "が")
        topic = _find_subject(lexicon, clause.before, "はも")
        alone = clause.word.asks == "gesture" or clause.verb.form == "while"
        if who or (topic and (alone or "を" in _list_texts(clause))):
            return who or topic
    return _find_last_agent(lexicon, clauses)


def _find_last_agent(lexicon: ParserContext, clauses: list[TokenClause]) -> str:
    """Who else does all, if only the last clause names them: パンを食べて、ナナが笑う."""
    last, led = clauses[-1:], clauses[-2:-1]
    if not led or last[0].tails or last[0].verb.form not in ("plain", "te", "stem"):
        return ""
    said = last[0].before
    described = max((n for n, t in enumerate(said) if t.verb or t.text == "な"), default=-1)
    who = _find_subject(lexicon, said, "が")
    if last[0].verb.form != "plain":  # 鍵を取る、ナナが笑って
        return who if described < 0 and "を" not in _list_texts(last[0]) else ""
    chained = led[0].verb.form in _LEADING and not led[0].tails
    if not chained or described >= 0 or _names_speaker(lexicon, clauses):
        return ""
    acts = last[0].word.asks in _OWN_ACTS and not last[0].verb.marks - {"polite"}
    return who or (_find_subject(lexicon, said, "は") if acts else "")


def drop_descriptions(lexicon: ParserContext, tokens: list[Token]) -> list[Token]:
    """The tokens without what a person does who is named after it: パンを食べて笑うナナを見る."""
    for place, (token, verb) in enumerate(pairwise(tokens)):
        whom = place + 2
        while whom < len(tokens) and tokens[whom].verb:
            whom += 1  # 立っている
        told = token.verb and token.form in _LEADING and verb.verb and verb.form == "plain"
        if not told or whom >= len(tokens) - 1 or tokens[whom - 1].form != "plain":
            continue
        gives = any(t.verb and t.verb.asks in ("give", "put") for t in tokens[whom:])
        if gives and all(t.text != "を" for t in tokens[whom:]):
            continue  # 手紙を取って泣いているナナに渡す
        if tokens[whom].kind in ("name", "word") and is_other(
            lexicon, lexicon.heard.low[tokens[whom].start : tokens[whom].end]
        ):
            commas = (n + 1 for n in range(place) if tokens[n].kind == "comma")
            return tokens[: max(commas, default=0)] + tokens[whom:]
    return tokens


def _list_texts(clause: TokenClause) -> list[str]:
    return [*(t.text for t in clause.before), *clause.word.word]


def _find_asked(lexicon: ParserContext, clause: TokenClause) -> str:
    """Who is asked or made to do what follows: ナナに頼んで手紙を取る."""
    asks = (
        "に"
        if clause.word.word in ja.WORDS.asking
        else "を"
        if clause.word.word in ja.WORDS.using
        else ""
    )
    led = asks and clause.verb.form == "te" and not clause.tails
    return _find_subject(lexicon, clause.before, asks) if led else ""


def find_told_agent(lexicon: ParserContext, clauses: list[TokenClause]) -> str:
    """Who else does what a whole sentence tells of, in the present tense: 千代が立ち上がる."""
    last = clauses[-1] if clauses else None
    told = last is not None and last.verb.form == "plain" and last.verb.marks <= {"polite"}
    if last is None or not told or last.tails or last.word.asks in _TELLING:
        return ""
    if any(t.text == "が" for clause in clauses[1:] for t in clause.before):
        return ""  # 千代が寒そうで、胸が痛む
    described = last.word.asks == "adjective"
    return _find_subject(lexicon, clauses[0].before, "はの" if described else "がは")


def _names_speaker(lexicon: ParserContext, clauses: Iterable[TokenClause]) -> bool:
    """Whether the speaker is a subject of one of the clauses."""
    for clause in clauses:
        for token, follows in pairwise(clause.before):
            words = lexicon.heard.low[token.start : token.end]
            own = token.text in ja.SELF or words in lexicon.own_names
            if own and follows.text in ja.WORDS.subjects:
                return True
    return False
