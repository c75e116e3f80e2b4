"""How a stand-in responds to a guidance card."""

from saniwa.experiment.plan import StandInFaults
from saniwa.experiment.prompts import SpeakerFacts
from saniwa.experiment.stand_in.character import respond_to_card
from saniwa.experiment.stand_in.deeds import StandInDeed, StandInIntention
from tests.fakes.standins import FAULTLESS, HOME, make_chances, read_request, render_card

FIRST = StandInIntention("invent", StandInDeed("take", "coffee beans"))


def _respond_all(
    faults: StandInFaults,
    *,
    target: str = "the coffee beans",
    made: int = 1,
    offered: SpeakerFacts = HOME,
    told: SpeakerFacts | None = None,
) -> set[StandInIntention]:
    read = read_request(card=render_card(target, offered, made), facts=told)
    assert read.signal is not None
    return {respond_to_card(read, read.signal, FIRST, luck, faults) for luck in make_chances(200)}


def test_a_stand_in_with_heed_0_repeats_itself() -> None:
    """With heed 0 the first action is repeated unchanged."""
    assert {FIRST._replace(why="insist")} == _respond_all(StandInFaults(heed=0))


def test_what_the_card_blocked_is_insisted_on_where_it_was_something_else() -> None:
    """After a third card only the card shows what was blocked."""
    again = StandInIntention("insist", StandInDeed("take", "teapot"))

    assert {again} == _respond_all(StandInFaults(heed=0), target="teapot")


def test_a_stand_in_with_heed_keeps_to_the_card() -> None:
    """Listed objects are looked at or taken, and listed exits are used."""
    assert {
        StandInIntention("heed", StandInDeed("study", "brass key")),
        StandInIntention("heed", StandInDeed("study", "oak table")),
        StandInIntention("heed", StandInDeed("study", "strongbox")),
        StandInIntention("heed", StandInDeed("take", "brass key")),
        StandInIntention("heed", StandInDeed("take", "strongbox")),
        StandInIntention("heed", StandInDeed("go", "Kitchen")),
        StandInIntention("heed", StandInDeed("go", "Vault")),
    } == _respond_all(FAULTLESS)


def test_an_informed_stand_in_avoids_what_is_shut() -> None:
    """The card does not say what is locked, but the facts do."""
    meant = _respond_all(FAULTLESS, told=HOME)

    assert StandInIntention("heed", StandInDeed("go", "Kitchen")) in meant
    assert StandInIntention("heed", StandInDeed("go", "Vault")) not in meant


def test_what_was_blocked_is_not_offered_to_oneself() -> None:
    """A stand-in that heeds the card does not try the blocked target again."""
    meant = _respond_all(FAULTLESS, target="the brass key")

    assert "brass key" not in {each.target_name for each in meant}


def test_the_last_attempt_risks_nothing() -> None:
    """Looking at a listed object cannot be refused."""
    for told in (None, HOME):
        meant = _respond_all(FAULTLESS, made=2, told=told)

        assert {"study"} == {each.deed.kind for each in meant if each.deed}


def test_a_card_without_options_leads_to_speech() -> None:
    """If the card lists nothing, the stand-in only speaks."""
    assert {StandInIntention("quiet")} == _respond_all(FAULTLESS, offered=SpeakerFacts())
