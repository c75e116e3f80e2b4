"""Recognise English clauses that take back, correct or narrow what was said before."""

from saniwa.language.en.frames import find_next_verb, is_small_talk, trim_phrase
from saniwa.language.en.parser_state import ParserState, is_deed
from saniwa.language.en.words import (
    EnglishPhrase,
    find_in_reach,
    find_leading_verb,
    is_adverb,
    list_words,
)
from saniwa.language.lexicon.en import SEQUENCES, WORDS
from saniwa.language.parser_context import Claim
from saniwa.world.model import Id


def takes_back(state: ParserState, whole: EnglishPhrase) -> bool:
    """Whether the clause takes back or corrects what was said before it."""
    if not state.has_deed():
        return False
    words = list_words(whole)
    if (
        words in SEQUENCES.retractions
        or words[:2] in SEQUENCES.corrections
        or _is_bare_refusal(words)
    ):
        return True
    if words[:3] in SEQUENCES.second_thoughts:
        return True
    if state.correcting and state.link != "and":
        state.correcting = False
        verb = find_next_verb(whole, state.lexicon)
        return verb is None or (state.verb is not None and verb.kind == state.verb.kind)
    return state.link == "stop" and not state.lexicon.narrated and _is_fragment(state, whole)


def _is_fragment(state: ParserState, whole: EnglishPhrase) -> bool:
    """A sentence that is only a name or "not the milk": it corrects the last one."""
    end = state.now.end - 1 if state.now.end > state.place else state.place
    if state.place < end or state.place > state.now.end or is_small_talk(whole):
        return False
    words = [t.low for t in whole]
    if words[0] == "not":
        return True
    if words[0] in ("with", "using", "from", "in", "on"):
        return bool(find_in_reach(state.lexicon, whole[1:]))
    text = state.extract(trim_phrase(whole, state.lexicon))
    verb = find_next_verb(whole, state.lexicon)
    plain = verb is None and not (state.lexicon.is_way(text) or state.lexicon.is_near(text))
    return plain and bool(state.lexicon.find_matches(text))


def find_narrowed(state: ParserState, whole: EnglishPhrase) -> tuple[Claim, Id] | None:
    """The last claim, and which of its things a clause such as "the brass one" names."""
    last = next(reversed(state.list_claims()), None)
    if last is None or not is_deed(last) or "target" not in last:
        return None
    if state.link in ("then", "and") or find_next_verb(whole, state.lexicon) is not None:
        return None
    meant = {e.id for e in state.lexicon.find_matches(str(last["target"]))}
    text = state.extract(trim_phrase(whole, state.lexicon))
    named = {e.id for e in state.lexicon.find_matches(text)} & meant
    return (last, named.pop()) if len(meant) > 1 and len(named) == 1 else None


def is_halting(state: ParserState, whole: EnglishPhrase) -> bool:
    """“Oh wait”, “no wait”: it is no deed, but corrects the one before."""
    words = list_words(whole)
    begun = len(words) > 1 and state.has_deed()
    return begun and "wait" in words and is_small_talk(_drop_word(whole, "wait"))


def leaves_out(state: ParserState, phrase: EnglishPhrase) -> bool:
    """“Take the glass but not the crate”: what is excluded was not asked for."""
    begun = bool(state.group or state.claims)
    if begun and state.linker == "but" and phrase[0].low in ("leave", "keep"):
        return True
    named = len(phrase) > 1 and find_leading_verb(phrase[1:], state.lexicon) is None
    if not (begun and phrase[0].low == "not" and named):
        return False
    excluded = {e.id for e in find_in_reach(state.lexicon, phrase[1:])}
    last = str(state.list_claims()[-1].get("target", ""))
    meant = {e.id for e in state.lexicon.find_matches(last)}
    if excluded & meant or phrase[-1].low in WORDS.one:
        # "Take the hat, not the straw one": which one is left is not known.
        state.block(phrase)
    return True


def _drop_word(phrase: EnglishPhrase, word: str) -> EnglishPhrase:
    return tuple(token for token in phrase if token.low != word) or phrase


def _is_bare_refusal(words: tuple[str, ...]) -> bool:
    """“Actually no”, “don't”, “no, stop”: it refuses, and says no more."""
    left = [word for word in words if not is_adverb(word)]
    return (WORDS.negating | WORDS.halting).issuperset(left) and not WORDS.negating.isdisjoint(left)
