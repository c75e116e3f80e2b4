"""Leaves out what English speakers add to their actions: reasons, settings, remarks.

“I take the lamp, which looks old, because it's dark”: only "I take the lamp" asks for
something. What is left out never names what is acted on, with what or where to.
"""

from saniwa.language.en.addressees import is_bare_order
from saniwa.language.en.parser_state import SHARING, ParserState
from saniwa.language.en.request_wording import find_next_verb, is_small_talk
from saniwa.language.en.words import (
    GERUNDS,
    EnglishPhrase,
    EnglishToken,
    EnglishVerb,
    classify_link,
    count_adverb,
    count_manner,
    count_preposition,
    find_in_reach,
    find_leading_verb,
    is_abstract,
    list_words,
    restore_stem,
)
from saniwa.language.lexicon import en
from saniwa.language.lexicon.en import PAIRS, SEQUENCES, WORDS
from saniwa.language.lexicon.tables import WordSequence
from saniwa.language.mood import find_english_condition
from saniwa.language.parser_context import ParserContext

_RELATIVE = frozenset({"who", "whose", "whom", "which", "where"})
_ASKED_ABOUT = WORDS.question_subjects | WORDS.self
_THINKING = frozenset(form for form, stem in GERUNDS.items() if stem in en.VERBS["unknown"]) - {
    "helping",
    "loading",
    "meaning",
    "quitting",
    "saving",
    "undoing",
}
_OPENERS = (
    _RELATIVE
    | {"before", "for", "as", "while", "to", "so"}
    | WORDS.feelings
    | _THINKING
    | {
        phrase[0]
        for phrase in SEQUENCES.asides | SEQUENCES.trailing | SEQUENCES.purposes | SEQUENCES.errands
    }
)
_INWARD = WORDS.body | WORDS.abstract
_DOING = SHARING | {"move", "search", "wait", "look", "open", "close", "drop"}
_STATES = WORDS.feelings | PAIRS.qualities.keys()
_BECOMING = frozenset({"i", "we", "then"})


_NO_AIM = en.DETERMINERS | en.DIRECTIONS.keys() | en.THINGS | en.PEOPLE | WORDS.here
_AIMS = frozenset({"gesture", "unknown", "deed"})
_AIMED_AT = (
    en.DETERMINERS
    | en.THINGS
    | en.PEOPLE
    | en.SELF
    | WORDS.question_words
    | {
        "both",
        "you",
        "everyone",
        "everybody",
        "if",
        "whether",
        "out",
        "off",
        "up",
        "down",
        "more",
        "sure",
    }
)


def drop_asides(state: ParserState, end: int) -> int:
    """Drop "because it's dark" and ", which looks old"; return where the sentence ends then."""
    start = place = state.place
    words = list_words(state.tokens[:end])
    if _OPENERS.isdisjoint(words):
        return end
    while place < end:
        length = words[place] in _OPENERS and _count_aside(state, words, start, place)
        stop = state.find_end(place + length, end, _ends_aside) if length else place
        if length and place == start and words[place] in _BEGINNING:
            stop = _find_begun(state, place, stop)
        listed = any(_ends_list(state, n) for n in range(place, stop))
        # "Since you have the key" is checked against the world.
        whole = stop - place > length or words[place] != "as"  # but not "sour as it is"
        opens = stop < end and not SEQUENCES.done.count(words, place)
        if length and whole and not listed and (place > start or opens):
            inside = words[place] in _RELATIVE and stop < end
            inside = inside and place > start and state.tokens[place - 1].kind == "comma"
            if inside and find_next_verb(state.tokens[stop + 1 : end], state.lexicon) is None:
                place, stop = place - 1, stop + 1  # "give Ines, who is hungry, the bun"
            if place == start:
                state.spoken_of = state.tokens[place + length : stop]
                stop += opens and state.tokens[stop].kind == "comma"
            state.tokens = (*state.tokens[:place], *state.tokens[stop:])
            words = (*words[:place], *words[stop:])
            end -= stop - place
        else:
            place += 1
    return end


def drop_excuse(state: ParserState, end: int) -> int:
    """Drop ", and if anyone asks, I'm looking for Otto" at the end of a sentence; its new end."""
    tokens = state.tokens
    for begin in range(state.place + 2, end - 4):
        if tokens[begin].low not in ("if", "should") or not classify_link(tokens[begin - 1]):
            continue
        stop = state.find_end(begin, min(end, begin + 6), lambda token: token.kind == "comma")
        said = tokens[stop + 1 : end]
        asked = 2 < stop - begin < 5 and tokens[stop - 1].low in ("ask", "asks", "wonders")
        excused = asked and said and said[0].low in _EXCUSING
        # "If she asks, I give her the letter" is a condition.
        if excused and find_next_verb(said, state.lexicon) is None:
            kept = next(n for n in range(begin, 0, -1) if not classify_link(tokens[n - 1]))
            state.tokens = (*tokens[:kept], *tokens[end:])
            return kept
    return end


_EXCUSING = frozenset({"i'm", "i", "it's", "it", "that's", "this", "we're", "we", "you", "nobody"})


def count_chat(said: EnglishPhrase, lexicon: ParserContext) -> int:
    """How many words of chat come before "…, anyway, take the key"; 0 if it asks for something."""
    words, low = list_words(said), [t.low for t in said]
    for place in range(len(said) - 3, _SHORTEST_CHAT, -1):
        length = SEQUENCES.returning.count(words, place)
        if not length or said[place - 1].kind != "comma":
            continue
        before, rest = said[:place], said[place + length :]
        rest = rest[rest[:1] != () and rest[0].kind == "comma" :]
        asks = rest and (is_bare_order(rest) or SEQUENCES.wanting.count(list_words(rest)))
        asks = asks or " ".join(list_words(rest[:3])) in ("i want to", "i wanna", "let me")
        real = _IMAGINING.isdisjoint(low) and not find_english_condition(low[:place])
        asks = asks or (real and _is_deed_told(rest, lexicon))
        told = not _REPORTING.isdisjoint((low[place - 2], *low[place:]))
        idle = not (is_bare_order(before) or find_english_condition(low[:1]))
        return place + length if asks and idle and not told and not lexicon.narrated else 0
    return 0


def _is_deed_told(rest: EnglishPhrase, lexicon: ParserContext) -> bool:
    """“You know what, I just eat the sandwich”: what the speaker does now."""
    start = next((n for n, t in enumerate(rest) if t.low in _SPEAKERS), len(rest))
    verb = find_next_verb(rest[start:], lexicon) if start < len(rest) else None
    if verb is None or verb.kind not in _DOING or verb.word in WORDS.unmarked_pasts:
        return False
    before = tuple(t for t in rest[:start] if t.kind != "comma")
    return not before or is_small_talk(before)


_IMAGINING = frozenset({"dream", "dreamed", "dreamt", "imagine", "imagined", "story", "says"})
_SHORTEST_CHAT = 6
_REPORTING = frozenset({"said", "says", "say", "told", "tells", "asked", "asks"})


def drop_parentheses(tokens: EnglishPhrase, lexicon: ParserContext) -> EnglishPhrase:
    """The tokens without a remark in parentheses: "the crown (somebody sat on it)"."""
    text = lexicon.heard.text
    begin = next((n for n, t in enumerate(tokens) if text[t.start : t.end] == "("), 0)
    end = next((n for n in range(begin, len(tokens)) if text[tokens[n].start] == ")"), 0)
    inside = tokens[begin + 1 : end] if begin and end > begin else ()
    words = list_words(inside)
    if len(words) < _SHORTEST_REMARK or any(t.kind in ("stop", "quote") for t in inside):
        return tokens
    told = any(w in WORDS.copulas | WORDS.past_verbs or w.endswith("ed") for w in words[1:])
    free = _LIMITED.isdisjoint(words) and not find_english_condition(words)
    judged = _is_other_judged(inside)
    if any(map(lexicon.find_matches, words)) and not judged:
        return tokens  # "get the blanket (the diary as well)"
    if not (judged or (told and free)) or find_next_verb(inside, lexicon) is not None:
        return tokens
    return (*tokens[:begin], *tokens[end + 1 :])


def _is_other_judged(inside: EnglishPhrase) -> bool:
    """“(The blue one is scratched)”: what another thing is like, with no word more."""
    words = list_words(inside)
    place = next((n for n, word in enumerate(words) if word in ("is", "was", "are")), 0)
    told = words[place + 1 :] if place and words[0] in en.DETERMINERS and place < 5 else ()
    idle = len(told) == 1 or (len(told) == 2 and told[0] in ("too", "so", "very", "all"))
    return idle and (told[-1] in _STATES | WORDS.state_adjectives | _SPOILT)


_SPOILT = frozenset(
    {"scratched", "cracked", "broken", "torn", "damaged", "ruined", "ugly", "stuck"}
)
_SHORTEST_REMARK = 3
_LIMITED = (
    WORDS.negating | WORDS.choices | WORDS.one | WORDS.correcting | frozenset({"only", "then"})
)


def _ends_list(state: ParserState, place: int) -> bool:
    """Whether a quotation or another deed is there: "and open it", but not "and the lamp"."""
    token, after = state.tokens[place], state.tokens[place + 1 :]
    linked = token.kind == "word" and token.low in WORDS.joining
    told = len(after) > 1 and after[1].low in WORDS.auxiliaries  # "and I can't breathe"
    speaks = after and after[0].low in WORDS.speakers and not told
    known = linked and after and (speaks or find_next_verb(after, state.lexicon))
    return token.kind == "quote" or bool(known)


def _count_aside(state: ParserState, words: WordSequence, start: int, place: int) -> int:
    """How many words open an aside here."""
    length = SEQUENCES.asides.count(words, place)
    if words[place : place + length] == ("so", "that") and words[place - 1] == "it":
        length = 0  # "make it so that the cupboard is closed"
    if not length and place > start and state.tokens[place - 1].kind == "comma":
        length = _count_trailing(state, words, place)
    if not length and place > start:
        length = _count_aim(state, words, start, place)
    if not length and place > start and words[place] == "as":  # "as quietly as the wood allows"
        idle = count_adverb(words, place + 1)
        length = idle and words[place + 1 + idle : place + 2 + idle] == ("as",) and idle + 2
    if not length and place == start:
        length = _count_opening(state, words, place)
    if not length and place > start:
        length = _count_after_deed(state, words, start, place)
    if not length and words[place] == "while":
        length = _count_while(words, place) or _count_meanwhile(state, words, place)
    return length


def _count_after_deed(state: ParserState, words: WordSequence, start: int, place: int) -> int:
    """How many words open "before Marta gets it", "so she sees it", "since Marta wants it"."""
    if words[place] in ("before", "where"):
        return _count_later(state, words, start, place)
    if words[place] in ("until", "till"):
        wait = max((n for n in range(start, place) if words[n] == "wait"), default=0)
        pause = state.tokens[wait + 1 : place]
        waits = words[wait] == "wait" and (not pause or is_small_talk(pause))
        return int(waits and not any(map(classify_link, state.tokens[place : len(words)])))
    if words[place] == "since":
        after = [t.low for t in state.tokens[place + 1 : place + 6]]
        return int(state.lexicon.count_person_words(after) > 0)
    return _count_result(state, words, start, place) if words[place] == "so" else 0


def _find_verb_before(state: ParserState, start: int, place: int) -> tuple[EnglishVerb | None, int]:
    """The verb of the clause that ends at `place`, and where that clause begins."""
    least = max(start, place - _LONGEST_CLAUSE)
    links = (n + 1 for n in range(place - 1, least, -1) if classify_link(state.tokens[n]))
    begin = next(links, least)
    said = state.tokens[begin:place]
    return (find_next_verb(said, state.lexicon) if said else None), begin


def _count_trailing(state: ParserState, words: WordSequence, place: int) -> int:
    """How many words open an aside after a comma: ", for the night is long"."""
    length = SEQUENCES.trailing.count(words, place)
    feeling = words[place + 1 : place + 2] if words[place] in WORDS.feelings else ()
    length = length or int(feeling != () and feeling[0] in WORDS.felt)
    rest = words[place : state.find_end(place, len(words), _ends_aside)]
    if not length and words[place] in _RELATIVE and _BECOMING.isdisjoint(rest):
        asked = rest[1:2] and rest[1] in WORDS.question_verbs and rest[0] != "which"
        length = len(rest) > 2 and not (asked and rest[2] in _ASKED_ABOUT)
    if not length and words[place] == "for" and not WORDS.copulas.isdisjoint(rest):
        length = 1
    return length


def _count_aim(state: ParserState, words: WordSequence, start: int, place: int) -> int:
    """How many words open what a deed is for: "to see the stars", "for anything useful"."""
    tables = (SEQUENCES.errands, SEQUENCES.purposes, SEQUENCES.hoped_for)
    aims = _is_aim(state, words, place)
    known = aims or any(table.count(words, place) for table in tables)
    verb, begin = _find_verb_before(state, start, place) if known else (None, start)
    if verb is None:
        return 0
    if SEQUENCES.errands.count(words, place) and verb.kind == "move":
        goals = (state.extract(state.tokens[n:place]) for n in range(begin + 1, place))
        if any(map(state.lexicon.is_near, goals)):
            return 2
    purpose = SEQUENCES.purposes.count(words, place)
    if purpose and _has_condition(state, words, place + purpose):
        return 0
    if aims or purpose:
        return 2 * (verb.kind in _DOING and verb.phrase not in WORDS.tool_verbs)
    hoped = SEQUENCES.hoped_for.count(words, place)
    seeks = verb.kind in ("search", "inspect", "look")
    return hoped if hoped and seeks and _is_hoped_for(state, words, place) else 0


def _count_result(state: ParserState, words: WordSequence, start: int, place: int) -> int:
    """“So Marta can see it”, “so we keep warm”: what a deed is for, and no deed of the speaker."""
    verb, begin = _find_verb_before(state, start, place)
    if verb is None or verb.kind not in SHARING | {"move"}:
        return 0
    longest = min(len(words), place + _LONGEST_CLAUSE)
    after = state.tokens[place + 1 : state.find_end(place, longest, _ends_clause)]
    subject = after[0].low if after else ""
    made = "make" in words[begin:place] and words[place - 1] == "it"  # "make it so that …"
    if len(after) < 2 or made or _has_condition(state, words, place):
        return 0
    if subject in _SPEAKERS:
        verb = find_leading_verb(after[1:], state.lexicon)
        return int(verb is None or verb.kind == "unknown")
    named = state.lexicon.count_person_words([t.low for t in after])
    told = subject in en.DETERMINERS | WORDS.others | _ANYBODY | {"nobody", "everything"}
    return int(told or 0 < named < len(after))


def _has_condition(state: ParserState, words: WordSequence, place: int) -> bool:
    """Whether a condition follows "to prove it", and not "to see *if* it fits"."""
    stop = state.find_end(place, len(words), _ends_clause)
    condition = find_english_condition(words[place + 1 : stop])
    return bool(condition) and tuple(condition.split()) not in SEQUENCES.other_times


def _is_aim(state: ParserState, words: WordSequence, place: int) -> bool:
    """“To cheer Marta up”: a verb that is no deed here, with an object and no condition."""
    if words[place] != "to" or len(words) < place + 2:
        return False
    stop = state.find_end(place, len(words), _ends_clause)
    after = state.tokens[place + 1 : stop]
    if len(after) < 2 or after[0].low in _NO_AIM or state.lexicon.is_known(after[0].low):
        return False
    verb = find_leading_verb(after, state.lexicon)
    split = after[1].low in WORDS.particles | {"off"}
    if (verb is not None and verb.kind not in _AIMS) or _has_condition(
        state, words, place + 2 + split
    ):
        return False
    return after[1].low in _AIMED_AT or state.lexicon.is_known(after[1].low)


def _count_opening(state: ParserState, words: WordSequence, place: int) -> int:
    """“As the clock strikes, I …”, “feeling hungry, I …”: what opens a sentence before its deed."""
    whole = state.find_end(place, len(words), _ends_aside)
    stop = _find_begun(state, place, whole)
    if stop == whole and words[stop + 1 : stop + 2] not in (("i",), ("we",)):
        return 0
    if words[place] in _THINKING:
        return 1
    told = words[place + 1 : stop]
    if words[place] == "while":
        acts = state.tokens[stop + (stop == whole) :]
        habit = any(t.low in WORDS.doubting for t in acts)
        supposed = (WORDS.copulas | {"have"}).isdisjoint(told) or not _SUPPOSED.isdisjoint(told)
        return int(len(told) > 1 and not (habit or supposed))
    if words[place] != "as" or told[:1] in (("soon",), ("long",)) or stop <= place + 3:
        return 0
    return int(find_next_verb(state.tokens[place + 1 : stop], state.lexicon) is None)


def _find_begun(state: ParserState, place: int, stop: int) -> int:
    """Where “I read it” begins in "although I'm tired I read it", with no comma; else `stop`."""
    for begin in range(place + 3, min(stop, place + _LONGEST_CLAUSE)):
        if state.tokens[begin].low in _SPEAKERS and state.tokens[begin - 1].low not in _BEFORE_I:
            verb = find_next_verb(state.tokens[begin + 1 : begin + 9], state.lexicon)
            if verb is not None and verb.kind in _DOING:
                return begin
    return stop


_SPEAKERS = frozenset({"i", "we"})
_LONGEST_CLAUSE = 40
_BEFORE_I = frozenset({"that", "than", "what", "which", "who", "where", "how", "if", "when"})
_BEGINNING = frozenset({"as", "while", "although", "since", "because", "though", "even", "now"}) | {
    "seeing",
    "given",
    "considering",
}
_SUPPOSED = WORDS.stating_modals | WORDS.negating | {"will", "would", "shall"}


def _is_hoped_for(state: ParserState, words: WordSequence, place: int) -> bool:
    """“For anything that could be useful tonight”; no condition of the deed is dropped."""
    stop = state.find_end(place, len(words), _ends_clause)
    condition = find_english_condition(words[place:stop])
    relative = words[place + 2 : place + 3] in (("that",), ("which",), ("i",), ("we",))
    later = tuple(condition.split()) in SEQUENCES.other_times
    sought = condition == words[place]  # "until I find it"
    return not condition or sought or (later and relative and stop > place + 4)


def _count_while(words: WordSequence, place: int) -> int:
    """“While standing on one leg”: what the speaker does meanwhile, if that is no deed."""
    form = (*words[place + 1 : place + 2], "")[0]
    stem = GERUNDS.get(form, "")
    deed = stem and find_leading_verb((EnglishToken(stem, 0, 0, "word"),))
    idle = not deed or deed.kind in ("gesture", "wait") or form in WORDS.stative
    stop = next((n for n in range(place, len(words)) if words[n] == ","), len(words))
    thinking = form in ("i", "we") and not WORDS.thinking.isdisjoint(words[place + 2 : place + 3])
    unseen = words[stop - 1] in ("looking", "watching") and place > 0
    return 2 * ((form.endswith("ing") and idle) or thinking or unseen)


def _count_later(state: ParserState, words: WordSequence, start: int, place: int) -> int:
    """“Before Marta gets it”, “where Marta can see it”: another's deed after that of the speaker."""
    verb, begin = _find_verb_before(state, start, place)
    if verb is None or verb.kind not in SHARING | {"move"}:
        return 0
    placed = any(count_preposition(words, n) for n in range(begin + 1, place))
    if words[place] == "where" and not placed:
        return 0  # "put it where Marta can see it"
    after = state.tokens[place + 1 : state.find_end(place, len(words), _ends_clause)]
    named = state.lexicon.count_person_words([t.low for t in after])
    named = 0 if after and after[0].low in en.SELF else named
    named = named or int(bool(after) and after[0].low in _ANYBODY)
    if words[place] == "before" and (not after or after[-1].low not in ("it", "them")):
        return 0  # "before Marta comes back" is another time, "before she gets it" a reason
    named = named or (
        2 if len(after) > 2 and after[0].low == "the" and words[place] == "where" else 0
    )
    return int(0 < named < len(after) and not _has_condition(state, words, place + named))


_ANYBODY = frozenset({"anybody", "anyone", "everybody", "everyone", "somebody", "someone", "it"})


def _count_meanwhile(state: ParserState, words: WordSequence, place: int) -> int:
    """“While the stove ticks”: what a thing does meanwhile, and not how or where it is."""
    stop = state.find_end(place, len(words), _ends_clause)
    clause = words[place:stop]
    if not WORDS.copulas.isdisjoint(clause) or not WORDS.negating.isdisjoint(clause):
        return 0
    for after in range(place + 2, min(stop, place + 5)):
        found = find_in_reach(state.lexicon, state.tokens[place + 1 : after])
        acts = restore_stem(words[after]) or words[after].endswith("s")
        if found and acts and {e.kind for e in found} - {"character"}:
            return int(all(e.kind != "character" for e in found))
    return 0


def _ends_clause(token: EnglishToken) -> bool:
    return _ends_aside(token) or token.kind == "stop"


def _ends_aside(token: EnglishToken) -> bool:
    return token.kind == "comma" or token.low in WORDS.following


def is_reason(state: ParserState, whole: EnglishPhrase) -> bool:
    """“The umbrella is broken, so I drop it”: the first clause asks for nothing."""
    rest = state.tokens[state.place : state.place + 2]
    if len(rest) < 2 or rest[0].kind != "comma" or rest[1].low != "so":
        return False
    acts = state.tokens[state.place + 2 : state.place + 3]
    told = whole[0].low in WORDS.others and bool(acts) and acts[0].low in _BECOMING
    return told or any(t.low in WORDS.copulas or t.low.endswith(("'s", "'m", "'re")) for t in whole)


def is_setting(state: ParserState, whole: EnglishPhrase) -> bool:
    """“Swaying with the ship, I take it”, “my stomach growls”: how the speaker is, and no deed."""
    first, second = (*(t.low for t in whole), "")[:2]
    if first in en.MINE and len(whole) > 2 and second in _INWARD:
        verb = find_leading_verb(whole[2:], state.lexicon)
        idle = verb is None or verb.kind in ("gesture", "unknown", "deed")
        if second in WORDS.senses or idle:
            state.spoken_of = whole if second in WORDS.senses else state.spoken_of
            return True
    follows = [t.low for t in state.tokens[state.place : state.place + 3]]
    if _is_moving_feelings(whole) and follows[:2] == [",", "but"]:
        return True
    linked = follows[:1] == [","] or (follows[:1] == ["and"] and is_abstract(first))
    if not linked or WORDS.speakers.isdisjoint(follows[1:3]):
        return False
    stem = restore_stem(first)
    verb = find_leading_verb((whole[0]._replace(low=stem), *whole[1:])) if stem else None
    moved = verb is not None and verb.kind == "gesture"  # "crouching beside the crate"
    # "Having nothing better to do"
    moved = moved or (first == "having" and second in WORDS.had_in_mind)
    formed = first.endswith(("ing", "ed")) and not stem and first not in WORDS.doubting
    described = first in _STATES or second == "as" or formed
    told = is_abstract(first) or any(t.low in WORDS.copulas for t in whole[1:])
    idle = count_manner(list_words(whole), 0) > 0  # "with a glance at Otto"
    if find_leading_verb(whole, state.lexicon) is not None:
        return False
    apart = follows[0] == "," and _is_apart(state, whole)
    linked_twice = follows[0] == "and" or follows[1] in en.LINKS
    return (told if linked_twice else described or moved or idle or apart) and not (
        described and state.find_first_name(whole)
    )


def _is_moving_feelings(whole: EnglishPhrase) -> bool:
    """“The scratching worries me”."""
    words = list_words(whole)
    return len(words) > 2 and words[-1] in ("me", "us") and words[-2] in WORDS.affecting


def _is_apart(state: ParserState, whole: EnglishPhrase) -> bool:
    """“Ever the professional, I …”: words before the subject that name and limit nothing."""
    words = list_words(whole)
    if len(words) < 2 or words[0] in _NO_SETTING or count_preposition(words, 0):
        return False
    if not _LIMITING.isdisjoint(words) or restore_stem(words[0]):
        return False
    return not any(map(state.lexicon.find_matches, words))


_NO_SETTING = (
    en.DETERMINERS
    | WORDS.question_verbs
    | WORDS.question_words
    | WORDS.others
    | {"most", "each", "every"}
)
_LIMITING = (
    WORDS.negating
    | WORDS.no_manner
    | WORDS.stating_modals
    | WORDS.past_verbs
    | WORDS.others
    | WORDS.choices
    | en.PEOPLE
    | en.THINGS
    | WORDS.doubting
)


def is_remark(state: ParserState, whole: EnglishPhrase) -> bool:
    """“Drop the umbrella, it's useless”: why, after what is asked for."""
    words = list_words(whole)
    if words[0] in WORDS.greetings and len(words) < 3 and state.is_clause_next():
        return not state.has_deed() and words[-1] not in state.lexicon.people
    if words[:2] == ("never", "mind") and len(words) > 2 and state.has_deed():
        again = {str(c.get("target", "")).lower() for c in state.list_claims()}
        if state.extract(whole[2:]).lower() in again:
            state.block(whole)  # "take the cup and the bun, never mind the cup"
        return state.link in ("comma", "and")
    about = SEQUENCES.remarks.count(words) > 0 or words[-3:] == ("as", "it", "is")
    inserted = state.link in ("then", "stop") and state.linker in (",", "and")
    inserted = inserted and state.is_clause_next()
    about = about or (words[0] == "whatever" and _is_opinion(state, whole[1:]))
    return about and (state.link == "comma" or inserted) and state.has_deed()


def _is_opinion(state: ParserState, phrase: EnglishPhrase) -> bool:
    """“Marta thinks of it”: what a character thinks or says."""
    named = state.lexicon.count_person_words([t.low for t in phrase])
    return 0 < named < len(phrase) and phrase[named].low in ("think", "thinks", "say", "says")
