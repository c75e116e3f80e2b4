"""Tell what a sentence does to the deed that was asked for before it, or after it.

“Take the key. I changed my mind.” asks for nothing, and neither do "Take it. If she
agrees." and "Imagine this. I take it."; "Take it. I'm cold." does. A sentence is about the
deed if it means it ("I won't", "do that", "that's wrong"), or if it is only a condition or
a time. Whom a sentence speaks to is in `addressees`.
"""

from itertools import pairwise

from saniwa.language.en.addressees import is_bare_order
from saniwa.language.en.request_wording import count_filler, find_next_verb
from saniwa.language.en.words import FIRST_PERSON, EnglishPhrase, count_adverb, list_words
from saniwa.language.lexicon.en import DETERMINERS, LINKS, PAIRS, SEQUENCES, WORDS
from saniwa.language.lexicon.tables import WordSequence
from saniwa.language.mood import find_english_condition
from saniwa.language.parser_context import ParserContext

_LONGEST_TIME = 6
_LONGEST_FRAGMENT = 6
_SPEAKERS = frozenset({"i", "we", "he", "she", "they", "it", "there", "nobody", "everybody"})
_POINTING = frozenset({"that", "this", "that's", "it", "it's"})


def is_taking_back(said: EnglishPhrase, *, asked: bool, changes: bool = True) -> bool:
    """Whether a sentence or clause takes back, puts off or doubts the deed before it.

    What only would be is no doubt of a look, which changes nothing.
    """
    if asked and len(said) > 3 and said[-2].kind == "comma":
        said = said[:-2]  # "May I, Pim?"
    words = _strip(said)
    if not words:
        return len(said) < 3 and not WORDS.doubts.isdisjoint(t.low for t in said)
    refuses = words[0] in WORDS.refusing
    if refuses and (len(words) == 1 or words[1] in FIRST_PERSON or _ends_clause(said, words[0])):
        return True
    if SEQUENCES.afterthoughts.count(words) and not _is_longing(words):
        return True
    if _is_about_deed(words, asked=asked):
        return True
    whole = list_words(said)
    if asked and (len(whole) < 4 or "idea" in whole) and whole[0] in WORDS.judging:
        return True  # "Good idea?"
    low = [t.low for t in said if t.kind != "comma"]
    owner = 1 if low[0] in DETERMINERS else 0
    owned = "".join(low[owner : owner + 1]).endswith("'s")
    owned = owned and "".join(low[owner + 1 : owner + 2]) in WORDS.disowning
    idle = WORDS.doubts | WORDS.adverbs
    last = next((word for word in reversed(low) if word not in idle), "")
    if owned or last in WORDS.ellipses or (changes and _is_unreal(low)):
        return True  # "Pim's idea, not mine", "my twin would", "mum would kill me"
    if words != whole and whole[0] in _POINTING and _is_about_deed(whole, asked=asked):
        return True  # "That's all she says"
    return not asked and _is_only_condition(said)


def _is_longing(words: WordSequence) -> bool:
    """“I wish it were bigger”, but not "I wish", "I wish I could"."""
    longs = words[:2] in (("i", "wish"), ("if", "only")) and len(words) > _SHORTEST_LONGING
    return longs and FIRST_PERSON.isdisjoint(words[2:]) and not _WAS.isdisjoint(words)


_SHORTEST_LONGING = 4
_WAS = frozenset({"were", "was", "had"})


def _ends_clause(said: EnglishPhrase, word: str) -> bool:
    """Whether a comma follows the first such word."""
    place = next(n for n, token in enumerate(said) if token.low == word)
    return said[place + 1 :][:1] != () and said[place + 1].kind == "comma"


def _strip(said: EnglishPhrase) -> WordSequence:
    """The words without links, fillers and adverbs before them, and without commas."""
    words = list_words(tuple(token for token in said if token.kind not in ("comma", "stop")))
    place = 0
    while place < len(words):
        if SEQUENCES.afterthoughts.count(words, place):
            break
        idle = count_filler(words, place) or count_adverb(words, place)
        idle = idle or SEQUENCES.hedging.count(words, place)
        idle = idle or (words[place] in LINKS | WORDS.hedges)
        if not idle:
            break
        place += idle
    return words[place:]


def _is_unreal(low: list[str]) -> bool:
    """Whether it says what would be: "mum would kill me", "I'd get fired"."""
    if not {"would", "wouldn't"}.isdisjoint(low):
        return True
    told = low[0].endswith("'d") and len(low) > 1
    return told and low[1] not in ("like", "love", "prefer", "rather", "better")


def _is_about_deed(words: WordSequence, *, asked: bool) -> bool:
    """“I won't”, “should I?”, “why would I do that?”, “that's wrong”, “is it allowed?”."""
    bare = tuple(word for word in words if not count_adverb((word,), 0))
    if len(bare) > 1 and bare[0] in FIRST_PERSON and WORDS.auxiliaries.issuperset(bare[1:]):
        return True
    if asked and 1 < len(bare) < 4 and bare[0] in WORDS.auxiliaries and bare[1] in FIRST_PERSON:
        return len(bare) == 2 or bare[2] in WORDS.auxiliaries
    for first, second in pairwise(words):
        if first in ("do", "doing") and second in ("that", "it", "so", "this"):
            return words[0] not in (*_POINTING, "do")
    if asked:
        points = len(bare) > 1 and bare[0] in WORDS.copulas and bare[1] in _POINTING
        return points and (bare[1] != "it" or not WORDS.judging.isdisjoint(bare[2:]))
    points = bare[0] in ("that", "this", "it") and bare[1:2] in (("is",), ("was",))
    points = points or bare[0] in ("that's", "it's", "thats")
    return points and not WORDS.disowning.isdisjoint(bare[1:])


def _is_only_condition(said: EnglishPhrase) -> bool:
    """“But only if she agrees”, “after the show”, “just not today”: no clause besides."""
    said = tuple(t for n, t in enumerate(said) if t.kind != "comma" or n > 2)
    words = list_words(said)
    inner = tuple(t.low for t in said if t.kind != "comma")
    place = 0
    while place < len(words):
        idle = SEQUENCES.hedging.count(words, place) or words[place] in LINKS | WORDS.hedges
        if not idle:
            break
        place += idle
    rest = inner[place:]
    condition = find_english_condition(rest)
    if not condition:
        return False
    if condition == "whoever" and not _SUPPOSING.isdisjoint(rest):
        return False  # "Whoever took it may have left tracks"
    if rest[: len(condition.split())] == tuple(condition.split()):
        return all(token.kind != "comma" for token in said)
    return len(rest) <= _LONGEST_TIME and rest[0] in WORDS.negating


_SUPPOSING = frozenset({"may", "might", "must", "could", "can't"})


def is_lost_fragment(said: EnglishPhrase, lexicon: ParserContext) -> bool:
    """Whether a short sentence has neither a subject nor a verb, as "Or the bun" has none.

    “Not bad!”, “cold to the touch” and "thank you, Marta" only judge the deed.
    """
    words = list_words(said)
    if not 1 < len(words) <= _LONGEST_FRAGMENT or any(t.kind == "quote" for t in said):
        return False
    if words[0] in _SPEAKERS:
        return False
    told = any(w in WORDS.copulas | WORDS.auxiliaries or "'" in w for w in words)
    told = told or any(w.endswith("s") for w in words[1:]) or words[0].isdigit()
    named = any(t.low in lexicon.people for t in said)
    if told or words[0] in ("thank", "thanks") or (is_judgement(words) and not named):
        return False
    return find_next_verb(said, lexicon) is None


def is_judgement(words: WordSequence) -> bool:
    """“Not bad”, “cold to the touch”: what is thought of a thing."""
    return not _JUDGED.isdisjoint(words[1:3] if words[0] in WORDS.negating else words[:1])


_JUDGED = WORDS.judging | WORDS.feelings | PAIRS.qualities.keys()


def is_told_as_past(said: EnglishPhrase) -> bool:
    """“I put it there because she told me to”, “sorry I put it there”: a report, no deed."""
    low = [t.low for t in said if t.kind != "comma"]
    first = next((n for n, word in enumerate(low) if word in FIRST_PERSON), len(low))
    verb = "".join(low[first + 1 : first + 2])
    if verb not in WORDS.unmarked_pasts:
        return False
    answered = first and (low[0] in WORDS.answering or low[first - 1] == "sorry")
    reason = next((n for n, word in enumerate(low) if word in ("because", "cause")), len(low))
    return bool(answered) or not WORDS.telling_past.isdisjoint(low[reason:])


def is_looking_back(said: EnglishPhrase) -> bool:
    """Whether a sentence shows that the one before told of a past: "where is it now?"."""
    return bool(SEQUENCES.looking_back.count(list_words(said)))


def find_dependence(said: EnglishPhrase) -> str:
    """The words of a condition inside a sentence: ", should she leave", "not while", "wait for her, then"."""
    low = tuple(t.low for t in said)
    for place, (first, second) in enumerate(pairwise(low)):
        if second == "should" and said[place].kind == "comma":
            return second
        if first == "not" and second in ("while", "when", "if", "until", "before", "unless"):
            return f"{first} {second}"
    if low[:2] == ("wait", "for") and not WORDS.lasting.intersection(low[2:5]):
        return "wait for" if not WORDS.following.isdisjoint(low) else ""
    return ""


def find_threat(said: EnglishPhrase) -> str:
    """“Open it and I'll scream”, “… and the play is ruined”: what comes of it is no deed."""
    if not is_bare_order(said):
        return ""
    reason = next((n for n, t in enumerate(said) if t.low in _REASONS), len(said))
    for place, token in enumerate(said[: min(reason, len(said) - 2)]):
        if token.low != "and" or said[place + 1].kind != "word":
            continue
        after = [t.low for t in said[place + 1 : place + 13]]
        after = after[: after.index(",")] if "," in after else after
        if after[0] in WORDS.outcomes or tuple(after[:2]) in SEQUENCES.outcomes:
            return " ".join(after[:2])
        if after[0] in _SUBJECTS and not _BEING.isdisjoint(after[2:]):
            return " ".join(after[:2])
    return ""


_REASONS = frozenset({"because", "since", "cause", "'cause", "cos", "coz", "cuz"})
_BEING = frozenset({"is", "are", "was", "were", "will", "would", "shall"})
_SUBJECTS = frozenset({"the", "this", "that", "everything", "everybody", "nobody", "all"})


def find_imagined(said: EnglishPhrase) -> str:
    """The words of a sentence that makes what follows imagined, or no order: "picture this"."""
    for words in (_strip(said), list_words(said)):
        if words and SEQUENCES.imagined.count(words):
            return " ".join(words)
    return ""
