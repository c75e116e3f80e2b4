"""Recognise English clauses that only express something: “nod”, “take a breath”."""

from saniwa.language.en.clause import EnglishClause
from saniwa.language.en.words import SPEECH, EnglishPhrase, list_words
from saniwa.language.lexicon import en
from saniwa.language.lexicon.en import WORDS


def is_gesture(clause: EnglishClause) -> bool:
    """Whether the clause asks for no deed, but for a gesture."""
    verb, lexicon = clause.verb, clause.lexicon
    if _moves_body(clause) or (
        verb.kind == "take" and (_leads_person(clause) or _takes_bite(clause))
    ):
        return True
    if verb.kind == "gesture":
        return not (verb.word in WORDS.resting and clause.is_placed(clause.split(clause.rest)))
    if not lexicon.narrated:
        return False
    if verb.phrase in WORDS.gazing | WORDS.examining:
        parts = clause.split(clause.rest)
        seen = clause.extract(parts.target)
        closely = verb.phrase in WORDS.examining or any(
            t.low in WORDS.closely for t in parts.manner
        )
        return lexicon.is_person(seen) or not (closely or lexicon.can_see(seen))
    said = " ".join((*verb.phrase.split(), *list_words(clause.rest)))
    return any(said.startswith((g + " ", g + "\0")) or said == g for g in WORDS.narrated_gestures)


def find_second_object(phrase: EnglishPhrase) -> int:
    """Where the second object begins: "give mad hatter the key"; 0 if there is one."""
    return max((n for n, t in enumerate(phrase) if t.low in en.DETERMINERS), default=0)


def _takes_bite(clause: EnglishClause) -> bool:
    """“Takes a big bite”, “has a long sip”, with no word for the food."""
    words = list_words(clause.strip_manner(clause.rest))
    begun = words[:1] in (("a",), ("another",), ("one",))
    return begun and words[-1] in WORDS.bites and not clause.lexicon.is_known(words[-1])


def _leads_person(clause: EnglishClause) -> bool:
    """“Take Ines by the hand”."""
    words = list_words(clause.rest)
    if "by" not in words or words[-1] not in WORDS.body:
        return False
    return clause.lexicon.is_person(clause.extract(clause.rest[: words.index("by")]))


def _moves_body(clause: EnglishClause) -> bool:
    """Whether the object is a body part or a smile, and not the name of a thing."""
    verb, lexicon, rest = clause.verb, clause.lexicon, clause.rest
    looks = verb.kind in ("inspect", "look", "search") and not lexicon.narrated
    if looks or verb.kind in SPEECH or (verb.kind == "wait" and verb.word != "rest"):
        return False
    if WORDS.body.isdisjoint(t.low for t in rest):
        return False
    start = _skip_recipient(clause) if verb.kind == "give" else 0
    target = clause.split(rest[start:]).target
    owned = target and (target[0].low in WORDS.body_owners or target[0].low.endswith("'s"))
    bare = len(target) == 1 and target[0].low in ("feet", "hands", "arms", "eyes", "shoulders")
    mine = len(target) > 1 and target[0].low in en.MINE and target[1].low in WORDS.body
    if not (bare or mine or (owned and target[-1].low in WORDS.body)):
        return False
    if verb.kind == "wait" and target[0].low in ("a", "an"):
        return False
    if mine:
        return not clause.find_in_reach(target[:2])
    return not lexicon.is_known(clause.extract(target))


def _skip_recipient(clause: EnglishClause) -> int:
    """Where the object of "give" begins: "give Pim a smile"."""
    rest = clause.rest
    start = clause.lexicon.count_person_words([t.low for t in rest])
    whose = start and rest[start - 1].low == "her"  # "give her smile": whose, not whom
    if whose and not (len(rest) > start and rest[start].low in WORDS.body_owners):
        start = 0
    return start or find_second_object(clause.split(rest).target)
