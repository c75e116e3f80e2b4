"""After a guidance card."""

from saniwa.experiment.plan import Faults
from saniwa.experiment.standin.again import after_card
from saniwa.experiment.standin.deed import Deed
from saniwa.experiment.standin.intention import Intention
from saniwa.experiment.telling.facts import Facts
from tests.fakes.standins import FAULTLESS, HOME, card, heard, lucks

FIRST = Intention("invent", Deed("take", "coffee beans"))


def _meant(
    faults: Faults,
    *,
    target: str = "the coffee beans",
    made: int = 1,
    offered: Facts = HOME,
    told: Facts | None = None,
) -> set[Intention]:
    read = heard(card=card(target, offered, made), facts=told)
    assert read.signal is not None
    return {after_card(read, read.signal, FIRST, luck, faults) for luck in lucks(200)}


def test_who_does_not_heed_does_the_same_again() -> None:
    """The first deed, letter for letter."""
    assert {FIRST._replace(why="insist")} == _meant(Faults(heed=0))


def test_what_the_card_blocked_is_insisted_on_where_it_was_something_else() -> None:
    """After a third card only the card tells what it was."""
    again = Intention("insist", Deed("take", "teapot"))

    assert {again} == _meant(Faults(heed=0), target="teapot")


def test_who_heeds_keeps_to_what_the_card_lists() -> None:
    """Listed things are looked at or taken, listed ways gone."""
    assert {
        Intention("heed", Deed("study", "brass key")),
        Intention("heed", Deed("study", "oak table")),
        Intention("heed", Deed("study", "strongbox")),
        Intention("heed", Deed("take", "brass key")),
        Intention("heed", Deed("take", "strongbox")),
        Intention("heed", Deed("go", "Kitchen")),
        Intention("heed", Deed("go", "Vault")),
    } == _meant(FAULTLESS)


def test_who_was_told_the_facts_avoids_what_is_shut() -> None:
    """The card does not tell what is locked; the facts do."""
    meant = _meant(FAULTLESS, told=HOME)

    assert Intention("heed", Deed("go", "Kitchen")) in meant
    assert Intention("heed", Deed("go", "Vault")) not in meant


def test_what_was_blocked_is_not_offered_to_oneself() -> None:
    """Heeding is not the same again."""
    meant = _meant(FAULTLESS, target="the brass key")

    assert "brass key" not in {each.about for each in meant}


def test_the_last_attempt_risks_nothing() -> None:
    """Looking at what is listed cannot be refused."""
    for told in (None, HOME):
        meant = _meant(FAULTLESS, made=2, told=told)

        assert {"study"} == {each.deed.kind for each in meant if each.deed}


def test_where_a_card_offers_nothing_one_only_speaks() -> None:
    """Nothing to act on is a reason to act on nothing."""
    assert {Intention("quiet")} == _meant(FAULTLESS, offered=Facts())
