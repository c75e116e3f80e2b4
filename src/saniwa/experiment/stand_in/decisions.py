"""Choosing a deed from facts: only what is listed, and nothing that is shut.

What facts do not tell is left to common sense: that a table is not carried about, that a
key opens locks. Where that is not enough, the rulebook says so.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Final

import msgspec

from saniwa.experiment.plan import StandInFaults
from saniwa.experiment.prompts import GuidanceSignal, SpeakerFacts
from saniwa.experiment.stand_in.deeds import (
    EVERYDAY_ITEMS,
    EVERYDAY_PLACES,
    LURES,
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
from saniwa.experiment.stand_in.prompt_reader import (
    PromptReading,
    TalkMemory,
    remember_talk,
)

_WORD: Final = re.compile(r"[^\W\d_]{4,}")


def rank_leading_deeds(
    deeds: dict[str, list[StandInDeed]], prose: str
) -> Iterator[list[StandInDeed]]:
    """Deeds that lead on, the most promising first.

    Args:
        deeds: What can be done, by kind.
        prose: The author's words.
    """
    yield deeds["unlock"]
    yield [
        d for d in deeds["take"] if is_key(d.target) or is_mentioned(prose, d.target)
    ]
    yield [
        d
        for d in deeds["give"]
        if is_mentioned(prose, d.target) and is_mentioned(prose, d.other)
    ]
    yield deeds["open"]
    yield [d for d in deeds["go"] if is_mentioned(prose, d.target)]
    yield [*deeds["go"], *deeds["search"]]


@lru_cache(maxsize=4096)
def is_mentioned(prose: str, name: str) -> bool:
    """Whether a text names something, or one of the words of its name."""
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
"""What one may be inclined to, and what instead; nothing is being inclined to talk."""
_PURPOSEFUL: Final = 60
"""Hundredths of turns in which it means to get somewhere."""


def choose_from_facts(
    facts: SpeakerFacts,
    luck: StandInChance,
    memory: TalkMemory,
    prose: str,
    *,
    reckless: bool = False,
) -> StandInIntention:
    """What to do where these are the facts.

    Args:
        facts: What is told.
        luck: The turn's.
        memory: What was done before; who took a thing has it.
        prose: The author's words, which may speak of what matters.
        reckless: Whether what is shut is tried as if it were open.
    """
    fresh = _list_possible(facts, memory, reckless)
    for deeds in _list_inclinations(fresh, luck, prose):
        if deeds:
            deed = luck.pick_one("which", deeds)
            rash = reckless and _is_rash(deed, facts)
            return StandInIntention("force" if rash else "told", deed)
    ways = _list_moves(facts, reckless)
    if ways and luck.decide("back", 50):
        # One may go where one has been; doing anything else again leads nowhere.
        deed = luck.pick_one("which", ways)
        return StandInIntention(
            "force" if reckless and _is_rash(deed, facts) else "told", deed
        )
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
    """All that can be done and was not done before, by kind."""
    fresh = {
        kind: [deed for deed in deeds if deed not in memory.done]
        for kind, deeds in _list_ways(facts, reckless)
    }
    fresh["take"] = [d for d in fresh["take"] if d.target not in memory.taken]
    return fresh


@lru_cache(maxsize=256)
def _list_ways(
    facts: SpeakerFacts, reckless: bool
) -> tuple[tuple[str, list[StandInDeed]], ...]:
    return tuple((kind, way(facts, reckless)) for kind, way in _WAYS.items())


def list_single_names(names: Sequence[str]) -> list[str]:
    """The names that mean one thing and can be said; of twins nobody knows which."""
    return [name for name in names if is_sayable(name) and names.count(name) == 1]


def _is_rash(deed: StandInDeed, facts: SpeakerFacts) -> bool:
    """Whether it takes no notice that something is shut; opening what is closed does."""
    if deed.target in facts.locked:
        return deed.kind in ("go", "search", "open")
    return deed.target in facts.closed and deed.kind in ("go", "search")


def _list_unlocks(facts: SpeakerFacts, reckless: bool) -> list[StandInDeed]:
    del reckless
    keys = [name for name in list_single_names(facts.holding) if is_key(name)]
    locks = (
        [n for n in list_single_names(facts.objects) if n in facts.locked]
        if keys
        else []
    )
    return [StandInDeed("unlock", lock, key) for lock in locks for key in keys]


def _list_takes(facts: SpeakerFacts, reckless: bool) -> list[StandInDeed]:
    del reckless
    shut = (*facts.closed, *facts.locked, *facts.holding)
    loose = [
        n for n in list_single_names(facts.objects) if not is_fixed(n) and n not in shut
    ]
    keys = [name for name in loose if is_key(name)]
    return [StandInDeed("take", name) for name in keys or loose]


def _list_openings(facts: SpeakerFacts, reckless: bool) -> list[StandInDeed]:
    shut = facts.closed if not reckless else (*facts.closed, *facts.locked)
    barred = () if reckless else facts.locked
    names = list_single_names(facts.objects)
    return [StandInDeed("open", n) for n in names if n in shut and n not in barred]


def _list_searches(facts: SpeakerFacts, reckless: bool) -> list[StandInDeed]:
    """Places and furniture: small things hide nothing."""
    shut = () if reckless else (*facts.closed, *facts.locked)
    things = [
        n for n in list_single_names(facts.objects) if is_fixed(n) and n not in shut
    ]
    here = [facts.place] if is_sayable(facts.place) else []
    return [StandInDeed("search", name) for name in (*here, *things)]


def _list_studies(facts: SpeakerFacts, reckless: bool) -> list[StandInDeed]:
    del reckless
    return [StandInDeed("study", name) for name in list_single_names(facts.objects)]


def _list_moves(facts: SpeakerFacts, reckless: bool) -> list[StandInDeed]:
    shut = () if reckless else (*facts.closed, *facts.locked)
    return [
        StandInDeed("go", name)
        for name in list_single_names(facts.exits)
        if name not in shut
    ]


def _list_gifts(facts: SpeakerFacts, reckless: bool) -> list[StandInDeed]:
    del reckless
    things = [name for name in list_single_names(facts.holding) if not is_key(name)]
    people = list_single_names(facts.people)
    return [StandInDeed("give", thing, who) for thing in things for who in people]


_WAYS: Final[dict[str, Callable[[SpeakerFacts, bool], list[StandInDeed]]]] = {
    "unlock": _list_unlocks,
    "take": _list_takes,
    "open": _list_openings,
    "search": _list_searches,
    "study": _list_studies,
    "go": _list_moves,
    "give": _list_gifts,
}


def respond_to_card(
    heard: PromptReading,
    signal: GuidanceSignal,
    first: StandInIntention,
    luck: StandInChance,
    faults: StandInFaults,
) -> StandInIntention:
    """What to do now.

    Args:
        heard: The prompt.
        signal: The card in it.
        first: What the stand-in meant to do before anybody said anything to it.
        luck: This attempt's own.
        faults: Whether it heeds cards.
    """
    if not luck.decide("heed", faults.heed):
        return _insist_on_deed(signal, first)
    offered = _choose_offered(heard, signal, luck)
    return StandInIntention("heed", offered) if offered else StandInIntention("quiet")


def _insist_on_deed(
    signal: GuidanceSignal, first: StandInIntention
) -> StandInIntention:
    """The same again; the card says what it was, should nothing else tell."""
    blocked = strip_article(signal.target)
    same = first.deed is not None and blocked in (first.deed.target, first.deed.other)
    if same or first.again or not is_sayable(blocked):
        return first._replace(why="insist")
    return StandInIntention("insist", StandInDeed("take", blocked))


def _choose_offered(
    heard: PromptReading, signal: GuidanceSignal, luck: StandInChance
) -> StandInDeed | None:
    """A deed on something that is listed and was not what was blocked.

    The last card asks for something that cannot fail: looking at what is there cannot.
    """
    blocked = strip_article(signal.target)
    if not signal.last and heard.facts is not None:
        facts = _remove_name(heard.facts, blocked)
        meant = choose_from_facts(facts, luck, remember_talk(heard), heard.prose)
        return meant.deed or _choose_listed(facts, luck, safe=True)
    return _choose_listed(_remove_name(signal.facts, blocked), luck, safe=signal.last)


def _choose_listed(
    facts: SpeakerFacts, luck: StandInChance, *, safe: bool
) -> StandInDeed | None:
    """One of the card's own patterns; nothing where nothing is listed."""
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


_INVENTED_KINDS: Final[tuple[DeedKind, ...]] = (
    "take",
    "take",
    "take",
    "search",
    "open",
)


def choose_from_talk(
    heard: PromptReading, memory: TalkMemory, luck: StandInChance, faults: StandInFaults
) -> StandInIntention:
    """What to do where nobody said what is here, or nobody was listened to."""
    return (
        _invent_deed(heard, luck, faults)
        or _misplace_deed(heard, memory, luck, faults)
        or _force_deed(heard, memory, luck, faults)
        or _act_carefully(memory, luck)
    )


def _invent_deed(
    heard: PromptReading, luck: StandInChance, faults: StandInFaults
) -> StandInIntention | None:
    if not luck.decide("invent", faults.invent):
        return None
    lured = _find_lure(heard) if luck.decide("lure", 70) else ""
    thing = lured or luck.pick_one("thing", EVERYDAY_ITEMS[heard.tongue])
    return StandInIntention(
        "invent", StandInDeed(luck.pick_one("meddle", _INVENTED_KINDS), thing)
    )


def _find_lure(heard: PromptReading) -> str:
    """What something that was read of makes one think of."""
    read = [heard.prose, *(text for _, text in heard.talk)]
    read += heard.facts.objects if heard.facts else ()
    for lure, thing in LURES[heard.tongue]:
        if any(lure in text for text in read):
            return thing
    return ""


def _misplace_deed(
    heard: PromptReading, memory: TalkMemory, luck: StandInChance, faults: StandInFaults
) -> StandInIntention | None:
    if not luck.decide("misplace", faults.misplace):
        return None
    things, places = find_everyday_names(heard.prose, heard.tongue)
    things = tuple(t for t in (*memory.elsewhere, *things) if not is_shutting(t))
    if things and luck.decide("thing or place", 50):
        return StandInIntention(
            "misplace", StandInDeed("take", luck.pick_one("thing", things))
        )
    if places := tuple(p for p in places if p not in memory.places):
        return StandInIntention(
            "misplace", StandInDeed("go", luck.pick_one("place", places))
        )
    return StandInIntention(
        "stray",
        StandInDeed("go", luck.pick_one("place", EVERYDAY_PLACES[heard.tongue])),
    )


def _force_deed(
    heard: PromptReading, memory: TalkMemory, luck: StandInChance, faults: StandInFaults
) -> StandInIntention | None:
    """Only what the story or somebody spoke of can be tried."""
    things = (*memory.here, *find_everyday_names(heard.prose, heard.tongue)[0])
    shut = [t for t in things if is_shutting(t) and t not in memory.fruitless]
    inclined = luck.decide("door", 40) and luck.decide("force", faults.force)
    if not shut or not inclined:
        return None
    return StandInIntention("try", StandInDeed("open", luck.pick_one("thing", shut)))


def _act_carefully(memory: TalkMemory, luck: StandInChance) -> StandInIntention:
    """By what others did here; else by asking, looking and talking."""
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
