"""Corrections in the middle of an utterance: パンを、じゃなくて牛乳を取る; 東。いや北へ行く.

What follows takes the place of the phrase or of the clause that it corrects; the rest of
the words before it remains.
"""

import re

from saniwa.language.ja.tokens import Token
from saniwa.language.lexicon import ja

_OH = r"(?:[あえおん][っー]?、?\s?)?"
_END = r"(?:よ|わ|な|ね|です|だ|し){0,4}(?:[、,\s]{1,3}|$)"
CORRECTION = re.compile(
    rf"(?<![^、,~\s・—―。.!?])[、,\s]{{0,3}}{_OH}(?:"
    rf"(?:いや(?=[、,\s一-鿿ァ-ヺ])|(?:いや)?(?:やっぱり?|やはり))[、,\s]{{0,3}}{_OH}(?:違う|ちがう|違った)?[、,\s]{{0,3}}"
    rf"|(?:(?:違|ちが)(?:う|った|います|いました)|間違(?:えた|い|えました)|まちがえた|訂正|もとい){_END}"
    rf"|(?:じゃな|ではな|でな)(?:くて|かった|く|い)(?:よ|わ|や)?[、,\s]{{0,3}}"
    rf"|そう(?:じゃ|では)な(?:くて|い){_END})"
)
"""Words that take back what was said just before them."""
_ROLES = {"へ": "に", "まで": "に", "は": "を", "も": "を", "が": "を", "": "を"}


def correct_tokens(said: list[Token], meant: list[Token]) -> list[Token] | None:
    """The words as they are meant; None if it is not clear what is corrected."""
    cut = _find_last_clause(said)
    kept, last = said[:cut], said[cut:]
    if not meant or not last:
        return None
    acts, done = find_deed_index(meant), find_deed_index(last)
    if acts >= 0 and done >= 0:
        same = last[done].verb == meant[acts].verb  # 机に置いて、じゃなくて、棚に置く
        again = _drop_phrases(last[:done], meant[: acts + 1]) if same else []
        return kept + again + meant
    if acts >= 0:
        return kept + _drop_phrases(last, meant) + meant
    if done < 0:
        return kept + _drop_phrases(last, meant) + meant
    roles = _list_roles(meant)
    phrases = _split_phrases(last[:done])
    found = [n for n, phrase in enumerate(phrases) if _find_role(phrase) in roles]
    if len(roles) != 1 or len(found) != 1 or _is_vague(meant, phrases):
        return None
    phrases[found[0]] = [*meant, *phrases[found[0]][-1:]] if _is_bare(meant) else meant
    return kept + [t for phrase in phrases for t in phrase] + last[done:]


def replace_denied(said: list[Token], meant: list[Token]) -> list[Token]:
    """The words as they are meant, if they say first what is not done; else none."""
    cut, denied = _find_last_clause(said), meant[0] if meant else None
    last = next((t for t in reversed(said) if t.verb), None)
    if denied is None or last is None or denied.verb != last.verb or denied.form != "te":
        return []
    anew = _list_roles(meant[1 : find_deed_index(meant[1:]) + 1])
    phrases = _split_phrases(said[cut : said.index(last)])
    kept = [t for p in phrases if _find_role(p) == "を" and "を" not in anew for t in p]
    return said[:cut] + kept + meant[1:] if "neg" in denied.marks else []


def find_deed_index(tokens: list[Token]) -> int:
    """The place of the first verb that is no adjective; -1 if there is none."""
    places = (n for n, t in enumerate(tokens) if t.verb and t.verb.asks not in ("adjective", "be"))
    return next(places, -1)


def _find_last_clause(tokens: list[Token]) -> int:
    """Where the last clause begins: after the last verb that leads to another."""
    links = [n for n, t in enumerate(tokens[:-1]) if t.form in ("te", "stem") and t.verb]
    cut = links[-1] + 1 if links else 0
    return cut if any(t.kind != "comma" for t in tokens[cut:]) else 0


def _split_phrases(tokens: list[Token]) -> list[list[Token]]:
    phrases: list[list[Token]] = [[]]
    for token in tokens:
        if token.kind != "comma":
            phrases[-1].append(token)
        ends = token.kind == "particle" and token.text not in ja.WORDS.genitives
        if phrases[-1] and (ends or token.kind == "comma"):
            phrases.append([])
    return [phrase for phrase in phrases if phrase]


def _is_bare(phrase: list[Token]) -> bool:
    return phrase[-1].kind != "particle"


def _find_role(phrase: list[Token]) -> str:
    text = "" if _is_bare(phrase) else phrase[-1].text
    text = ja.PAIRS.same_particles.get(text, text)
    return _ROLES.get(text, text)


def _list_roles(tokens: list[Token]) -> set[str]:
    return {_find_role(phrase) for phrase in _split_phrases(tokens)}


def _is_vague(meant: list[Token], phrases: list[list[Token]]) -> bool:
    """Whether a noun without a particle may stand for any of several phrases."""
    return _is_bare(meant) and len(phrases) > 1


def _drop_phrases(tokens: list[Token], meant: list[Token]) -> list[Token]:
    """The phrases that are not said anew; the last one is what is corrected."""
    done = find_deed_index(meant)
    roles = _list_roles(meant[:done] if done >= 0 else meant)
    phrases = _split_phrases(tokens)[:-1]
    return [t for phrase in phrases if _find_role(phrase) not in roles for t in phrase]
