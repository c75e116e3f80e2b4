"""Put the deeds of an English sentence into the order in which they happen.

“After reading the letter, I go north”, “having lit the lamp, climb up” and “before you go to
the garden, take the lamp” ask for two deeds; each is read as a clause of its own.
"""

from collections.abc import Sequence

from saniwa.language.en.parser_state import SHARING, is_deed
from saniwa.language.en.request_wording import find_next_verb, is_already_so
from saniwa.language.en.words import (
    GERUNDS,
    SPEECH,
    EnglishPhrase,
    EnglishToken,
    EnglishVerb,
    classify_link,
    extract_phrase,
    find_in_reach,
    find_leading_verb,
    list_words,
    restore_stem,
    to_stem,
)
from saniwa.language.lexicon import en
from saniwa.language.lexicon.en import SEQUENCES, WORDS
from saniwa.language.parser_context import Claim, ParserContext
from saniwa.world.model import Entity

_EARLIER = SHARING | {"inspect", "search", "move"}
_SPEAKERS = ("i", "we")


def order_deeds(phrase: EnglishPhrase, lexicon: ParserContext) -> EnglishPhrase:
    """The words of a sentence, with what happens first at its beginning."""
    words = list_words(phrase)
    if "to" in words:
        phrase = _join_purposes(phrase, words, lexicon)
        words = list_words(phrase)
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


def merge_deeds(claims: Sequence[Claim], lexicon: ParserContext) -> list[Claim]:
    """The claims of a sentence without those that only lead to another or repeat it.

    “Take out the key (that is held) and unlock it”, “leave the cabin and go to the galley”,
    “pick it up and pocket it”, “open the letter and read it”.
    """
    made: list[Claim] = []
    for number, asked in enumerate(claims):
        found = lexicon.find_matches(str(asked.get("target", "")))
        read = asked["type"] == "open" and found and all(map(_is_read, found))
        claim = asked | {"type": "inspect"} if read else asked
        last = made[-1] if made else {}
        if claim["type"] in _REPEATED and last.get("type") == claim["type"]:
            again = ("it", last.get("target", "it")) if "targetId" not in last else ()
            if "targetId" not in claim and claim.get("target", "it") in again:
                continue
        same = (
            claim["type"] == last.get("type") == "use" and found and {*last} == {"type", "target"}
        )
        if same and last["target"] == found[0].name and claim["target"] != found[0].name:
            continue  # "Turn the knob and switch on the heater", which has the knob
        if claim["type"] == "take" and found and len(claims) > 1:
            held = all(e.place == lexicon.actor for e in found)
            later = [c.get(r) for c in claims[number + 1 :] if is_deed(c) for r in _THING_ROLES]
            if held and later and {"it", claim["target"]}.isdisjoint(later):
                continue  # only a tool for what follows
            after = claims[number + 1] if number + 1 < len(claims) else {}
            if held and after.get("tool") == "it" and after.get("target", "it") != "it":
                after["tool"] = claim["target"]
                continue
        if claim["type"] == last.get("type") == "move" and "target" in claim:
            goal, before = lexicon.find_exit(claim["target"]), str(last.get("target", ""))
            left = before == "out" and "out" not in lexicon.labels
            if goal and (left or goal == lexicon.find_exit(before)):
                made.pop()
        made.append(claim)
    return made


_THING_ROLES = ("target", "tool")
_REPEATED = frozenset({"look", "wait", "inspect", "search", "take"})


def _is_read(thing: Entity) -> bool:
    """Whether it is opened to be read: a letter, a book."""
    nouns = {name.split()[-1].lower() for name in (thing.name, *thing.aliases)}
    return not (thing.openable or thing.lockable or nouns.isdisjoint(WORDS.readable))


def _join_purposes(
    phrase: EnglishPhrase, words: tuple[str, ...], lexicon: ParserContext
) -> EnglishPhrase:
    """“Lean over the table and read it” for "lean over the table to read it".

    So does an approach; “press the button to switch it on” is only "switch it on".
    """
    start = 0
    for place in range(1, len(words) - 1):
        if classify_link(phrase[place]):
            start = place + 1
        elif words[place] == "to" and place > start:
            start += words[start] in _SPEAKERS
            before = words[start:place]
            if before and (met := _join_meeting(phrase, words, place, lexicon)):
                return met
            if not before or _find_kind(phrase[place + 1 :], lexicon) not in _EARLIER:
                continue
            verb = to_stem(before[0])
            approached = verb in WORDS.going and _is_approach(phrase[start:place], lexicon)
            if verb in _POSTURES or approached:
                link = phrase[place]._replace(low="and")
                return (*phrase[:place], link, *phrase[place + 1 :])
            turned = verb in ("turn", "flip") and {"over", "around"} & {*before}
            if turned and words[place + 1 :] in _BACKS:  # "turn it over to read the back"
                noun = tuple(
                    t for t in phrase[start + 1 : place] if t.low not in ("over", "around")
                )
                return (*phrase[:start], phrase[place + 1], *noun)
            part = before[-1] in WORDS.used_parts and len(before) < 4
            if part and verb in WORDS.operating and not lexicon.find_matches(before[-1]):
                return (*phrase[:start], *phrase[place + 1 :])
    return phrase


_BACKS = {
    (verb, *noun)
    for verb in ("read", "see", "check", "examine", "inspect", "study")
    for noun in (("the", "back"), ("the", "other", "side"), ("the", "reverse"), ("its", "back"))
}


def _join_meeting(
    phrase: EnglishPhrase, words: tuple[str, ...], place: int, lexicon: ParserContext
) -> EnglishPhrase:
    """“And ask Bram” for "to find Bram and ask him"; empty for other words."""
    start = place + 2
    if words[place + 1] not in ("find", "meet", "see", "visit"):
        return ()
    stop = start + lexicon.count_person_words([t.low for t in phrase[start:]])
    verb = find_leading_verb(phrase[stop + 1 :]) if stop < len(words) - 2 else None
    if stop == start or words[stop] != "and" or verb is None:
        return ()
    whom = stop + 1 + verb.length
    if verb.kind not in SPEECH or words[whom : whom + 1] not in (("him",), ("her",), ("them",)):
        return ()
    person = phrase[start:stop]
    return (*phrase[:place], *phrase[stop:whom], *person, *phrase[whom + 1 :])


def _is_approach(clause: EnglishPhrase, lexicon: ParserContext) -> bool:
    """“Walk over to the table”: what follows "to" is a thing in reach, and no place or person."""
    words = list_words(clause)
    goal = clause[words.index("to") + 1 :] if "to" in words else ()
    if not goal or lexicon.is_near(extract_phrase(lexicon, goal)):
        return False
    kinds = {e.kind for e in find_in_reach(lexicon, goal)}
    return bool(kinds) and kinds.isdisjoint({"character", "door"})


_POSTURES = WORDS.leading - {"get", "turn", "stop", "try", "pause"} | WORDS.reaching


def _find_beginning(phrase: EnglishPhrase, words: tuple[str, ...], lexicon: ParserContext) -> int:
    """Where the speaker's deed begins: "rain falls as | I open it", "im bored so | i open it"."""
    for place in range(2, len(words) - 2) if not _JOINING.isdisjoint(words) else ():
        before = words[:place]
        if words[place] not in _JOINING or words[place + 1] not in _SPEAKERS:
            continue
        told = words[0] in WORDS.conditions_of_speaker or words[place] != "so"
        idle = _UNREAL.isdisjoint(before) and (words[place] == "so" or "i" not in before)
        verb = find_next_verb(phrase[:place], lexicon) if told and idle else None
        thought = verb is not None and verb.word in _THOUGHT
        if told and idle and (verb is None or thought):
            return place + 1
    return 0


_THOUGHT = frozenset({"guess", "think"})
_JOINING = frozenset({"as", "while", "so"})
_UNREAL = (
    WORDS.negating
    | (WORDS.stating_modals - _THOUGHT)
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
