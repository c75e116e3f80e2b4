"""Chooses what a stand-in does: from facts, a guidance card, or only the transcript.

From facts, only what is listed and not shut is chosen. What facts do not say is left to
common sense: furniture is not carried, keys open locks. If that is wrong, the rulebook
refuses it.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

import msgspec

from saniwa.experiment.plan import StandInFaults
from saniwa.experiment.prompts import GuidanceSignal, SpeakerFacts
from saniwa.experiment.stand_in.deeds import (
    WORDS,
    DeedKind,
    StandInChance,
    StandInDeed,
    StandInIntention,
    find_everyday_names,
    is_fixed,
    is_key,
    is_sayable,
    is_shutting,
    strip_article,
)
from saniwa.experiment.stand_in.prompt_reader import PromptReading, TalkMemory, remember_talk

_WORD: Final = re.compile(r"[^\W\d_]{4,}")


def rank_leading_deeds(
    deeds: dict[str, list[StandInDeed]], prose: str
) -> Iterator[list[StandInDeed]]:
    """Yield groups of deeds that lead on, the most promising first.

    Args:
        deeds: What can be done, by kind.
        prose: The author's text.
    """
    yield deeds["unlock"]
    yield [d for d in deeds["take"] if is_key(d.target) or is_mentioned(prose, d.target)]
    yield [
        d for d in deeds["give"] if is_mentioned(prose, d.target) and is_mentioned(prose, d.other)
    ]
    yield deeds["open"]
    yield [d for d in deeds["go"] if is_mentioned(prose, d.target)]
    yield [*deeds["go"], *deeds["search"]]


@lru_cache(maxsize=4096)
def is_mentioned(prose: str, name: str) -> bool:
    """Return whether a text contains a name, or one of the words of it."""
    if name in prose:
        return True
    words = _WORD.findall(name.casefold()) if name.isascii() else []
    return any(word in _split_words(prose) for word in words)


@lru_cache(maxsize=256)
def _split_words(prose: str) -> frozenset[str]:
    return frozenset(_WORD.findall(prose.casefold()))


_WISHES: Final[tuple[tuple[DeedKind, ...], ...]] = (
    ("take", "open", "search", "go"),
    ("take", "search", "go"),
    ("open", "take", "go", "search"),
    ("open", "search", "take"),
    ("go", "take", "search"),
    ("go", "open", "search"),
    ("go", "study"),
    ("search", "take", "go"),
    ("study", "take", "go"),
    ("give", "take", "go", "study"),
    (),
)
"""What a stand-in prefers, and what instead; an empty entry means talking."""
_PURPOSEFUL: Final = 60
"""Percentage of turns in which it tries to make progress."""


def choose_from_facts(
    facts: SpeakerFacts,
    luck: StandInChance,
    memory: TalkMemory,
    prose: str,
    *,
    reckless: bool = False,
) -> StandInIntention:
    """Choose what to do when the facts are known.

    Args:
        facts: The facts in the prompt.
        luck: The random choices of this turn.
        memory: What was done before; a thing that was taken stays with its taker.
        prose: The author's text, which may mention what matters.
        reckless: Whether shut things are tried as if they were open.
    """
    fresh = _list_possible(facts, memory, reckless)
    for deeds in _list_inclinations(fresh, luck, prose):
        if deeds:
            deed = luck.pick_one("which", deeds)
            rash = reckless and _is_rash(deed, facts)
            return StandInIntention("force" if rash else "told", deed)
    ways = _list_ways(facts, reckless)["go"]
    if ways and luck.decide("back", 50):
        # Going back is possible; repeating any other deed leads nowhere.
        deed = luck.pick_one("which", ways)
        return StandInIntention("force" if reckless and _is_rash(deed, facts) else "told", deed)
    return StandInIntention("talk")


def _list_inclinations(
    fresh: dict[str, list[StandInDeed]], luck: StandInChance, prose: str
) -> Iterator[list[StandInDeed]]:
    if luck.decide("purpose", _PURPOSEFUL):
        yield from rank_leading_deeds(fresh, prose)
    for kind in luck.pick_one("wish", _WISHES):
        yield fresh[kind]


def _list_possible(
    facts: SpeakerFacts, memory: TalkMemory, reckless: bool
) -> dict[str, list[StandInDeed]]:
    """List everything that can be done and was not done before, by kind."""
    fresh = {
        kind: [deed for deed in deeds if deed not in memory.done]
        for kind, deeds in _list_ways(facts, reckless).items()
    }
    fresh["take"] = [d for d in fresh["take"] if d.target not in memory.taken]
    return fresh


@lru_cache(maxsize=256)
def _list_ways(facts: SpeakerFacts, reckless: bool) -> dict[str, list[StandInDeed]]:
    """List the deeds that the facts allow, by kind; small things hide nothing."""
    objects, held, exits, people = (
        list_single_names(names)
        for names in (facts.objects, facts.holding, facts.exits, facts.people)
    )
    shut = (*facts.closed, *facts.locked)
    barred = () if reckless else shut
    openable = [n for n in objects if n in shut and (reckless or n not in facts.locked)]
    loose = [n for n in objects if not is_fixed(n) and n not in (*shut, *facts.holding)]
    keys = [name for name in held if is_key(name)]
    here = [facts.place] if is_sayable(facts.place) else []
    furniture = [name for name in objects if is_fixed(name) and name not in barred]
    locks = [name for name in objects if name in facts.locked]
    gifts = [name for name in held if not is_key(name)]
    return {
        "unlock": [StandInDeed("unlock", lock, key) for lock in locks for key in keys],
        "take": [StandInDeed("take", n) for n in filter(is_key, loose)]
        or [StandInDeed("take", n) for n in loose],
        "open": [StandInDeed("open", name) for name in openable],
        "search": [StandInDeed("search", name) for name in (*here, *furniture)],
        "study": [StandInDeed("study", name) for name in objects],
        "go": [StandInDeed("go", name) for name in exits if name not in barred],
        "give": [StandInDeed("give", thing, who) for thing in gifts for who in people],
    }


def list_single_names(names: Sequence[str]) -> list[str]:
    """List the names that can be said and are unique; others would be ambiguous."""
    return [name for name in names if is_sayable(name) and names.count(name) == 1]


def _is_rash(deed: StandInDeed, facts: SpeakerFacts) -> bool:
    """Return whether a deed ignores that its target is shut, as opening would not."""
    if deed.target in facts.locked:
        return deed.kind in ("go", "search", "open")
    return deed.target in facts.closed and deed.kind in ("go", "search")


def respond_to_card(
    prompt: PromptReading,
    signal: GuidanceSignal,
    first: StandInIntention,
    luck: StandInChance,
    faults: StandInFaults,
) -> StandInIntention:
    """Choose what to do after a guidance card.

    Args:
        prompt: The prompt.
        signal: The card in it.
        first: What the stand-in intended at the first attempt.
        luck: The random choices of this attempt.
        faults: Whether it follows cards.
    """
    if not luck.decide("heed", faults.heed):
        return _insist_on_deed(signal, first)
    offered = _choose_offered(prompt, signal, luck)
    return StandInIntention("heed", offered) if offered else StandInIntention("quiet")


def _insist_on_deed(signal: GuidanceSignal, first: StandInIntention) -> StandInIntention:
    """Repeat the intention; take the blocked target from the card if need be."""
    blocked = strip_article(signal.target)
    same = first.deed is not None and blocked in (first.deed.target, first.deed.other)
    if same or first.again or not is_sayable(blocked):
        return first._replace(why="insist")
    return StandInIntention("insist", StandInDeed("take", blocked))


def _choose_offered(
    prompt: PromptReading, signal: GuidanceSignal, luck: StandInChance
) -> StandInDeed | None:
    """Choose a deed on something that is listed and was not blocked.

    The last card asks for something that cannot fail: looking at something cannot.
    """
    blocked = strip_article(signal.target)
    if not signal.last and prompt.facts is not None:
        facts = _remove_name(prompt.facts, blocked)
        intention = choose_from_facts(facts, luck, remember_talk(prompt), prompt.prose)
        return intention.deed or _choose_listed(facts, luck, safe=True)
    return _choose_listed(_remove_name(signal.facts, blocked), luck, safe=signal.last)


def _choose_listed(facts: SpeakerFacts, luck: StandInChance, *, safe: bool) -> StandInDeed | None:
    """Choose one of the card's own patterns; None if nothing is listed."""
    objects = list_single_names(facts.objects)
    deeds = [StandInDeed("study", name) for name in objects]
    if not safe:
        deeds += [StandInDeed("take", name) for name in objects if not is_fixed(name)]
        deeds += [StandInDeed("go", name) for name in list_single_names(facts.exits)]
    return luck.pick_one("offer", deeds) if deeds else None


def _remove_name(facts: SpeakerFacts, name: str) -> SpeakerFacts:
    return msgspec.structs.replace(
        facts,
        objects=tuple(each for each in facts.objects if each != name),
        exits=tuple(each for each in facts.exits if each != name),
    )


_INVENTED_KINDS: Final[tuple[DeedKind, ...]] = ("take", "take", "take", "search", "open")


def choose_from_talk(
    prompt: PromptReading, memory: TalkMemory, luck: StandInChance, faults: StandInFaults
) -> StandInIntention:
    """Choose what to do if there are no facts, or they are ignored."""
    return (
        _invent_deed(prompt, luck, faults)
        or _misplace_deed(prompt, memory, luck, faults)
        or _force_deed(prompt, memory, luck, faults)
        or _act_carefully(memory, luck)
    )


def _invent_deed(
    prompt: PromptReading, luck: StandInChance, faults: StandInFaults
) -> StandInIntention | None:
    if not luck.decide("invent", faults.invent):
        return None
    lured = _find_lure(prompt) if luck.decide("lure", 70) else ""
    thing = lured or luck.pick_one("thing", WORDS[prompt.tongue].everyday_items)
    return StandInIntention("invent", StandInDeed(luck.pick_one("meddle", _INVENTED_KINDS), thing))


def _find_lure(prompt: PromptReading) -> str:
    """Return the thing that something in the prompt suggests."""
    read = [prompt.prose, *(text for _, text in prompt.talk)]
    read += prompt.facts.objects if prompt.facts else ()
    for lure, thing in WORDS[prompt.tongue].lures:
        if any(lure in text for text in read):
            return thing
    return ""


def _misplace_deed(
    prompt: PromptReading, memory: TalkMemory, luck: StandInChance, faults: StandInFaults
) -> StandInIntention | None:
    if not luck.decide("misplace", faults.misplace):
        return None
    things, places = find_everyday_names(prompt.prose, prompt.tongue)
    things = tuple(t for t in (*memory.elsewhere, *things) if not is_shutting(t))
    if things and luck.decide("thing or place", 50):
        return StandInIntention("misplace", StandInDeed("take", luck.pick_one("thing", things)))
    if places := tuple(p for p in places if p not in memory.places):
        return StandInIntention("misplace", StandInDeed("go", luck.pick_one("place", places)))
    return StandInIntention(
        "stray", StandInDeed("go", luck.pick_one("place", WORDS[prompt.tongue].everyday_places))
    )


def _force_deed(
    prompt: PromptReading, memory: TalkMemory, luck: StandInChance, faults: StandInFaults
) -> StandInIntention | None:
    """Try a shut thing; only what the story or a character mentioned."""
    things = (*memory.here, *find_everyday_names(prompt.prose, prompt.tongue)[0])
    shut = [t for t in things if is_shutting(t) and t not in memory.fruitless]
    inclined = luck.decide("door", 40) and luck.decide("force", faults.force)
    if not shut or not inclined:
        return None
    return StandInIntention("try", StandInDeed("open", luck.pick_one("thing", shut)))


def _act_carefully(memory: TalkMemory, luck: StandInChance) -> StandInIntention:
    """Act on what others did here; else ask, look or talk."""
    known = [name for name in memory.here if name not in memory.fruitless]
    deeds = [StandInDeed("study", name) for name in known]
    deeds += [
        StandInDeed("take", name)
        for name in known
        if name not in memory.taken and not is_fixed(name)
    ]
    deeds += [StandInDeed("go", place) for place in memory.places[-1:]]
    fresh = [deed for deed in deeds if deed not in memory.done]
    if fresh and luck.decide("go by it", 50):
        return StandInIntention("careful", luck.pick_one("which", fresh))
    if luck.decide("look", 50):
        return StandInIntention("ask", StandInDeed("look"))
    return StandInIntention("talk")
