"""Read a clause about what is already so: "after taking the key", "once you have it".

Written instructions open with what was done before. Such a clause is checked against the
world: if it holds, what follows it is asked for now; if not, it is a condition.
"""

from saniwa.language.en.words import EnglishPhrase, find_leading_verb, list_words, restore_stem
from saniwa.language.lexicon import en
from saniwa.language.lexicon.tables import PhraseTable
from saniwa.language.parser_context import ParserContext
from saniwa.language.text import PreparedText
from saniwa.world.model import Entity, Id

_OPENINGS = PhraseTable(en.DONE)


def is_already_so(heard: PreparedText, lexicon: ParserContext, clause: EnglishPhrase) -> bool:
    """Whether the clause tells of a deed whose result can be seen."""
    words = list_words(clause)
    length = _OPENINGS.count(words)
    if not 0 < length < len(clause):
        return False
    kind, noun = _read_deed(clause[length:])
    text = heard.extract_span(noun[0].start, noun[-1].end) if noun else ""
    found = lexicon.find_matches(text) if text else ()
    return len(found) == 1 and _is_result(kind, found[0], lexicon.actor)


def _read_deed(phrase: EnglishPhrase) -> tuple[str, EnglishPhrase]:
    """The kind of the deed and its object; a bare noun is something that one has."""
    stem = restore_stem(phrase[0].low)
    told = (phrase[0]._replace(low=stem), *phrase[1:]) if stem else phrase
    verb = find_leading_verb(told, {})
    if verb is None:
        return "take", phrase
    return verb.kind, phrase[verb.length :]


def _is_result(kind: str, thing: Entity, actor: Id) -> bool:
    """Whether the thing is as the deed leaves it."""
    if kind in ("take", "search"):
        return thing.place == actor
    return {
        "open": thing.open and not thing.locked,
        "close": thing.openable and not thing.open,
        "unlock": bool(thing.required_key) and not thing.locked,
        "lock": thing.locked,
        "drop": thing.place != actor,
    }.get(kind, False)
