"""Choosing a deed from facts: only what is listed, and nothing that is shut.

What facts do not tell is left to common sense: that a table is not carried about, that a
key opens locks. Where that is not enough, the rulebook says so.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Final

from saniwa.experiment.standin.deed import Deed, Kind, sayable
from saniwa.experiment.standin.intention import Intention
from saniwa.experiment.standin.luck import Luck
from saniwa.experiment.standin.memory import Memory
from saniwa.experiment.standin.purpose import leading_on
from saniwa.experiment.standin.stock import is_fixed, is_key
from saniwa.experiment.telling.facts import Facts

_WISHES: Final[tuple[tuple[Kind, ...], ...]] = (
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


def from_facts(
    facts: Facts, luck: Luck, memory: Memory, prose: str, *, reckless: bool = False
) -> Intention:
    """What to do where these are the facts.

    Args:
        facts: What is told.
        luck: The turn's.
        memory: What was done before; who took a thing has it.
        prose: The author's words, which may speak of what matters.
        reckless: Whether what is shut is tried as if it were open.
    """
    fresh = _possible(facts, memory, reckless)
    for deeds in _inclinations(fresh, luck, prose):
        if deeds:
            deed = luck.pick("which", deeds)
            rash = reckless and _is_rash(deed, facts)
            return Intention("force" if rash else "told", deed)
    ways = _go(facts, reckless)
    if ways and luck.strikes("back", 50):
        # One may go where one has been; doing anything else again leads nowhere.
        deed = luck.pick("which", ways)
        return Intention(
            "force" if reckless and _is_rash(deed, facts) else "told", deed
        )
    return Intention("talk")


def _inclinations(
    fresh: dict[str, list[Deed]], luck: Luck, prose: str
) -> Iterator[list[Deed]]:
    if luck.strikes("purpose", _PURPOSEFUL):
        yield from leading_on(fresh, prose)
    for kind in luck.pick("wish", _WISHES):
        yield fresh[kind]


def _possible(facts: Facts, memory: Memory, reckless: bool) -> dict[str, list[Deed]]:
    """All that can be done and was not done before, by kind."""
    fresh = {
        kind: [deed for deed in deeds if deed not in memory.done]
        for kind, deeds in _ways(facts, reckless)
    }
    fresh["take"] = [d for d in fresh["take"] if d.target not in memory.taken]
    return fresh


@lru_cache(maxsize=256)
def _ways(facts: Facts, reckless: bool) -> tuple[tuple[str, list[Deed]], ...]:
    return tuple((kind, way(facts, reckless)) for kind, way in _WAYS.items())


def single(names: Sequence[str]) -> list[str]:
    """The names that mean one thing and can be said; of twins nobody knows which."""
    return [name for name in names if sayable(name) and names.count(name) == 1]


def _is_rash(deed: Deed, facts: Facts) -> bool:
    """Whether it takes no notice that something is shut; opening what is closed does."""
    if deed.target in facts.locked:
        return deed.kind in ("go", "search", "open")
    return deed.target in facts.closed and deed.kind in ("go", "search")


def _unlock(facts: Facts, reckless: bool) -> list[Deed]:
    del reckless
    keys = [name for name in single(facts.holding) if is_key(name)]
    locks = [n for n in single(facts.objects) if n in facts.locked] if keys else []
    return [Deed("unlock", lock, key) for lock in locks for key in keys]


def _take(facts: Facts, reckless: bool) -> list[Deed]:
    del reckless
    shut = (*facts.closed, *facts.locked, *facts.holding)
    loose = [n for n in single(facts.objects) if not is_fixed(n) and n not in shut]
    keys = [name for name in loose if is_key(name)]
    return [Deed("take", name) for name in keys or loose]


def _open(facts: Facts, reckless: bool) -> list[Deed]:
    shut = facts.closed if not reckless else (*facts.closed, *facts.locked)
    barred = () if reckless else facts.locked
    names = single(facts.objects)
    return [Deed("open", n) for n in names if n in shut and n not in barred]


def _search(facts: Facts, reckless: bool) -> list[Deed]:
    """Places and furniture: small things hide nothing."""
    shut = () if reckless else (*facts.closed, *facts.locked)
    things = [n for n in single(facts.objects) if is_fixed(n) and n not in shut]
    here = [facts.place] if sayable(facts.place) else []
    return [Deed("search", name) for name in (*here, *things)]


def _study(facts: Facts, reckless: bool) -> list[Deed]:
    del reckless
    return [Deed("study", name) for name in single(facts.objects)]


def _go(facts: Facts, reckless: bool) -> list[Deed]:
    shut = () if reckless else (*facts.closed, *facts.locked)
    return [Deed("go", name) for name in single(facts.exits) if name not in shut]


def _give(facts: Facts, reckless: bool) -> list[Deed]:
    del reckless
    things = [name for name in single(facts.holding) if not is_key(name)]
    people = single(facts.people)
    return [Deed("give", thing, who) for thing in things for who in people]


_WAYS: Final[dict[str, Callable[[Facts, bool], list[Deed]]]] = {
    "unlock": _unlock,
    "take": _take,
    "open": _open,
    "search": _search,
    "study": _study,
    "go": _go,
    "give": _give,
}
