"""What a stand-in does after a guidance card: what the card offers, or the same again."""

import msgspec

from saniwa.experiment.plan import Faults
from saniwa.experiment.standin.deed import Deed, bare, sayable
from saniwa.experiment.standin.hearing import Heard
from saniwa.experiment.standin.intention import Intention
from saniwa.experiment.standin.luck import Luck
from saniwa.experiment.standin.memory import remember
from saniwa.experiment.standin.stock import is_fixed
from saniwa.experiment.standin.told import from_facts, single
from saniwa.experiment.telling.card import Signal
from saniwa.experiment.telling.facts import Facts


def after_card(
    heard: Heard, signal: Signal, first: Intention, luck: Luck, faults: Faults
) -> Intention:
    """What to do now.

    Args:
        heard: The prompt.
        signal: The card in it.
        first: What the stand-in meant to do before anybody said anything to it.
        luck: This attempt's own.
        faults: Whether it heeds cards.
    """
    if not luck.strikes("heed", faults.heed):
        return _insisting(signal, first)
    offered = _offered(heard, signal, luck)
    return Intention("heed", offered) if offered else Intention("quiet")


def _insisting(signal: Signal, first: Intention) -> Intention:
    """The same again; the card says what it was, should nothing else tell."""
    blocked = bare(signal.target)
    same = first.deed is not None and blocked in (first.deed.target, first.deed.other)
    if same or first.again or not sayable(blocked):
        return first._replace(why="insist")
    return Intention("insist", Deed("take", blocked))


def _offered(heard: Heard, signal: Signal, luck: Luck) -> Deed | None:
    """A deed on something that is listed and was not what was blocked.

    The last card asks for something that cannot fail: looking at what is there cannot.
    """
    blocked = bare(signal.target)
    if not signal.last and heard.facts is not None:
        facts = _without(heard.facts, blocked)
        meant = from_facts(facts, luck, remember(heard), heard.prose)
        return meant.deed or _listed(facts, luck, safe=True)
    return _listed(_without(signal.facts, blocked), luck, safe=signal.last)


def _listed(facts: Facts, luck: Luck, *, safe: bool) -> Deed | None:
    """One of the card's own patterns; nothing where nothing is listed."""
    objects = single(facts.objects)
    deeds = [Deed("study", name) for name in objects]
    if not safe:
        deeds += [Deed("take", name) for name in objects if not is_fixed(name)]
        deeds += [Deed("go", name) for name in single(facts.exits)]
    return luck.pick("offer", deeds) if deeds else None


def _without(facts: Facts, name: str) -> Facts:
    return msgspec.structs.replace(
        facts,
        objects=tuple(each for each in facts.objects if each != name),
        exits=tuple(each for each in facts.exits if each != name),
    )
