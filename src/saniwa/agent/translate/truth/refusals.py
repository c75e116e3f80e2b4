"""What was tried in a turn and came to nothing, and the words that tell it."""

from collections.abc import Iterator
from types import ModuleType

from saniwa.agent.translate.truth.deeds import doors_of, parts_of
from saniwa.agent.translate.truth.facts import Facts
from saniwa.agent.translate.truth.ground import Ground
from saniwa.agent.translate.truth.statements import YOU
from saniwa.world import action as act
from saniwa.world.model import Id


def refusal_grounds(facts: Facts, words: ModuleType) -> Iterator[Ground]:
    """For each deed that was refused: the trying, the standing firm, the failing."""
    for action in facts.refused:
        parts = frozenset(parts_of(action)) | doors_of(action, facts)
        verbs, others = words.DEEDS.get(act.type_of(action), (frozenset(), frozenset()))
        shut = frozenset().union(*(_shut(who, facts, words) for who in parts))
        yield Ground(words.TRYING | {YOU}, parts, words.TRYING, actor=YOU)
        firm = words.HOLDING_FAST | shut
        yield Ground(firm | words.TRYING, parts, firm, tells=True)
        failing = verbs | words.MOVING | words.ATTEMPTS
        told = failing | others | words.WITH_A_MARK | {YOU}
        yield Ground(told - shut, parts, failing, actor=YOU, marks=1, tells=True)


def _shut(who: Id, facts: Facts, words: ModuleType) -> frozenset[str]:
    """Closed, where it is; locked only where the plain narrator says so."""
    found = facts.after.entities.get(who)
    if found is None or not found.openable or found.open:
        return frozenset()
    shut: frozenset[str] = words.CLOSED
    return shut
