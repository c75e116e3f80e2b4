"""Put the deeds of an English sentence into the order in which they happen.

“After reading the letter, I go north”, “having lit the lamp, climb up” and “before you go to
the garden, take the lamp” ask for two deeds; each is read as a clause of its own.
"""

from saniwa.language.en.frames import find_next_verb, is_already_so
from saniwa.language.en.parser_state import SHARING
from saniwa.language.en.words import (
    GERUNDS,
    EnglishPhrase,
    EnglishToken,
    EnglishVerb,
    classify_link,
    find_leading_verb,
    list_words,
    restore_stem,
    to_stem,
)
from saniwa.language.lexicon import en
from saniwa.language.lexicon.en import SEQUENCES, WORDS
from saniwa.language.parser_context import ParserContext

_EARLIER = SHARING | {"inspect", "search", "move"}
_SPEAKERS = ("i", "we")


def order_deeds(phrase: EnglishPhrase, lexicon: ParserContext) -> EnglishPhrase:
    """The words of a sentence, with what happens first at its beginning."""
    words = list_words(phrase)
    phrase = _join_posture(phrase, words, lexicon)
    begun = _find_beginning(phrase, words, lexicon)
    if begun:
        return phrase[begun:]
    if words[:1] == ("before",):
        return _order_later(phrase, words, lexicon)
    opener = SEQUENCES.preceding.count(words)
    form = words[opener] if opener < len(words) else ""
    stem = (restore_stem(form) if "having" in words[:opener] else GERUNDS.get(form)) or ""
    comma = next((n for n, word in enumerate(words) if phrase[n].kind == "comma"), 0)
    spoken = next((n for n, word in enumerate(words) if word in _SPEAKERS and n > opener + 1), 0)
    stop = min(filter(None, (comma, spoken)), default=0)
    if not stem or not stop or form in WORDS.stative or form in WORDS.means:
        return phrase
    rest = phrase[stop + (stop == comma) :]
    if not opener and not (rest and rest[0].low in WORDS.speakers):
        return phrase
    clause = (phrase[opener]._replace(low=stem), *phrase[opener + 1 : stop])
    if _find_kind(clause, lexicon) not in _EARLIER or find_next_verb(rest, lexicon) is None:
        return phrase
    told = opener and is_already_so(lexicon, phrase[:stop])
    return phrase if told else (*clause, _make_link(clause), *rest)


def _join_posture(
    phrase: EnglishPhrase, words: tuple[str, ...], lexicon: ParserContext
) -> EnglishPhrase:
    """“Lean over the table and read it” for "lean over the table to read it"."""
    start = int(words[:1] in (("i",), ("we",)))
    if to_stem("".join(words[start : start + 1])) not in _POSTURES:
        return phrase
    for place in range(start + 1, len(words) - 1):
        if classify_link(phrase[place]):
            break
        if words[place] == "to" and _find_kind(phrase[place + 1 :], lexicon) in _EARLIER:
            link = phrase[place]._replace(low="and")
            return (*phrase[:place], link, *phrase[place + 1 :])
    return phrase


_POSTURES = WORDS.leading - {"get", "turn", "stop", "try", "pause"} | WORDS.reaching


def _find_beginning(phrase: EnglishPhrase, words: tuple[str, ...], lexicon: ParserContext) -> int:
    """Where the speaker's deed begins: "rain falls as | I open it", "im bored so | i open it"."""
    for place in range(2, len(words) - 2) if not _JOINING.isdisjoint(words) else ():
        before = words[:place]
        if words[place] not in _JOINING or words[place + 1] not in _SPEAKERS:
            continue
        told = words[0] in WORDS.conditions_of_speaker or words[place] != "so"
        idle = _UNREAL.isdisjoint(before) and (words[place] == "so" or "i" not in before)
        if told and idle and find_next_verb(phrase[:place], lexicon) is None:
            return place + 1
    return 0


_JOINING = frozenset({"as", "while", "so"})
_UNREAL = (
    WORDS.negating
    | WORDS.stating_modals
    | WORDS.question_words
    | {"if", "me", "to", "will", "say", "says"}
)


def _order_later(
    phrase: EnglishPhrase, words: tuple[str, ...], lexicon: ParserContext
) -> EnglishPhrase:
    """“Take the lamp, then go to the garden” for "before you go to the garden take the lamp"."""
    begin = 1 + (words[1:2] in (("i",), ("we",), ("you",)))
    form = words[begin] if begin < len(words) else ""
    stem = form if begin > 1 else GERUNDS.get(form, "")
    later = (phrase[begin]._replace(low=stem), *phrase[begin + 1 :]) if stem else ()
    if not later or _find_kind(later, lexicon) != "move":
        return phrase
    for stop in range(begin + 1, len(phrase)):
        rest = phrase[stop + (phrase[stop].kind == "comma") :]
        verb: EnglishVerb | None = find_next_verb(rest, lexicon) if rest else None
        begins = phrase[stop].kind == "comma" or words[stop] in _SPEAKERS
        named = verb and words[stop + verb.length : stop + verb.length + 1]
        begins = begins or bool(named and named[0] in en.DETERMINERS)
        if phrase[stop].kind == "comma" and (verb is None or verb.kind not in SHARING):
            break  # "before you go, ask Marta to take it"
        if verb is not None and verb.kind in SHARING and begins:
            return (*rest, _make_link(rest), *later[: stop - begin])
    return phrase


def _find_kind(clause: EnglishPhrase, lexicon: ParserContext) -> str:
    verb = find_leading_verb(clause, lexicon)
    return verb.kind if verb is not None else ""


def _make_link(after: EnglishPhrase) -> EnglishToken:
    return EnglishToken("then", after[-1].end, after[-1].end, "word")
