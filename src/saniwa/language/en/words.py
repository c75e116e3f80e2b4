"""Split English text into tokens, and find the verb phrase that a clause begins with.

A name of several words is one token.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from saniwa.language.lexicon import en
from saniwa.language.lexicon.en import PAIRS, SEQUENCES, WORDS
from saniwa.language.lexicon.tables import PhraseTable, split_phrases
from saniwa.language.parser_context import ParserContext
from saniwa.language.text import NAMES, QUOTE, PreparedText, fold_text
from saniwa.world.model import Entity

_TOKEN = re.compile(
    rf"{QUOTE}|{NAMES[0]}+|{NAMES[1]}+|[^\W]+(?:['’\-][^\W]+)*|[.!?;:\n]+|[,()]|&|\+|[-=]>|→|(?<=\s)[-–—](?=\s)|—"
)
_DOTTED = re.compile(r"(?<![\w.])(?:(?:[A-Za-z]\.){2,8}(?!\w)|(?:[A-Z]\. ?){2,8}(?=[A-Z][a-z]))")
_SLIPS = {
    word[:n] + word[n + 1] + word[n] + word[n + 2 :]: word
    for word in {*PAIRS.slips.values(), *WORDS.often_transposed}
    for n in range(len(word) - 1)
    if " " not in word and word[n] != word[n + 1]
}
"""Words of grammar with two letters in each other's place: "whit", "ot"."""
_SLIPS = {slip: word for slip, word in _SLIPS.items() if slip not in WORDS.no_slips} | PAIRS.slips
_SLIP = re.compile(rf"(?<![\w'])(?:{'|'.join(map(re.escape, _SLIPS))})(?![\w'])", re.I)
ARROW = "->"
"""Joins two names, or two deeds: "key -> door", "open the door -> go north"."""
_NUMBERED = re.compile(r"\s*(?:(?:step )?1[.):]|a\))\s")
_NUMBER = re.compile(r"(?<!\S)(?:(?:step )?\d{1,2}[.):]|[a-h]\))(?=\s)")


class EnglishToken(NamedTuple):
    """One word, name, quotation or stop."""

    low: str
    """Its text in lower case."""
    start: int
    """Where it begins."""
    end: int
    """Where it ends."""
    kind: str
    """`word`, `name`, `quote`, `stop` (ends a sentence) or `comma`."""


EnglishPhrase = tuple[EnglishToken, ...]


def tokenize_english(heard: PreparedText) -> Iterator[EnglishToken]:
    """The words, names, quotations and stops, in order."""
    mask = heard.mask
    if _NUMBERED.match(mask):  # "1. take the lamp 2. go north"
        mask = _NUMBER.sub(lambda found: "." + " " * (len(found.group()) - 1), mask)
    dotted = {
        place.start(): place.end()
        for place in _DOTTED.finditer(heard.text)
        if _is_abbreviation(place[0])
    }
    skipped = 0
    for found in _TOKEN.finditer(mask):
        start, end = found.span()
        if start < skipped:
            continue
        if start in dotted:
            skipped = dotted[start]
            yield EnglishToken(heard.low[start:skipped].strip(), start, skipped, "word")
            continue
        first = mask[start]
        kind = "word"
        if first == QUOTE:
            kind = "quote"
        elif first in NAMES:
            kind = "name"
        elif first in ".!?;:\n":
            kind = "stop"
        elif first in ",()-–—" and end == start + 1:
            kind = "comma"
        low = "," if kind == "comma" else heard.low[start:end].replace("’", "'")
        low = ARROW if low in ("=>", "→") else low
        yield EnglishToken(low, start, end, kind)


def _is_abbreviation(dotted: str) -> bool:
    """Whether single letters with full stops are no commands, as "n.e." is: "i.e.", "S.O.S."."""
    letters = dotted.lower().replace(" ", "")
    return letters in WORDS.abbreviations or any(
        letter not in _LETTER_COMMANDS for letter in letters.split(".") if letter
    )


_LETTER_COMMANDS = frozenset("dilnsuwxze")


def correct_slips(heard: PreparedText, names: Iterable[str]) -> PreparedText:
    """The text with slips in words that name nothing corrected: "teh", "ot", "w/"."""
    if _SLIPS.keys().isdisjoint(heard.low.split()):
        return heard
    named = " ".join(names).split()

    def correct(found: re.Match[str]) -> str:
        slip, before = found.group(), found.string[: found.start()].lower().split()[-1:]
        noun = before and before[0] in en.DETERMINERS  # "the form"
        return slip if noun or slip.lower() in named else _SLIPS[slip.lower()]

    text, low, mask = (_SLIP.sub(correct, each) for each in heard[:3])
    return PreparedText(text, low, mask, heard.quotes)


_LINKS = dict.fromkeys(WORDS.joining, "and") | dict.fromkeys(WORDS.following, "then")


def classify_link(token: EnglishToken) -> str:
    """How a token links two clauses: `comma`, `and`, `then` or `stop`; else empty."""
    if token.kind == "word":
        return _LINKS.get(token.low, "")
    return token.kind if token.kind in ("stop", "comma") else ""


_MERGED_FIRST = frozenset(words.split()[0] for words in PAIRS.merged)


def is_adverb(word: str) -> bool:
    """Whether the word only says how something is done; an unknown word in -ly does not."""
    return word in WORDS.adverbs


def count_adverb(words: tuple[str, ...], place: int) -> int:
    """How many words from here on are one adverb: "ever so gently"."""
    end, last = place, len(words)
    while end < last and words[end] in WORDS.intensifiers:
        end += 1
    if end < last and words[end] in WORDS.adverbs:
        return end + 1 - place
    return int(place < end and words[place] in WORDS.adverbs)


_PREPOSITIONS = split_phrases({*en.ROLES["take"], *WORDS.other_prepositions})


def count_preposition(words: tuple[str, ...], place: int, shortest: int = 1) -> int:
    """How many words from here on are one preposition; 0 if there is none."""
    length = _PREPOSITIONS.count(words, place)
    return length if length >= shortest else 0


def _count_without(words: tuple[str, ...], place: int) -> int:
    """How many words are "without looking", "without making a sound"."""
    if not words[place + 1].endswith("ing"):
        return 0
    after = words[place + 2 : place + 5]
    if not after:
        return 2
    if after[0] in ("a", "any", "so", "even") and len(words) == place + 4:
        return 4
    return 3 if len(after) == 1 and after[0] in ("it", "them", "first", "back", "up") else 0


def count_manner(words: tuple[str, ...], place: int) -> int:
    """How many words say how, why or when it is done, and change nothing about it.

    “With a smile”, “without a word”, “out of sheer curiosity”, “under cover of darkness”,
    “with my head held high”, “step by step”. Their noun is no thing; what it is of may be.
    """
    if words[place + 1 : place + 2] in (("by",), ("after",)) and words[place] != "\0":
        return 3 if words[place + 2 : place + 3] == words[place : place + 1] else 0
    length = SEQUENCES.manner_openers.count(words, place)
    if not length:
        return 0
    if words[place] == "without" and words[place + 1 : place + 2]:
        idle = _count_without(words, place)
        if idle:
            return idle
    for end in range(place + length, min(len(words), place + length + 5)):
        later = end > place + length and count_preposition(words, end)
        held = words[place] == "with" and _is_body_held(words, end)
        if words[end] == "\0" or later or (words[end] in WORDS.no_manner and not held):
            return 0  # "to Tam with a smile" is no manner
        if _is_manner_noun(words, place, end):
            return _end_manner(words, end) - place
    return 0


def _is_manner_noun(words: tuple[str, ...], place: int, end: int) -> bool:
    """Whether the phrase from `place` may end with this noun."""
    noun, last = words[end], end + 1 == len(words)
    if words[place] == "with" and (noun in WORDS.hands or _is_body_held(words, end)):
        return True
    ends = last or words[end + 1] in _AFTER_MANNER or count_preposition(words, end + 1)
    if not ends and not count_adverb(words, end + 1):
        return False
    if noun in WORDS.manner_nouns or noun.removesuffix("s") in WORDS.manner_nouns:
        return True
    return words[place] not in ("on", "to") and is_abstract(noun)


def _is_body_held(words: tuple[str, ...], end: int) -> bool:
    """“With my head held high”, with its noun at `end`."""
    after = (*words[end + 1 : end + 2], "")[0]
    held = after in WORDS.body_states | WORDS.body_participles or after.endswith(("ing", "ed"))
    return held and words[end] in WORDS.body and words[end - 1] in WORDS.body_owners


def _end_manner(words: tuple[str, ...], end: int) -> int:
    """Where it ends: after "my head *held high*", "a sigh *of relief*", "a clatter *that …*"."""
    place = end + 1
    while place < len(words) and _is_body_held(words, end):
        if not (words[place] in _BODY_TAIL or words[place].endswith(("ing", "ed"))):
            break
        place += 1
    follows = words[place : place + 1]
    if follows in (("that",), ("which",)):
        return len(words)
    for last in range(place + 1, min(len(words), place + 5)) if follows == ("of",) else ():
        if words[last] in WORDS.manner_nouns or is_abstract(words[last]):
            return last + 1
    return place


_BODY_TAIL = WORDS.body_states | WORDS.body_participles
_AFTER_MANNER = frozenset({"i", "we", "that", "which", "to"})
_ABSTRACT = re.compile(r"\w{2,}(?:ness|ity|tion|sion|ment|ance|ence|ship|hood|ism|itude|cy|ery)s?")


def is_abstract(noun: str) -> bool:
    """Whether the noun names no thing, by its ending or because it is known."""
    if noun in WORDS.no_manner:
        return False
    if noun in WORDS.abstract:
        return True
    return bool(_ABSTRACT.fullmatch(noun)) and noun.removesuffix("s") not in WORDS.things_in_ness


def merge_tokens(tokens: EnglishPhrase) -> EnglishPhrase:
    """The tokens, with phrases such as "as well as" read as one word."""
    tokens = tuple(
        _spell_out(tokens, n)
        for n, t in enumerate(tokens)
        if not (_is_between_adverbs(tokens, n) or _is_idle_comma(tokens, n))
        and not (n and t.low == tokens[n - 1].low in VERB_FORMS)  # "run run run to the hall"
    )
    words = {t.low for t in tokens}
    tokens = _split_denials(tokens) if "not" in words else tokens
    if _MERGED_FIRST.isdisjoint(words):
        return tokens
    merged: list[EnglishToken] = []
    place = 0
    while place < len(tokens):
        for length in (3, 2, 1):
            part = tokens[place : place + length]
            word = PAIRS.merged.get(" ".join(t.low for t in part), "")
            if word:
                merged.append(EnglishToken(word, part[0].start, part[-1].end, "word"))
                place += length
                break
        else:
            merged.append(tokens[place])
            place += 1
    return tuple(merged)


def _spell_out(tokens: EnglishPhrase, place: int) -> EnglishToken:
    """The token, with the apostrophe that was not typed: "dont", "ill take it"."""
    token = tokens[place]
    if token.kind != "word":
        return token
    low = PAIRS.short_forms.get(token.low, token.low)
    ends = place + 1 == len(tokens) or classify_link(tokens[place + 1])
    if low == "once" and ends and place and tokens[place - 1].low not in _BEFORE_ONCE:
        return token._replace(low="quickly")  # "ring the bell once, firmly"
    follows = tokens[place + 1].low if place + 1 < len(tokens) else ""
    if _is_before_verb(tokens, place) and follows in VERB_WORDS:
        low = PAIRS.short_before_verb[token.low]
    return token if low == token.low else token._replace(low=low)


def _is_before_verb(tokens: EnglishPhrase, place: int) -> bool:
    """Whether the word is short for another before a verb; "n" is also a way to go."""
    low, before = tokens[place].low, tokens[place - 1] if place else tokens[place]
    ways = low == "n" and (not place or classify_link(before) or before.low in _BEFORE_NORTH)
    return low in PAIRS.short_before_verb and not ways


_BEFORE_NORTH = frozenset({"go", "head", "move", "run", "walk", "l", "look", "then", *"nsewud"})
_BEFORE_ONCE = frozenset({"all", "at", "for", "just", "this"})


def _is_idle_comma(tokens: EnglishPhrase, place: int) -> bool:
    """Whether this is the comma of "unlock the safe, using the key", "look at , the safe"."""
    if tokens[place].kind != "comma" or not 0 < place < len(tokens) - 1:
        return False
    before, after = tokens[place - 1].low, tokens[place + 1].low
    return (place > 1 and after == "using") or (before in _OPEN and after in en.DETERMINERS)


_OPEN = frozenset({"at", "into", "onto", "of", "with"})


def _split_denials(tokens: EnglishPhrase) -> EnglishPhrase:
    """The tokens, with a comma before the "not" of "take the net not the sponge"."""
    made: list[EnglishToken] = []
    for place, token in enumerate(tokens):
        follows = tokens[place + 1].low if place + 1 < len(tokens) else ""
        before = tokens[place - 1] if place > 1 else token
        denies = token.low == "not" and follows in en.DETERMINERS and before.kind != "comma"
        if denies and before.low not in _BEFORE_NOT and not classify_link(before):
            made.append(EnglishToken(",", token.start, token.start, "comma"))
        made.append(token)
    return tuple(made)


_BEFORE_NOT = (
    WORDS.question_verbs | WORDS.copulas | WORDS.all | {"be", "but", "all", "it's", "that's"}
)


def _is_between_adverbs(tokens: EnglishPhrase, place: int) -> bool:
    """Whether this is the "and" of "quickly and quietly"."""
    inside = tokens[place].low in ("and", "yet", "but") and 0 < place < len(tokens) - 1
    return inside and all(is_adverb(tokens[n].low) for n in (place - 1, place + 1))


def extract_phrase(lexicon: ParserContext, phrase: EnglishPhrase) -> str:
    """The words of the tokens as spoken, with all between them; the order does not matter."""
    return _extract_phrase(lexicon.heard, phrase) if phrase else ""


@lru_cache(maxsize=256)
def _extract_phrase(heard: PreparedText, phrase: EnglishPhrase) -> str:
    text = heard.extract_span(min(t.start for t in phrase), max(t.end for t in phrase))
    return phrase[0].low if text.lower() in PAIRS.short_forms else text  # "em" is "them"


def find_in_reach(lexicon: ParserContext, phrase: EnglishPhrase) -> tuple[Entity, ...]:
    """Everything in reach that the words name, at least in part."""
    return lexicon.find_matches(extract_phrase(lexicon, phrase))


# Many rules look at the words of each clause.
@lru_cache(maxsize=256)
def list_words(phrase: EnglishPhrase) -> tuple[str, ...]:
    """The words of the tokens, with placeholders for names and quotations."""
    return tuple([t.low if t.kind == "word" else "\0" for t in phrase])


def _build_verb_table() -> dict[tuple[str, ...], str]:
    table: dict[tuple[str, ...], str] = {}
    for kind, phrases in (*en.VERBS.items(), ("gesture", WORDS.gestures)):
        for phrase in phrases:
            words = tuple(phrase.split())
            table[words] = kind
            if len(words[0]) > 1:
                table.setdefault((en.to_third_person(words[0]), *words[1:]), kind)
    return table


_VERBS = _build_verb_table()


_STEMS = {
    en.to_third_person(phrase.split()[0]): phrase.split()[0]
    for phrases in (*en.VERBS.values(), WORDS.gestures)
    for phrase in phrases
}


VERB_WORDS = frozenset(_STEMS.values())
"""The first words of all verb phrases."""
THIRD_PERSONS = frozenset(_STEMS) - VERB_WORDS
"""The forms in -s of all verbs."""
VERB_FORMS = VERB_WORDS | THIRD_PERSONS
"""The forms that a verb may have in the present."""
FIRST_PERSON = frozenset({"i", "we"})
GERUNDS = {en.to_gerund(word): word for word in VERB_WORDS if len(word) > 1}
"""The forms in -ing, each with its verb."""
LONGEST_VERB = max(map(len, _VERBS))
"""The number of words of the longest verb phrase of the lexicon."""


SPEECH = ("speak", "ask")
"""The verbs of speech."""


class EnglishVerb(NamedTuple):
    """The verb phrase a clause begins with."""

    kind: str
    """An action's wire name, `ask` or `inventory`."""
    word: str
    """Its first word, as in the lexicon."""
    phrase: str
    """The complete phrase."""
    length: int
    """How many tokens it takes."""
    manner: str = ""
    """The craft it asks for, if it is the verb of one."""


_PARTICIPLES = {gerund[:-3] + "ed": stem for gerund, stem in GERUNDS.items()} | {
    "eaten": "eat", "taken": "take", "given": "give", "drunk": "drink", "lit": "light", "took": "take",
    "got": "get", "put": "put", "read": "read", "ate": "eat", "hidden": "hide", "broken": "break",
}  # fmt: skip


_VerbIndex = tuple[dict[tuple[str, ...], EnglishVerb], PhraseTable, int]
"""The verb of each phrase, the phrases, and the number of words of the longest."""


@lru_cache(maxsize=64)
def _index_verbs(crafts: tuple[tuple[str, str], ...]) -> _VerbIndex:
    """Every verb phrase, with pairs of a craft and its verb; the first of them wins."""
    verbs = {
        words: EnglishVerb(kind, stem, " ".join((stem, *words[1:])), len(words))
        for words, kind in _VERBS.items()
        for stem in (to_stem(words[0]),)
    }
    for manner, phrase in reversed(crafts):
        words = tuple(fold_text(phrase).split())
        for form in ((en.to_third_person(words[0]), *words[1:]), words) if words else ():
            verbs[form] = EnglishVerb("use", form[0], " ".join(form), len(form), manner)
    return verbs, PhraseTable(verbs), max(map(len, verbs))


def to_stem(word: str) -> str:
    """The verb of a form in -s; any other word as it is."""
    return _STEMS.get(word, word)


def restore_stem(word: str) -> str:
    """The verb of a form in -ing or of a participle; empty for any other word."""
    return GERUNDS.get(word) or _PARTICIPLES.get(word, "")


def find_leading_verb(
    phrase: EnglishPhrase, lexicon: ParserContext | None = None
) -> EnglishVerb | None:
    """The longest verb phrase the clause begins with; a craft's wins over another.

    The verbs of crafts are known only with a `lexicon`.
    """
    verbs, phrases, longest = _index_verbs(lexicon.list_craft_verbs("en") if lexicon else ())
    words = list_words(phrase[:longest])
    length = phrases.count(words)
    return verbs[words[:length]] if length else None
