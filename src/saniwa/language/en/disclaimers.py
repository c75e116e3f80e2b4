"""Find what inside a sentence shows that its deed is not done, although it looks asked for.

“Take it, says Pim” is another's, "I take it, so I imagine" a thought, "I take it, but my
hands won't move" undone, "in my thoughts I take it" imagined.
"""

from saniwa.language.en.addressees import is_bare_order
from saniwa.language.en.request_wording import find_next_verb
from saniwa.language.en.words import (
    FIRST_PERSON,
    THIRD_PERSONS,
    EnglishPhrase,
    classify_link,
    find_in_reach,
    list_words,
)
from saniwa.language.lexicon import en
from saniwa.language.lexicon.en import SEQUENCES, WORDS
from saniwa.language.mood import COMMAND, SentenceMood
from saniwa.language.parser_context import ParserContext

_LONGEST_SUBJECT = 4
_LONGEST_CLAUSE = 24
_LONGEST_SEARCH = 120
_QUOTED = frozenset(map(en.to_third_person, WORDS.quoting))
_TOLD = WORDS.quoting | _QUOTED | WORDS.quoted_past
_SOMEBODY = en.DETERMINERS | {"something", "someone", "somebody", "nobody", "everyone", "everybody"}
_AFTER_TAG = frozenset({",", "and", "but", "to", "at", "me", "myself", "us", "aloud"})
_WRITTEN = frozenset({"in", "on", "into"})
_EVEN = frozenset({"but", "although", "though", "even", "yet", "however", "to", "be", "honest"})
_UNABLE = frozenset({"won't", "can't", "cannot", "don't", "doesn't", "refuse", "refuses"})
_NOT = _UNABLE | {"never", "couldn't", "wouldn't", "didn't", "not"}
_UNDOING = frozenset({"reach", "dare", "move", "manage", "do", "bother", "will"})
_THOUGHT = frozenset({"should", "might", "could", "would"})
_IMPOSSIBLE = frozenset({"in", "for", "with", "on", "over"})


def find_disclaimer(said: EnglishPhrase, lexicon: ParserContext) -> SentenceMood:
    """The mood of a sentence whose deed is another's words, a thought or undone, else a command."""
    low = [t.low for t in said]
    sign = _find_phrase(said, lexicon)
    if sign:
        return SentenceMood("hypothesis", sign)
    if _is_opinion(low):
        return SentenceMood("statement", "take")
    quotes = said[0].low in THIRD_PERSONS or said[0].low in lexicon.own_names
    ordered = is_bare_order(said) or said[0].low in en.DIRECTIONS
    for place in range(min(len(said), _LONGEST_SEARCH)):
        after = said[place : place + _LONGEST_CLAUSE]
        starts = not place or said[place - 1].kind == "comma"
        sign = _find_so_tag(after, lexicon) if place else ""
        if starts and place:
            told = quotes or (place > 1 and said[place - 2].kind == "quote")
            sign = sign or ("" if told else _find_tag(after, lexicon, ordered=ordered))
            sign = sign or _find_undoing(low[place : place + _LONGEST_CLAUSE])
        if sign:
            return SentenceMood("statement", sign)
        if starts and _is_denied(after, lexicon):
            return SentenceMood("prohibition", "not")
        if starts and _is_supposed(low[place : place + _LONGEST_CLAUSE], inside=place > 0):
            return SentenceMood("condition", "had")
    return COMMAND


def _find_phrase(said: EnglishPhrase, lexicon: ParserContext) -> str:
    """“For the sake of argument”, "in my head" after a thing; “never mind” at the end."""
    words = list_words(said)
    for place in range(len(words)):
        length = SEQUENCES.disclaimers.count(words, place)
        inner = 0 if length else SEQUENCES.inner_places.count(words, place)
        if inner and (not place or said[place - 1].kind == "comma"):
            length = inner
        if inner and not length and find_in_reach(lexicon, said[max(0, place - 2) : place]):
            length = inner  # "I take the ball in my head", but not "a song in my head"
        if length:
            return " ".join(words[place : place + length])
    ended = " ".join(words[-2:])
    return ended if ended in _ENDINGS and len(words) > 2 and said[-3].kind != "comma" else ""


_ENDINGS = frozenset({"never mind", "now then"})  # "now and then" is one word shorter here


def _is_opinion(low: list[str]) -> bool:
    """“I take the key to be silver”, "I take it to mean that"."""
    if "take" not in low[:3] or "to" not in low:
        return False
    place = low.index("to")
    after = (*low[place + 1 : place + 3], "", "")
    return (
        after[0] in ("be", "mean") and after[1] not in WORDS.aimed_states and "," not in low[:place]
    )


def _find_tag(said: EnglishPhrase, lexicon: ParserContext, *, ordered: bool) -> str:
    """Who says the words before: "says Pim", "I tell Pim", "the sign says"; else empty."""
    low = [t.low for t in said]
    if low[:2] == ["according", "to"]:
        return "according to"
    start = int(low[0] in ("thus", "so"))
    if low[start : start + 1] and low[start] in _QUOTED and low[start + 1 : start + 2]:
        named = low[start + 1] in _SOMEBODY or lexicon.count_person_words(low[start + 1 :])
        return low[start] if named else ""
    if not ordered or len(low) < 2:
        return ""
    return _find_own_tag(low, lexicon) if low[0] in FIRST_PERSON else _find_other_tag(low, lexicon)


def _find_own_tag(low: list[str], lexicon: ParserContext) -> str:
    """“I tell Pim”, “I hum”, “I write in the book”, but not "I think" or "I say hello"."""
    if low[1] not in WORDS.quoting or (low[1] == "think" and low[2:] != ["to", "myself"]):
        return ""
    place = 2 + lexicon.count_person_words(low[2:])
    follows = "".join(low[place : place + 1])
    return low[1] if not follows or follows in _AFTER_TAG | _WRITTEN else ""


def _find_other_tag(low: list[str], lexicon: ParserContext) -> str:
    """“The sign says”, “so the song goes”, “my gut tells me”."""
    start = int(low[0] in ("so", "as"))
    if low[start] not in en.DETERMINERS and not lexicon.count_person_words(low[start:]):
        return ""
    for place in range(start + 1, min(len(low), start + _LONGEST_SUBJECT)):
        ends = low[place + 1 : place + 2]
        goes = start and low[place] in ("goes", "go")
        if (low[place] in _TOLD or goes) and (not ends or ends[0] in _AFTER_TAG):
            return low[place]
    return ""


def _find_so_tag(said: EnglishPhrase, lexicon: ParserContext) -> str:
    """“So I imagine”, “so it seems to Pim”, “so the plan goes”: no purpose of the deed."""
    low = [t.low for t in said[: _LONGEST_SUBJECT + 5]]
    if low[0] != "so" or len(low) < 3 or low[1] in _QUOTED:
        return ""
    place = 2 if low[1] in ("i", "we", "i'd", "it", "he", "she", "they") else 1
    place = 3 if low[1] in en.DETERMINERS else place
    place = max(place, 1 + lexicon.count_person_words(low[1:]))
    place += 2 * (low[place : place + 2] == ["like", "to"])
    verb, ends = "".join(low[place : place + 1]), low[place + 1 : place + 2]
    told = verb in WORDS.supposing_verbs or (low[1] in en.DETERMINERS and verb in ("goes", "go"))
    return f"so {verb}" if told and (not ends or ends[0] in (",", "to")) and place > 1 else ""


def is_disclaiming(said: EnglishPhrase, lexicon: ParserContext) -> bool:
    """“So says Pim”, “that was yesterday”, “Pim does it instead”: it disclaims the deed before."""
    low = [t.low for t in said if t.kind != "comma"]
    if not low:
        return False
    if find_next_verb(said, lexicon) is None and _find_phrase(said, lexicon):
        return True
    if SEQUENCES.leave_asked.count(tuple(low)) == len(low) or low[-2:] == ["that", "is"]:
        return True
    pointed = low[:2] in (["that", "was"], ["it", "was"], ["this", "was"])
    if (pointed and low[2] in _BYGONE) or _is_of_others(low):
        return True
    named = lexicon.count_person_words(low)
    if named and (low[-1] in ("instead", "first") or low[-3:] == ["me", "to", "it"]):
        return True
    return _is_attribution(said, lexicon)


_BYGONE = frozenset({"ago", "before", "earlier", "last", "long", "once", "then", "yesterday"})
_BEING = frozenset({"is", "was", "were"})
_RECITED = frozenset({"song", "poem", "line", "rhyme", "verse", "story", "scene"})


def _is_of_others(low: list[str]) -> bool:
    """“That's what Pim does”, “those were Pim's words”, “I love that song”."""
    if low[-2:-1] in (["that"], ["this"]) and low[-1] in _RECITED:
        return True
    pointed = low[0] in ("that", "this", "those", "these") and low[1:2] != [] and low[1] in _BEING
    place = 2 if pointed else int(low[0] in ("that's", "thats"))
    rest = low[place:] if place else []
    told = rest[:1] in (["what"], ["how"]) and len(rest) > 1 and not rest[1].startswith("i")
    return told or (bool(rest) and not WORDS.disowning.isdisjoint(rest))


def _is_attribution(said: EnglishPhrase, lexicon: ParserContext) -> bool:
    """“So says Pim”, “so Pim said”: whose words the sentence before was."""
    low = [t.low for t in said]
    told = low[0] in ("so", "thus") and len(low) > 2
    named = told and low[1] in _QUOTED and lexicon.count_person_words(low[2:])
    return bool(named or (told and _find_so_tag(said, lexicon)))


def _find_undoing(low: list[str]) -> str:
    """“But my hands won't move”, “though I'd never dare”, “as nobody does”, “which would be wrong”."""
    end = low.index(",") if "," in low else len(low)
    whole = low[:end]
    if not whole:
        return ""
    if whole[:2] in (["which", "would"], ["except", "that"]) or whole[:3] == ["not", "that", "i"]:
        return " ".join(whole[:2])
    if whole[:3] == ["which", "is", "what"] and FIRST_PERSON.isdisjoint(whole):
        return "which is what"
    if whole[0] == "as" and (whole[-1] in _THOUGHT or whole[1:2] in (["nobody"], ["none"])):
        return " ".join(whole[:2])
    place = next((n for n, word in enumerate(whole) if word not in _EVEN), end)
    rest = whole[place:] or low[end + 1 :]
    return _find_inability(rest, opened=place > 0) if rest else ""


def _find_inability(rest: list[str], *, opened: bool) -> str:
    no = next((n for n, word in enumerate(rest) if word in _NOT), 0)
    after = (*rest[no + 1 : no + 3], "", "")
    if not no or (not opened and rest[0] in FIRST_PERSON):
        return ""
    if after[0] == "let" and after[1] in ("me", "us"):
        return f"{rest[no]} let"
    if rest[0] in en.MINE and rest[no] in _UNABLE and after[0] not in ("stop", "be"):
        return f"{rest[0]} {rest[1]} {rest[no]}"
    own = rest[0] in ("i", "i'd", "we", "we'd") and no < 3
    wants = after == ("want", "to", "", "")[:2] + after[2:] and len(rest) == no + 3
    undone = not after[0] or after[0] in _UNDOING or wants
    return rest[no] if own and undone else ""


def _is_denied(said: EnglishPhrase, lexicon: ParserContext) -> bool:
    """“Not in a million years”, “not with Pim here”, but not "not in the box"."""
    low = [t.low for t in said]
    if low[0] != "not" or "".join(low[1:2]) not in _IMPOSSIBLE:
        return False
    stop = next((n for n in range(1, len(said)) if classify_link(said[n])), len(said))
    found = find_in_reach(lexicon, said[2:stop]) if stop > 2 else ()
    return all(e.kind == "character" for e in found)


def _is_supposed(low: list[str], *, inside: bool) -> bool:
    """“Had Pim not stopped me”: a condition without "if"."""
    return low[0] == "had" and (inside or "," in low) and "not" in low[2:6]
