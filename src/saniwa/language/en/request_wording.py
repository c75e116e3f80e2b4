"""What stands around an English command: fillers, intentions, efforts, wishes.

“I think I'll try to open the gate, if you please” asks for the same as "open the gate";
"make sure that the gate is open" asks for the deed that makes it so.

Written instructions open with what was done before: "after taking the key", "once you have
it". Such a clause is checked against the world: if it holds, what follows it is asked for
now; if not, it is a condition.
"""

from functools import lru_cache
from itertools import pairwise

from saniwa.language.en.noun_phrases import NounReader
from saniwa.language.en.words import (
    GERUNDS,
    VERB_WORDS,
    EnglishPhrase,
    EnglishVerb,
    count_adverb,
    count_manner,
    count_preposition,
    extract_phrase,
    find_in_reach,
    find_leading_verb,
    list_words,
    restore_stem,
    to_stem,
)
from saniwa.language.lexicon import en
from saniwa.language.lexicon.en import PAIRS, SEQUENCES, WORDS
from saniwa.language.lexicon.tables import PhraseTable, WordSequence
from saniwa.language.mood import find_english_condition
from saniwa.language.parser_context import ParserContext
from saniwa.world.model import Entity, Id

_FILLERS = PhraseTable(SEQUENCES.fillers | SEQUENCES.closings | SEQUENCES.vocatives)
_OPENINGS = PhraseTable(
    SEQUENCES.fillers | SEQUENCES.intentions | SEQUENCES.efforts | SEQUENCES.subjects
)
_ENDINGS = PhraseTable(
    phrase[::-1]
    for phrase in SEQUENCES.closings | SEQUENCES.fillers
    if len(phrase) > 1 or phrase in SEQUENCES.closings
)
_READINGS = WORDS.looks | {"read", "once-over", "inspection", "study"}
_SEARCHES = frozenset({"search", "rummage"})
_TELLING = frozenset({"says", "say", "reads", "shows", "tells", "states"})
_WHAT = frozenset({"what", "what's", "whats"})
_WASHED_DOWN = {(word, "down", "with") for word in ("it", "that", "them", "everything")}


def count_filler(words: WordSequence, place: int) -> int:
    """How many words from here on only accompany a command: "if you don't mind"."""
    return _FILLERS.count(words, place)


def trim_phrase(phrase: EnglishPhrase, lexicon: ParserContext) -> EnglishPhrase:
    """The phrase without what only introduces or ends a request."""
    return _trim_phrase(phrase, lexicon.own_names)


@lru_cache(maxsize=256)
def _trim_phrase(phrase: EnglishPhrase, own_names: frozenset[str]) -> EnglishPhrase:
    words = list_words(phrase)
    start, end = _find_start(words, phrase, own_names), len(words)
    turned = words[::-1]
    while end - start > 1:
        length = _ENDINGS.count(turned, len(words) - end)
        if not length or end - length <= start:
            break
        end -= length
    return phrase[start:end]


def find_next_verb(phrase: EnglishPhrase, lexicon: ParserContext) -> EnglishVerb | None:
    """The verb of a clause, after what only introduces it."""
    return find_leading_verb(trim_phrase(phrase, lexicon), lexicon)


def _find_start(words: WordSequence, phrase: EnglishPhrase, own_names: frozenset[str]) -> int:
    start, last = 0, len(words) - 1
    while start < last:
        length = _count_opening(words, start) or _count_beginning(phrase, words, start)
        if length and start + length <= last and _may_follow(words, start + length):
            start += length
        elif phrase[start].low in own_names:
            start += 1
        elif words[start] == "the" and phrase[start + 1].low in own_names:
            start += 2
        elif (length := count_adverb(words, start) or count_manner(words, start)) and (
            start + length <= last
        ):
            start += length
        else:
            break
    return min(start, last)


def _count_beginning(phrase: EnglishPhrase, words: WordSequence, start: int) -> int:
    """How many words are "begin to" before a verb of looking, or "only" before any."""
    if words[start] == "only":
        return int(find_leading_verb(phrase[start + 1 :]) is not None)
    length = SEQUENCES.beginnings.count(words, start)
    verb = find_leading_verb(phrase[start + length :]) if length else None
    return length if verb is not None and verb.kind in ("inspect", "search", "look") else 0


def _count_opening(words: WordSequence, start: int) -> int:
    """How many words introduce a request; an adverb may be inside: "I'd really like to"."""
    length = _OPENINGS.count(words, start)
    after = start + length
    if words[after - 1 : after] == ("see",) and not _WHAT.isdisjoint(words[after : after + 1]):
        return length - 1  # "Let's see what is in the basket"
    idle = count_adverb(words, start + 1)
    if not idle:
        return length
    inner = _OPENINGS.count((words[start], *words[start + 1 + idle :]), 0)
    return inner + idle if inner > 1 else length


def _may_follow(words: WordSequence, place: int) -> bool:
    """Whether a verb may come here: "proceed to the hall" is a walk and no effort."""
    if words[place] == "nothing":
        return False  # "Do nothing" waits
    return words[place - 1] not in ("to", "and") or not (
        words[place] in en.DETERMINERS or words[place] == "\0" or words[place] in en.DIRECTIONS
    )


def is_small_talk(phrase: EnglishPhrase) -> bool:
    """Whether the words only accompany a command: "take it, please"."""
    words = list_words(phrase)
    place = 0
    while place < len(words):
        length = _FILLERS.count(words, place) or count_adverb(words, place)
        length = length or count_manner(words, place)
        if not length:
            break
        place += length
    return place == len(words) or is_sequence(words)


def is_body_aside(words: WordSequence) -> bool:
    """“Hands trembling”, “eyes wide with awe”: it only accompanies the deed."""
    start = int(words[0] in WORDS.body_owners or words[0] == "with")
    start += len(words) > start and words[start] in WORDS.body_owners
    noun, form = (*words[start : start + 2], "", "")[:2]
    if words[1:] == ("first",) and noun in WORDS.foremost:
        return True  # "hand it over, handle first"
    if noun not in WORDS.body or (words[0] == "back" and form in en.DIRECTIONS):
        return False
    if form.endswith("ing") and len(words) <= start + 4:
        return True
    ends = words[-1] in WORDS.body and words[-1] not in en.DIRECTIONS
    if form in ("in", "on", "to") and ends and len(words) <= start + 4:
        return True  # "head in hands"
    tail = start + 2
    while tail < len(words) and (words[tail] in WORDS.body_states or count_adverb(words, tail)):
        tail += count_adverb(words, tail) or 1
    # "Head down to the cellar", "hand red cup" begin with a verb.
    named = start > 0 or noun not in VERB_WORDS
    formed = form.endswith(("ing", "ed")) or form in WORDS.body_participles
    formed = formed or (named and form in WORDS.body_states)
    after = words[tail : tail + 1]
    return formed and (not after or after == ("of",) or bool(count_preposition(words, tail)))


def is_sequence(words: WordSequence) -> bool:
    """Whether the words say that what was asked before is done: "once you've done that"."""
    return words[0] in _SEQUENCED and bool(en.SEQUENCE.fullmatch(" ".join(words)))


_SEQUENCED = frozenset({"once", "when", "after", "as", "if", "now"})


def restore_gerund(phrase: EnglishPhrase) -> EnglishPhrase:
    """“Open the gate” for "try opening the gate"; other words as they are."""
    words = list_words(phrase)
    if words[0] == "let":
        return _restore_fall(phrase, words)
    if words[0] == "give" and len(words) > 3 and words[-1] in WORDS.attempts:
        inner = phrase[1:-2] if words[-2] in ("a", "another") else ()
        stem = GERUNDS.get(words[1])
        return (phrase[1]._replace(low=stem), *inner[1:]) if stem and inner else phrase
    length = SEQUENCES.gerund_openings.count(words, 0)
    while length < len(words) and length and count_adverb(words, length):
        length += count_adverb(words, length)
    stem = GERUNDS.get(words[length]) if 0 < length < len(words) else None
    if stem is None or (words[length] in WORDS.stative and stem != "look"):
        return phrase
    return (phrase[length]._replace(low=stem), *phrase[length + 1 :])


def _restore_fall(phrase: EnglishPhrase, words: WordSequence) -> EnglishPhrase:
    """“Drop the apple” for "let the apple fall"."""
    for place in range(2, len(words)):
        if words[place] in ("fall", "drop", "go", "slip", "have"):
            verb = "give" if words[place] == "have" else "drop"  # "let Nell have the apple"
            after = place + 1 + (words[place + 1 : place + 2] in (("slip",), ("fall",)))
            return (phrase[0]._replace(low=verb), *phrase[1:place], *phrase[after:])
    return phrase


def count_would(phrase: EnglishPhrase, lexicon: ParserContext) -> int:
    """How many words are "I would" before what one does first: "I would open it first".

    Or "what I want to do now is" before a verb.
    """
    words = list_words(phrase)
    wants = SEQUENCES.wanting.count(words)
    if wants and find_leading_verb(phrase[wants:], lexicon) is not None:
        return wants
    length = 1 if words[:1] == ("i'd",) else 2
    if words[:length] not in (("i'd",), ("i", "would")) or "first" not in words:
        return 0
    verb = find_leading_verb(phrase[length:], lexicon)
    plain = WORDS.negating.isdisjoint(words) and not find_english_condition(words)
    told = verb is not None and verb.kind in ("open", "take", "inspect", "search", "unlock", "use")
    return length * (told and plain and _UNSURE.isdisjoint(words))


_UNSURE = frozenset({"but", "you", "were", "rather", "maybe", "perhaps", "have", "only", "though"})


def restore_effort(phrase: EnglishPhrase, lexicon: ParserContext) -> EnglishPhrase:
    """“Blow the whistle” for "give the whistle a quick blow"; other words as they are."""
    words = list_words(phrase)
    if words[0].removesuffix("s") in WORDS.striking:
        return _restore_stroke(phrase, lexicon)
    if words[0] not in ("give", "gives") or len(words) < 4 or lexicon.is_known(words[-1]):
        return phrase
    article = max((n for n, word in enumerate(words) if word in ("a", "an", "another")), default=0)
    verb = find_leading_verb((phrase[-1],), lexicon)
    if words[-1] in WORDS.attempts and 1 < article >= len(words) - 3:  # "give the mixer a go"
        found = find_in_reach(lexicon, phrase[1:article])
        works = bool(found) and all("use" in e.attributes for e in found)
        return (phrase[0]._replace(low="use"), *phrase[1:article]) if works else phrase
    known = verb is not None and verb.kind in _EFFORTS
    if article < 2 or len(words) - article > 3 or not known:
        return phrase
    if lexicon.count_person_words([t.low for t in phrase[1:article]]):
        return phrase  # "give Marta a push"
    return (phrase[-1]._replace(kind="word"), *phrase[1:article])


def _restore_stroke(phrase: EnglishPhrase, lexicon: ParserContext) -> EnglishPhrase:
    """“Use the gong” for "hit the gong", which has a use and sounds when it is struck."""
    stop = next((n for n, token in enumerate(phrase) if token.low in WORDS.struck), 0)
    found = find_in_reach(lexicon, phrase[1 : stop + 1]) if 0 < stop < _LONGEST_NAME else ()
    works = bool(found) and all("use" in e.attributes for e in found)
    return (phrase[0]._replace(low="use"), *phrase[1:]) if works else phrase


_LONGEST_NAME = 5
_EFFORTS = frozenset({"use", "deed"})
"""The actions whose verb can be a noun after "give": "give it a turn"."""


def join_particle(phrase: EnglishPhrase, lexicon: ParserContext) -> EnglishPhrase:
    """“Hold out the apple to Nell” for "hold the apple out to Nell"."""
    words = list_words(phrase)
    if words[0] not in ("hold", "holds") or ("out", "to") not in pairwise(words[2:]):
        return phrase
    place = words.index("out", 2)
    if not lexicon.count_person_words([t.low for t in phrase[place + 2 :]]):
        return phrase
    return (phrase[0], phrase[place], *phrase[1:place], *phrase[place + 1 :])


def restore_look(phrase: EnglishPhrase) -> EnglishPhrase:
    """“Look at the gate” for "take a good look at the gate"; other words as they are."""
    words = list_words(phrase)
    if words[:1] == ("wash",) and words[1:4] in _WASHED_DOWN and len(words) > 4:
        return (phrase[0]._replace(low="drink"), *phrase[4:])
    if len(words) < 3 or words[1] not in ("a", "an", "another", "one", "the", "\0"):
        return phrase
    if words[0] in ("take", "have", "get", "steal", "sneak", "cast", "throw", "shoot", "risk"):
        for place in range(2, min(len(words), 5)):
            if words[place] in WORDS.looks:
                return (phrase[place]._replace(low="look"), *phrase[place + 1 :])
    if words[0] == "give" and words[-1] in _READINGS | _SEARCHES:
        article = max((n for n, word in enumerate(words) if word in ("a", "an")), default=0)
        if article > 1:
            low = "search" if words[-1] in _SEARCHES else "examine"
            return (phrase[0]._replace(low=low), *phrase[1:article])
    return phrase


def restore_gaze(phrase: EnglishPhrase, lexicon: ParserContext) -> EnglishPhrase:
    """“Look at the letter” for "run an eye over the letter"; else the words as they are."""
    words = list_words(phrase)
    eyes = next((n for n, word in enumerate(words[:4]) if word in WORDS.gazers), 0)
    opener = next((n for n in range(eyes + 1, len(words)) if words[n] in _OVER), 0)
    if not eyes or to_stem(words[0]) not in WORDS.gazes or not opener:
        return phrase
    while words[opener] in _OVER and opener + 1 < len(words):
        opener += 1
    seen, look = phrase[opener:], phrase[0]._replace(low="look")
    if lexicon.is_here(extract_phrase(lexicon, seen)):
        return (look, phrase[0]._replace(low="around"))
    found = NounReader(lexicon, ()).find_entities(seen) or _find_whole(seen, lexicon)
    things = found and all(e.kind != "character" for e in found)
    return (look, phrase[0]._replace(low="at"), *seen) if things else phrase


_OVER = frozenset({"across", "along", "around", "at", "down", "on", "onto", "over", "to", "upon"})


def _find_whole(phrase: EnglishPhrase, lexicon: ParserContext) -> tuple[Entity, ...]:
    """What "the open page of the letter" belongs to."""
    of = next((n for n, token in enumerate(phrase) if token.low == "of"), len(phrase))
    return find_in_reach(lexicon, phrase[of + 1 :]) if phrase[of + 1 :] else ()


def restore_sight(whole: EnglishPhrase, phrase: EnglishPhrase) -> EnglishPhrase:
    """“Examine the lamp” for "let me see the lamp"; "I see the lamp" as it is."""
    start = whole.index(phrase[0]) if phrase[0] in whole else 0
    before = [t.low for t in whole[max(0, start - 2) : start]]
    if phrase[0].low == "see" and before[-1:] and before[-1] in ("to", "me", "us"):
        seen, noun = phrase[0], phrase[1:]
    elif before[-1:] == ["see"] and before[0] in ("me", "us", "let's", "lemme"):
        seen, noun = whole[start - 1], phrase
    else:
        return phrase
    named = noun and noun[0].low in en.DETERMINERS
    return (seen._replace(low="examine"), *noun) if named else phrase


def find_wished_state(phrase: EnglishPhrase) -> tuple[EnglishVerb, EnglishPhrase] | None:
    """The deed for a wished state: "make sure that the gate is closed"."""
    words = list_words(phrase)
    if words[0] in ("get", "have", "set") and (found := _find_state_after(phrase, words)):
        return found if words[0] != "set" or found[0].kind == "use" else None
    length = SEQUENCES.wishes.count(words, 0)
    asked = 0 if length else SEQUENCES.checks.count(words, 0)
    start = length or asked
    if not start or start >= len(words):
        return None
    start += words[start] == "that"
    for table, kind in ((SEQUENCES.having, "take"), (SEQUENCES.arriving, "move")):
        held = table.count(words, start)
        if held and start + held < len(words):
            return _make_verb(kind), _strip_in_hand(phrase[start + held :])
    if words[start] in ("you", "i", "we") and start + 1 < len(words):
        verb = find_leading_verb(phrase[start + 1 :])
        return (verb, phrase[start + 1 :]) if verb is not None else None
    state = _find_state(phrase, words, start)
    if asked and state is not None and all(t.low not in ("with", "using") for t in state[1]):
        return _make_verb("inspect"), _cut_noun(phrase, words, start)
    return state


def _find_being(words: WordSequence, start: int) -> tuple[int, int]:
    """Where the words "is", "ends up" are, and how many they are."""
    for place in range(start + 1, len(words)):
        length = SEQUENCES.being.count(words, place)
        if length and place + length < len(words):
            return place, length
    return 0, 0


def _cut_noun(phrase: EnglishPhrase, words: WordSequence, start: int) -> EnglishPhrase:
    place, _ = _find_being(words, start)
    if place:
        return phrase[start:place]
    number = next(n for n, t in enumerate(phrase) if n >= start and t.low.endswith("'s"))
    return _strip_possessive(phrase[start : number + 1])


def _strip_possessive(noun: EnglishPhrase) -> EnglishPhrase:
    """“The cupboard” for "the cupboard's"."""
    last = noun[-1]
    return (*noun[:-1], last._replace(low=last.low[:-2], end=last.end - 2))


def _find_state(
    phrase: EnglishPhrase, words: WordSequence, start: int
) -> tuple[EnglishVerb, EnglishPhrase] | None:
    """The deed for "X is closed" from `start` on."""
    place, length = _find_being(words, start)
    if place:
        return _read_state(phrase[start:place], phrase[place + length :])
    for number in range(start, len(words) - 1):
        if words[number].endswith("'s"):
            return _read_state(_strip_possessive(phrase[start : number + 1]), phrase[number + 1 :])
        if words[number] in ("has", "gets", "receives", "holds") and number > start:
            return _make_verb("give"), (*phrase[start:number], *phrase[number + 1 :])
    return None


def _read_state(
    noun: EnglishPhrase, after: EnglishPhrase
) -> tuple[EnglishVerb, EnglishPhrase] | None:
    words = list_words(after)
    skipped = 0
    while skipped < len(words) - 1 and (
        words[skipped] in ("wide", "still", "all") or count_adverb(words, skipped)
    ):
        skipped += 1
    words, after = words[skipped:], after[skipped:]
    if words in SEQUENCES.in_hand or words in (("mine",), ("picked", "up")):
        return _make_verb("take"), noun
    state = words[0] if words[0] in PAIRS.state_verbs else ""
    if state and (len(words) == 1 or state not in ("on", "off")):
        return _make_verb(PAIRS.state_verbs[state]), (*noun, *after[1:])
    if words[0] in en.ROLES["put"] and len(words) > 1:
        return _make_verb("put"), (*noun, *after)
    return None


def _find_state_after(
    phrase: EnglishPhrase, words: WordSequence
) -> tuple[EnglishVerb, EnglishPhrase] | None:
    """The deed for "get the gate unlocked with the key"."""
    for place in range(2, len(words)):
        follows = words[place + 1] if place + 1 < len(words) else ""
        if words[place] in ("switched", "turned") and follows in ("on", "off"):
            return _make_verb("use"), phrase[1:place]
        if words[place] in PAIRS.state_verbs and (not follows or follows in WORDS.means):
            if words[place] in ("on", "off"):
                return None
            noun = (
                phrase[1 : place - 2]
                if words[place - 2 : place] == ("to", "be")
                else phrase[1:place]
            )
            return _make_verb(PAIRS.state_verbs[words[place]]), (*noun, *phrase[place + 1 :])
    return None


def _strip_in_hand(phrase: EnglishPhrase) -> EnglishPhrase:
    words = list_words(phrase)
    for length in (3, 2):
        if len(words) > length and words[-length:] in SEQUENCES.in_hand:
            return phrase[:-length]
    return phrase


def _make_verb(kind: str) -> EnglishVerb:
    return EnglishVerb(kind, kind, kind, 0)


def find_contents_search(phrase: EnglishPhrase) -> tuple[EnglishVerb, EnglishPhrase] | None:
    """The search for "see what is in the basket", "check what is under the rug"."""
    if phrase[0].low in WORDS.going:
        phrase = phrase[1:]
    words = list_words(phrase)
    what = next((n for n, w in enumerate(words[:5]) if w in _WHAT), 0)
    if what and words[-1] in _TELLING and words[0] in WORDS.finding | {"read"}:
        return _make_verb("inspect"), phrase[what + 1 : -1]  # "Check what the letter says"
    told = _find_written(words, what + 1) if what and words[0] in _SEEING else 0
    if told:
        return _make_verb("inspect"), phrase[told:]  # "Read what is written in the letter"
    if not what or words[0] not in WORDS.finding:
        return None
    if words[what + 1 :] in SEQUENCES.inside:
        return EnglishVerb("search", "look", "look in", 1), phrase[:1]  # "See what's inside"
    for place in range(what + 1, min(len(words) - 1, what + 6)):
        if words[place] in en.ROLES["take"] and words[place] != "from":
            length = 3 if words[place : place + 3] == ("on", "top", "of") else 1
            after = phrase[place + length :]
            return (_make_verb("search"), after) if after else None
    return None


def _find_written(words: WordSequence, place: int) -> int:
    """Where the letter is named in "what is written in the letter"; 0 if nowhere."""
    length = SEQUENCES.writings.count(words, place)
    reads = words[0] == "read" and words[place : place + 1] == ("is",)
    after = place + (length or reads)  # "read what is on the board"
    if not (length or reads or (words[0] == "read" and words[place - 1] != "what")):
        return 0
    opener = count_preposition(words, after)
    within = " ".join(words[after : after + opener]) in _WRITTEN_IN
    return after + opener if within and after + opener < len(words) else 0


_SEEING = WORDS.finding | {"read"}
_WRITTEN_IN = frozenset({"in", "on", "inside", "at", "on top of"})


def find_tried(phrase: EnglishPhrase) -> tuple[EnglishVerb, EnglishPhrase] | None:
    """The opening for "see if the gate opens"."""
    words = list_words(phrase)
    start = SEQUENCES.checks.count(words)
    opens = words[start - 1] in ("if", "whether") and words[-1] in ("opens", "open")
    named = words[start : start + 1] and words[start] in en.DETERMINERS | en.THINGS | {"\0"}
    if not (start and opens and named) or not start + 1 < len(words) <= start + 5:
        return None
    noun = phrase[start : -2 if words[-2] == "will" else -1]
    plain = not any(count_preposition(words, n) for n in range(start, len(words)))
    return (_make_verb("open"), noun) if plain and noun[-1].low not in WORDS.copulas else None


def is_already_so(lexicon: ParserContext, clause: EnglishPhrase) -> bool:
    """Whether the clause tells of a deed whose result can be seen."""
    words = list_words(clause)
    length = SEQUENCES.done.count(words)
    if not 0 < length < len(clause):
        return False
    kind, noun = _read_deed(clause[length:])
    found = find_in_reach(lexicon, noun) if noun else ()
    return len(found) == 1 and _is_result(kind, found[0], lexicon.actor)


def _read_deed(phrase: EnglishPhrase) -> tuple[str, EnglishPhrase]:
    """The kind of the deed and its object; a bare noun is something that one has."""
    stem = restore_stem(phrase[0].low)
    told = (phrase[0]._replace(low=stem), *phrase[1:]) if stem else phrase
    verb = find_leading_verb(told)
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
