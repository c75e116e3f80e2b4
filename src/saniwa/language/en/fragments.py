"""Read English clauses that have a sense only after others: objects, ways, corrections."""

from itertools import pairwise

from saniwa.language.en.asides import is_reason
from saniwa.language.en.clause_claims import make_clause_claims
from saniwa.language.en.exclusions import EXCEPT, find_spared
from saniwa.language.en.noun_phrases import NounReader
from saniwa.language.en.parser_state import SHARING, ParserState, is_changing_deed, is_deed
from saniwa.language.en.request_wording import find_next_verb, is_small_talk, trim_phrase
from saniwa.language.en.retractions import is_judgement, is_taking_back
from saniwa.language.en.speech import name_hearer
from saniwa.language.en.words import (
    GERUNDS,
    EnglishPhrase,
    EnglishVerb,
    classify_link,
    count_preposition,
    find_in_reach,
    find_leading_verb,
    is_adverb,
    list_words,
)
from saniwa.language.lexicon import en
from saniwa.language.lexicon.en import PAIRS, SEQUENCES, WORDS
from saniwa.language.name_match import is_head_noun, parse_noun_phrase
from saniwa.language.parser_context import Claim, ParserContext, make_emote_claim, strip_article
from saniwa.world.model import Id

_LISTING = SHARING | {"search", "look"}
_GO = EnglishVerb("move", "go", "go", 0)
_DETERMINERS = en.DETERMINERS | {"both", "all", "every", "each"}


def parse_fragment(state: ParserState, whole: EnglishPhrase, phrase: EnglishPhrase) -> None:
    """Read a clause without a verb, or note that it is not understood."""
    if is_small_talk(phrase) or _is_carried_along(state, phrase) or _is_sum(state, phrase):
        return
    chosen = find_in_reach(state.lexicon, whole[1:]) if state.refused and len(whole) > 1 else ()
    if state.refused and whole[0].low in _ONLY and state.linker == "," and len(chosen) == 1:
        state.accept_clause(state.refused, whole[1:])  # "don't take the cup, just the bun"
        return
    opens = len(phrase) > 2 and not count_preposition(list_words(phrase), 0)
    if opens and phrase[1].low in en.DETERMINERS and _has_body(phrase[2:4]):
        state.claims.append(make_emote_claim(state.extract(whole)))  # "Wrap my fingers around it"
        state.spoken_of, state.sought = phrase, True
        return
    words = state.extract(phrase)
    tied = state.link in ("and", "comma") or state.linker == "then"
    inherits = state.verb is not None and tied and bool(state.group)
    if inherits and (_continue_clause(state, whole) or _continue_clause(state, phrase)):
        return
    way = _find_way(state, phrase)
    if way or _leads_on(state, words, inherits=inherits):
        _add_move(state, way or words)
    elif _is_participle(state, phrase) or (inherits and _parse_inherited(state, phrase, words)):
        return
    elif is_reason(state, whole) or _is_topic(state, whole):
        named = state.find_first_name(whole) or name_hearer(whole, state.lexicon) not in en.PEOPLE
        state.spoken_of = whole if named else state.spoken_of
    else:
        if strip_article(words) in state.lexicon.people:
            state.asked = words
        state.block(whole)
        # "The book says: eat the bun" reports an action, also in a reply.
        follows = state.tokens[state.place : state.place + 1]
        state.now.framed = state.now.framed or any(t.low == ":" for t in follows)
        state.drop_words(whole)


_ONLY = frozenset({"just", "only"})


def narrow_group(state: ParserState, whole: EnglishPhrase) -> bool:
    """“The gloves and the lamp, well, just the lamp”: whether only one of several is meant."""
    only = whole[0].low in _ONLY
    said, found = whole[only:], find_in_reach(state.lexicon, whole[only:])
    if state.link != "comma" or not (only or state.correcting) or len(found) != 1:
        return False
    if len({claim["type"] for claim in state.group}) != 1:
        return False
    last, targets = state.group[-1], {e for c in state.group for e in _find_targets(state, c)}
    everything = str(last.get("target", "")).split(" ")[0] in WORDS.all_words
    if not everything and (len(targets) < 2 or found[0].id not in targets):
        return False
    kept = {role: value for role, value in last.items() if role != "targetId"}
    state.group, state.correcting = [kept | {"target": state.extract(said)}], False
    return True


def _is_sum(state: ParserState, phrase: EnglishPhrase) -> bool:
    """“The cup and the bun, both of them”, “the plum, only the plum”: it names nothing new."""
    low = [t.low for t in phrase]
    only = low[0] in _ONLY and len(low) > 1
    if not state.group or state.linker not in ((",", "and") if only else (",",)):
        return False
    if only:
        named = {e.id for e in find_in_reach(state.lexicon, phrase[1:])}
        return named == {e for claim in state.group for e in _find_targets(state, claim)}
    said = low[low[0] in ("all", "the") :]
    number = int(PAIRS.numbers.get(said[0], 0)) if said else 0
    plain = said[number > 0 :] in ([], ["of", "them"]) and (number or low[0] == "all")
    return bool(plain) and len(state.group) > 1 and number in (0, len(state.group))


def replace_last_deed(state: ParserState, whole: EnglishPhrase) -> bool:
    """“Drop it, actually no, put it on the desk”: whether the next deed is done instead."""
    rest = state.tokens[state.place : min(state.now.end, state.place + _LONGEST_CLAUSE)]
    if state.link != "comma" or not state.group or not _is_bare_refusal(list_words(whole)):
        return False
    if len(rest) < 3 or rest[0].kind != "comma":
        return False
    stop = next((n for n in range(1, len(rest)) if classify_link(rest[n])), len(rest))
    said, kind = rest[1:stop], state.group[-1]["type"]
    verb = find_next_verb(said, state.lexicon) if said else None
    instead = said[-1:] != () and said[-1].low == "instead"
    again = not en.THINGS.isdisjoint(t.low for t in said) and kind in _PARTING | {"eat"}
    if verb is None or not (
        verb.kind == kind or instead or (again and verb.kind in _PARTING | {"take"})
    ):
        return False
    state.spoken_of, state.sought, state.group = state.said, True, []
    if instead:
        at = state.place + stop - 1
        state.tokens = (*state.tokens[:at], *state.tokens[at + 1 :])
        state.now.end -= 1
    return True


def revoke_last_deed(state: ParserState, whole: EnglishPhrase) -> bool:
    """“…, actually no, keep it, and go north”: whether the last of several deeds is not wanted.

    So “the script, the cup - no, not the cup - and the key”.
    """
    rest = state.tokens[state.place : min(state.now.end, state.place + _LONGEST_CLAUSE)]
    deeds = [claim for claim in state.list_claims() if is_deed(claim)]
    if state.link != "comma" or not state.group or len(deeds) < 2 or len(rest) < 3:
        return False
    stop = next((n for n in range(1, len(rest)) if classify_link(rest[n])), len(rest))
    if rest[0].kind != "comma" or not _is_bare_refusal(list_words(whole)):
        return False
    if not _is_revoking(state, rest[1:stop]):
        return False
    remove_claim(state, state.group[-1])
    state.place += stop
    return True


def _is_revoking(state: ParserState, said: EnglishPhrase) -> bool:
    """Whether "keep it" or "not the cup" means the last deed, and no other."""
    last, first = state.group[-1], said[0].low if said else ""
    meant = _find_targets(state, last)
    named = {e.id for e in find_in_reach(state.lexicon, said[1:])} if said[1:] else set()
    if first == "not":
        others = [_find_targets(state, claim) for claim in state.group[:-1]]
        return len(meant) == 1 and named == meant and all(map(meant.isdisjoint, others))
    it = list_words(said[1:]) in (("it",), ("that",), ("it", "there"), ("it", "here"))
    alone = len(state.group) == 1 and last["type"] not in [c["type"] for c in state.claims[-1:]]
    return (
        alone and last["type"] in _REVOKED.get(first, ()) and (it or bool(named and named == meant))
    )


_REVOKED = {"keep": frozenset({"give", "put", "drop", "eat"}), "leave": frozenset({"take", "eat"})}
_LONGEST_CLAUSE = 40
_PARTING = frozenset({"drop", "put", "give", "take"})


def _continue_clause(state: ParserState, phrase: EnglishPhrase) -> bool:
    """“Unlock the cabinet, with the tiny key”: whether it fills a role of the last clause."""
    verb, length = state.verb, count_preposition(list_words(phrase), 0)
    opener = " ".join(list_words(phrase[:length]))
    if verb is None or state.linker != "," or not 0 < length < len(phrase):
        return False
    role = en.ROLES.get(verb.kind, {}).get(opener)
    beside = verb.kind == "put" and opener in WORDS.beside
    filled = role and any(role in claim for claim in state.group)
    if not (role or beside) or filled or len(state.group) > 1:
        return False
    state.group = []
    state.accept_clause(verb, (*state.said, *phrase))
    return True


def _is_carried_along(state: ParserState, phrase: EnglishPhrase) -> bool:
    """“I climb up, my torch in hand”: the torch is held already."""
    words = list_words(phrase)
    held = next((n for n in (2, 3) if words[-n:] in SEQUENCES.in_hand | {("in", "hand")}), 0)
    if not held or state.linker != "," or not state.has_deed():
        return False
    found = find_in_reach(state.lexicon, phrase[:-held]) if phrase[:-held] else ()
    return bool(found) and all(e.place == state.lexicon.actor for e in found)


def _has_body(words: EnglishPhrase) -> bool:
    return not (WORDS.body | WORDS.clothes).isdisjoint(t.low for t in words)


def _leads_on(state: ParserState, words: str, *, inherits: bool) -> bool:
    """Whether the words alone are a move: "north", "the hall", "up the stairs"."""
    ahead = _has_moved(state) and _is_exit_label(state, words)
    moving = state.verb is not None and state.verb.kind == "move"
    near = (moving or not inherits) and state.lexicon.is_near(words)
    return ahead or near or state.lexicon.is_way(words)


def _add_move(state: ParserState, words: str) -> None:
    """Move there; after "out of the kitchen" or "go up" it says where to."""
    last, exit_there = state.list_claims()[-1:], state.lexicon.find_exit(words)
    moved = str(last[0].get("target", "")) if last and last[0]["type"] == "move" else ""
    if exit_there and exit_there == state.lexicon.find_exit(moved):
        return
    state.end_group()
    state.flush_dropped()
    state.verb = _GO
    state.group.append({"type": "move", "target": words})


def _parse_inherited(state: ParserState, phrase: EnglishPhrase, words: str) -> bool:
    """Read a clause that has the verb of the clause before it; whether it is one."""
    verb = state.verb
    if len(state.group) > 1 and phrase[-1].low in WORDS.one and _is_restated(state, phrase):
        return True
    which = state.linker == "," and phrase[-1].low in WORDS.one and len(phrase) > 1
    if verb is None or _is_called(state, words):
        # "Take the lamp, Marta": another person is to do it.
        state.asked, state.now.framed = words, True
    elif not (which or _names_recipient(state, phrase)):
        if _has_unknown_verb(phrase, state.lexicon):
            return False
        if _is_list_item(state, verb, phrase):
            # "Look at the chest and then at the cupboard".
            again = phrase[0].low == verb.phrase.split(" ")[-1] and len(phrase) > 1
            said = (phrase[0]._replace(low=verb.word, kind="word"), *phrase)
            other = find_leading_verb(said, state.lexicon) if len(phrase) > 1 else None
            if other and other.length == 2 and other.kind == verb.kind:
                verb, again = other, True  # "look in the box and under the bench"
            state.accept_clause(verb, phrase[again:])
            return True
        if _add_key(state, words):
            return True
    # "Open the cupboard, the tall one": which one is not known.
    state.now.blocked, state.now.nearest = words, ""
    return True


def _is_restated(state: ParserState, phrase: EnglishPhrase) -> bool:
    """“Both keys, the rusty one and the silver one”: whether it names one of those again."""
    targets = {e for claim in state.group for e in _find_targets(state, claim)}
    names = (state.lexicon.world.entities[e].name.lower().split() for e in targets)
    said = {t.low for t in phrase[:-1]} - _DETERMINERS
    return bool(said) and sum(said <= {*name} for name in names) == 1


def _is_list_item(state: ParserState, verb: EnglishVerb, phrase: EnglishPhrase) -> bool:
    """Whether a noun after a comma is one more object: "take the cup, the bun".

    After a clause that is complete it is not: "unlock the chest, brass key".
    """
    if state.linker != "," or any(count_preposition((t.low,), 0) for t in phrase):
        return True
    last, found = state.group[-1], find_in_reach(state.lexicon, phrase)
    if not found and phrase[0].low not in _DETERMINERS:
        return False  # "Open the cupboard, honey"
    if phrase[-1].low in state.lexicon.here | state.lexicon.near:
        return False  # "Eat the bun, the whole kitchen"
    bare, said = phrase[0].low not in _DETERMINERS, parse_noun_phrase(state.extract(phrase))
    if bare and not any(is_head_noun(said, e) for e in found):
        return False  # "Eat the plum, stone and all", where there is a stone mask
    complete = state.paired or not {"type", "target", "targetId", "relation"}.issuperset(last)
    if verb.kind in ("open", "close", "lock", "unlock"):
        complete = complete or any(e.takeable and not e.openable for e in found)
    return not complete and verb.kind in _LISTING


def _add_key(state: ParserState, words: str) -> bool:
    """Use a key that is named after a complete clause; whether it is one that fits."""
    keys = {e.id for e in state.lexicon.find_matches(words)}
    for claim in (*state.claims[state.now.mark :], *state.group):
        found = state.lexicon.find_matches(str(claim.get("target", "")))
        fits = len(keys) == 1 and [e.required_key for e in found] == [*keys]
        if fits and claim["type"] in ("lock", "unlock", "open") and "tool" not in claim:
            claim["tool"] = words
            return True
    return False


def _is_topic(state: ParserState, whole: EnglishPhrase) -> bool:
    """“The letter on the table, pick it up”."""
    rest = state.tokens[state.place : state.now.end]
    named = (
        state.link == "stop"
        and bool(rest)
        and rest[0].kind == "comma"
        and whole[0].low in ("the", "my", "that", "this")
    )
    return named and any(t.low == "it" for t in rest) and bool(state.find_first_name(whole))


def _is_participle(state: ParserState, phrase: EnglishPhrase) -> bool:
    """“Chewing slowly”, “wiping my hands”: it accompanies the deed before it."""
    words = list_words(phrase)
    if not phrase[0].low.endswith("ing") or state.lexicon.is_known(words[0]):
        return False
    if not (state.group or state.claims):
        return False
    # "Taking the lamp with me" would be a deed of its own.
    return not (words[0] in GERUNDS and state.find_first_name(phrase[1:]))


def _names_recipient(state: ParserState, phrase: EnglishPhrase) -> bool:
    """“Give the apple to Nell and Marta”, “give Marta and Nell the apple”."""
    if state.verb is None or state.verb.kind != "give" or not state.group:
        return False
    people = state.lexicon.count_person_words([t.low for t in phrase])
    last = state.group[-1]
    if people == len(phrase):
        return "recipient" in last
    return people > 0 and state.lexicon.is_person(str(last.get("target", "")))


def _find_way(state: ParserState, phrase: EnglishPhrase) -> str:
    """Where "to the hall", "up the stairs", "out onto the deck" lead; empty if nowhere known."""
    words = list_words(phrase)
    if len(phrase) < 2 or words[0] not in WORDS.heading:
        return ""
    made = make_clause_claims(state.lexicon, _GO, phrase)
    goal = str(made[0].get("target", "")) if [c["type"] for c in made] == ["move"] else ""
    known = state.lexicon.is_way(goal) or state.lexicon.is_near(goal)
    ahead = state.lexicon.is_elsewhere(goal) or _is_exit_label(state, goal)
    return goal if known or (ahead and _has_moved(state)) else ""


def _has_moved(state: ParserState) -> bool:
    return any(c["type"] == "move" for c in state.list_claims())


def _is_exit_label(state: ParserState, words: str) -> bool:
    """Whether an exit of another place has this label."""
    bare = strip_article(words)
    rooms = state.lexicon.world.locations.values()
    return any(way.label.lower() == bare for room in rooms for way in room.exits)


def _is_called(state: ParserState, words: str) -> bool:
    """Whether a person is only called by name, and is no object of the verb."""
    kinds = ("inspect", "search", "speak")
    acts = state.verb is not None and state.verb.kind not in kinds
    if state.verb is not None and state.verb.kind == "give":
        acts = any("recipient" in claim for claim in state.group)
    name = strip_article(words)
    while name.split(" ")[0] in WORDS.fond and " " in name:
        name = name.split(" ", 1)[1]  # "my dear Pim"
    return acts and state.linker == "," and name in state.lexicon.people


def is_idiom(whole: EnglishPhrase) -> bool:
    """“Clear the deck”, “learn it by heart”, “get the script right”: no deed, as a whole."""
    said = " ".join(t.low for t in whole)
    put = whole[0].low == "get" and whole[-1].low in ("right", "wrong", "straight")
    ends = any(said.endswith(f" {ending}") for ending in WORDS.idiom_endings)
    return ends or said in WORDS.idioms or (put and len(whole) > 2)


def is_endearment(state: ParserState, whole: EnglishPhrase) -> bool:
    """“Take the bread, honey.”: a word of love at the end, where the objects have articles."""
    if len(whole) != 1 or state.linker != "," or whole[0].low not in WORDS.endearments:
        return False
    said = state.tokens[state.now.start : state.place - 2]
    ends = all(t.kind == "stop" for t in state.tokens[state.place : state.now.end])
    return ends and any(t.low in _DETERMINERS for t in said)


def _has_unknown_verb(phrase: EnglishPhrase, lexicon: ParserContext) -> bool:
    """“… and flurb the chest”, “… and flurb it”: the first word is a verb, no name."""
    if len(phrase) < 2 or phrase[0].kind != "word" or lexicon.is_person(phrase[0].low):
        return False
    if count_preposition(list_words(phrase), 0):
        return False
    first, second = (t.low for t in phrase[:2])
    determines = (*en.ARTICLES, *en.MINE)
    named = first in (*determines, *en.ORDINALS, "all", "both", "of", "only", "also")
    return not named and second in (*determines, *en.THINGS, *en.PEOPLE)


def _is_stairs(phrase: EnglishPhrase) -> bool:
    idle = (*en.ARTICLES, *en.MINE, *WORDS.way_adjectives)
    return phrase[-1].low in WORDS.climbed and all(t.low in idle for t in phrase[:-1])


def takes_back(state: ParserState, whole: EnglishPhrase) -> bool:
    """Whether the clause takes back or corrects what was said before it."""
    if not state.has_deed():
        return False
    words = list_words(whole)
    if (
        words in SEQUENCES.retractions
        or (words[:2] in SEQUENCES.corrections and words[2:] != ("it",))
        or _is_bare_refusal(words)
    ):
        return True
    held_back = state.wished and words[0] in WORDS.holding_back
    if held_back and find_next_verb(whole[1:] or whole, state.lexicon) is None:
        return True
    changes = any(map(is_changing_deed, state.list_claims()))
    if state.link != "stop" and is_taking_back(whole, asked=False, changes=changes):
        return True
    if words[:3] in SEQUENCES.second_thoughts or _is_replacing(state, whole):
        return True
    if state.correcting and state.link != "and":
        state.correcting = False
        verb = find_next_verb(whole, state.lexicon)
        return verb is None or (state.verb is not None and verb.kind == state.verb.kind)
    return state.link == "stop" and not state.lexicon.narrated and _is_fragment(state, whole)


def _is_replacing(state: ParserState, whole: EnglishPhrase) -> bool:
    """“Take the cup. Take the bun instead”: the same deed with another thing."""
    verb = find_next_verb(whole, state.lexicon) if whole[-1].low == "instead" else None
    return verb is not None and any(c["type"] == verb.kind for c in state.list_claims())


def _is_fragment(state: ParserState, whole: EnglishPhrase) -> bool:
    """A sentence that is only a name or "not the milk": it corrects the last one."""
    end = state.now.end - 1 if state.now.end > state.place else state.place
    if state.place < end or state.place > state.now.end or is_small_talk(whole):
        return False
    words = [t.low for t in whole]
    if words[0] == "not":
        return not is_judgement(tuple(words))
    if words[0] in ("with", "using", "from", "in", "on"):
        return bool(find_in_reach(state.lexicon, whole[1:]))
    text = state.extract(trim_phrase(whole, state.lexicon))
    verb = find_next_verb(whole, state.lexicon)
    plain = verb is None and not (state.lexicon.is_way(text) or state.lexicon.is_near(text))
    return plain and bool(state.lexicon.find_matches(text))


def replace_role(state: ParserState, whole: EnglishPhrase) -> bool:
    """“Take the candle, no wait, the chart”: whether it names another thing for the last deed."""
    if state.link in ("stop", "then", "and"):
        return False
    made = [*state.claims[state.now.mark :], *state.group]
    if not made or not is_deed(made[-1]):
        return False
    if len(made) > 1 and made[-2]["type"] == made[-1]["type"]:
        return False
    words, place = list_words(whole), state.place
    begin = SEQUENCES.amending.count(words)
    if (
        begin == len(words)
        and state.tokens[place : place + 1][:1]
        and (state.tokens[place].kind == "comma")
    ):
        place = state.find_end(state.place + 1, state.now.end, classify_link)
        whole, words = state.tokens[state.place + 1 : place], ()
    elif not (begin or state.correcting or _is_amended(state, words)):
        return False
    words = list_words(whole) if whole else ()
    begin = SEQUENCES.amending.count(words)
    end = len(words) - SEQUENCES.amended.count(words[::-1])
    role, name = _choose_role(state, made[-1], whole[begin:end])
    if role:
        made[-1].pop(f"{role}Id", None)
        made[-1][role] = name
        state.place, state.correcting = place, False
        state.said = whole[begin:end] if role == "target" else state.said
    return bool(role)


def _is_amended(state: ParserState, words: tuple[str, ...]) -> bool:
    """“The bun instead”, “the bun, sorry”."""
    rest = [t.low for t in state.tokens[state.place : state.now.end] if t.kind != "stop"]
    sorry = rest[:1] == [","] and " ".join(rest[1:]) in ("sorry", "i mean", "i meant", "oops")
    return sorry or bool(SEQUENCES.amended.count(words[::-1]))


def is_replacing_deed(state: ParserState, whole: EnglishPhrase) -> bool:
    """“Take the milk, actually take the bun”: whether the last deed is said again, corrected."""
    last = next(reversed(state.list_claims()), None)
    if state.link != "comma" or last is None or whole[0].low not in _REPLACING:
        return False
    verb = find_next_verb(whole, state.lexicon)
    return verb is not None and verb.kind == last["type"]


_REPLACING = WORDS.correcting - {"er", "erm", "uh", "um", "hmm", "sorry"}


def _choose_role(state: ParserState, claim: Claim, phrase: EnglishPhrase) -> tuple[str, str]:
    """The role of the claim that the words fill, and their name; empty if there is none."""
    phrase = phrase[count_preposition(list_words(phrase), 0) :] if len(phrase) > 1 else phrase
    name, lexicon = state.extract(phrase), state.lexicon
    if claim["type"] == "move":
        return ("target", name) if lexicon.is_way(name) or lexicon.is_near(name) else ("", "")
    found = lexicon.find_matches(name) if phrase else ()
    if strip_article(name) in lexicon.people:
        kinds = {e.kind for e in lexicon.find_matches(str(claim.get("target", "")))}
        role = "recipient" if "recipient" in claim else "target" * (kinds == {"character"})
        return role, name
    if not found and _is_alike(state, claim, phrase):
        return "target", name
    if len(found) != 1:
        return "", ""
    if "tool" in claim and found[0].id in {e.required_key for e in lexicon.scope}:
        return "tool", name
    holds = found[0].kind in ("container", "supporter") and "destination" in claim
    fits = found[0].takeable or claim["type"] not in ("take", "drop", "put", "give", "eat")
    return ("destination" if holds else "target" * (fits and "target" in claim)), name


def _is_alike(state: ParserState, claim: Claim, phrase: EnglishPhrase) -> bool:
    """“Open the case, take the blue cup, I mean the red cup”: two of a kind, not seen yet."""
    before = str(claim.get("target", "")).lower().split()
    alike = len(phrase) > 2 and phrase[0].low in en.DETERMINERS and before[-1:] == [phrase[-1].low]
    return alike and len(before) == len(phrase) and not _find_targets(state, claim)


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
    follows = [t.low for t in state.tokens[state.place : state.place + 2]]
    if words == ("wait",) and state.linker == "," and state.has_deed():
        return follows[:1] == [","] and follows[-1] in _SECOND_THOUGHTS
    if words[0] == "wait" and state.link in ("and", "then"):
        return False
    return begun and "wait" in words and is_small_talk(_drop_word(whole, "wait"))


_SECOND_THOUGHTS = frozenset({"that's", "that", "it's", "it", "there's", "they're", "no"})


def exclude_spared(state: ParserState, whole: EnglishPhrase) -> bool:
    """“Take the cups but leave the red one”: whether several things were meant, and it one."""
    deeds = [c for c in state.list_claims() if is_deed(c)]
    if not deeds:
        return False
    kind = deeds[-1]["type"]
    run = deeds[next((n for n in range(len(deeds), 0, -1) if deeds[n - 1]["type"] != kind), 0) :]
    target = str(run[-1].get("target", ""))
    everything = target in WORDS.all or target.startswith("all but ")
    named = find_spared(whole, state.lexicon) if everything or len(run) > 1 else ()
    if not named:
        return False
    if everything:
        words = state.extract(named)
        run[-1]["target"] = f"{target} and {words}" if " but " in target else f"all but {words}"
        return True
    found = {e.id for e in find_in_reach(state.lexicon, named)}
    left = [c for c in run if found.isdisjoint(_find_targets(state, c))]
    if len(left) == len(run):
        return False
    for claim in run:
        if all(claim is not each for each in left):
            remove_claim(state, claim)
    return True


def _find_targets(state: ParserState, claim: Claim) -> set[Id]:
    if "targetId" in claim:
        return {claim["targetId"]}
    return {e.id for e in state.lexicon.find_matches(str(claim.get("target", "")))}


def remove_claim(state: ParserState, claim: Claim) -> None:
    """Forget a claim, wherever it was made."""
    state.group = [each for each in state.group if each is not claim]
    place = next((n for n, each in enumerate(state.claims) if each is claim), -1)
    if place >= 0:
        del state.claims[place]
        state.now.mark -= place < state.now.mark


def leaves_out(state: ParserState, phrase: EnglishPhrase) -> bool:
    """“Take the glass but not the crate”: what is excluded was not asked for."""
    begun = bool(state.group or state.claims)
    keeps = phrase[0].low in ("leave", "keep")
    if begun and ((keeps and state.linker == "but") or list_words(phrase) in SEQUENCES.kept):
        return True
    if begun and phrase[0].low == "leave" and phrase[1:2] and phrase[1].low in en.DETERMINERS:
        deeds = [c for c in state.list_claims() if c["type"] in SHARING - {"inspect"}]
        named = NounReader(state.lexicon, ()).read(phrase[1:]).kind == "thing"
        return bool(deeds) and named and bool(find_in_reach(state.lexicon, phrase[1:]))
    if keeps and not begun and _leaves_rest(state):
        state.left_out = (phrase[0]._replace(kind=EXCEPT), *phrase[1:])
        return len(phrase) > 1 and bool(find_in_reach(state.lexicon, phrase[1:]))
    named = len(phrase) > 1 and find_leading_verb(phrase[1:], state.lexicon) is None
    if not (begun and phrase[0].low == "not" and named):
        return False
    excluded = {e.id for e in find_in_reach(state.lexicon, phrase[1:])}
    last = str(state.list_claims()[-1].get("target", ""))
    meant = {e.id for e in state.lexicon.find_matches(last)}
    if excluded & meant or (phrase[-1].low in WORDS.one and len(meant) != 1):
        # "Take the hat, not the straw one": which one is left is not known.
        state.block(phrase)
    return True


def _leaves_rest(state: ParserState) -> bool:
    """“I keep the key and drop the rest”."""
    words = list_words(state.tokens[state.place : state.now.end])
    return not SEQUENCES.rest.isdisjoint(pairwise(words))


def _drop_word(phrase: EnglishPhrase, word: str) -> EnglishPhrase:
    return tuple(token for token in phrase if token.low != word) or phrase


def _is_bare_refusal(words: tuple[str, ...]) -> bool:
    """“Actually no”, “don't”, “no, stop”: it refuses, and says no more."""
    left = [word for word in words if not is_adverb(word)]
    return (WORDS.negating | WORDS.halting).issuperset(left) and not WORDS.negating.isdisjoint(left)
