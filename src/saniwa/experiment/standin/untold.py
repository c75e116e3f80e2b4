"""Choosing a deed without being told what is here: by guessing, or by not guessing.

Each fault has a source one can name: an everyday thing nobody spoke of, something read of
in the opening or done elsewhere, a door that the story speaks of.
"""

from typing import Final

from saniwa.experiment.plan import Faults
from saniwa.experiment.standin.deed import Deed, Kind
from saniwa.experiment.standin.hearing import Heard
from saniwa.experiment.standin.intention import Intention
from saniwa.experiment.standin.luck import Luck
from saniwa.experiment.standin.memory import Memory
from saniwa.experiment.standin.stock import (
    EVERYDAY,
    LURES,
    SOMEWHERE,
    is_fixed,
    is_shutting,
    named_in,
)

_MEDDLING: Final[tuple[Kind, ...]] = ("take", "take", "take", "search", "open")


def from_hearsay(heard: Heard, memory: Memory, luck: Luck, faults: Faults) -> Intention:
    """What to do where nobody said what is here, or nobody was listened to."""
    return (
        _invented(heard, luck, faults)
        or _misplaced(heard, memory, luck, faults)
        or _forced(heard, memory, luck, faults)
        or _careful(memory, luck)
    )


def _invented(heard: Heard, luck: Luck, faults: Faults) -> Intention | None:
    if not luck.strikes("invent", faults.invent):
        return None
    lured = _lured(heard) if luck.strikes("lure", 70) else ""
    thing = lured or luck.pick("thing", EVERYDAY[heard.tongue])
    return Intention("invent", Deed(luck.pick("meddle", _MEDDLING), thing))


def _lured(heard: Heard) -> str:
    """What something that was read of makes one think of."""
    read = [heard.prose, *(text for _, text in heard.talk)]
    read += heard.facts.objects if heard.facts else ()
    for lure, thing in LURES[heard.tongue]:
        if any(lure in text for text in read):
            return thing
    return ""


def _misplaced(
    heard: Heard, memory: Memory, luck: Luck, faults: Faults
) -> Intention | None:
    if not luck.strikes("misplace", faults.misplace):
        return None
    things, places = named_in(heard.prose, heard.tongue)
    things = tuple(t for t in (*memory.elsewhere, *things) if not is_shutting(t))
    if things and luck.strikes("thing or place", 50):
        return Intention("misplace", Deed("take", luck.pick("thing", things)))
    if places := tuple(p for p in places if p not in memory.places):
        return Intention("misplace", Deed("go", luck.pick("place", places)))
    return Intention("stray", Deed("go", luck.pick("place", SOMEWHERE[heard.tongue])))


def _forced(
    heard: Heard, memory: Memory, luck: Luck, faults: Faults
) -> Intention | None:
    """Only what the story or somebody spoke of can be tried."""
    things = (*memory.here, *named_in(heard.prose, heard.tongue)[0])
    shut = [t for t in things if is_shutting(t) and t not in memory.fruitless]
    inclined = luck.strikes("door", 40) and luck.strikes("force", faults.force)
    if not shut or not inclined:
        return None
    return Intention("try", Deed("open", luck.pick("thing", shut)))


def _careful(memory: Memory, luck: Luck) -> Intention:
    """By what others did here; else by asking, looking and talking."""
    known = [name for name in memory.here if name not in memory.fruitless]
    deeds = [Deed("study", name) for name in known]
    deeds += [
        Deed("take", name)
        for name in known
        if name not in memory.taken and not is_fixed(name)
    ]
    deeds += [Deed("go", place) for place in memory.places[-1:]]
    fresh = [deed for deed in deeds if deed not in memory.done]
    if fresh and luck.strikes("go by it", 50):
        return Intention("careful", luck.pick("which", fresh))
    if luck.strikes("look", 50):
        return Intention("ask", Deed("look"))
    return Intention("talk")
