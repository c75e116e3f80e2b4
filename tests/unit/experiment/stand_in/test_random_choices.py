"""The random choices of a stand-in."""

from saniwa.experiment.stand_in.deeds import StandInChance
from tests.fakes.standins import make_chances


def test_what_never_happens_never_strikes_and_what_always_happens_always() -> None:
    """0 hundredths are never and 100 are always."""
    drawn = [(luck.decide("x", 0), luck.decide("x", 100)) for luck in make_chances(500)]

    assert {(False, True)} == set(drawn)


def test_it_strikes_about_as_often_as_it_should() -> None:
    """Of 2000 turns, about a third have a fault of 33 hundredths."""
    struck = sum(luck.decide("x", 33) for luck in make_chances(2000))

    assert 560 < struck < 760


def test_more_hundredths_strike_where_fewer_did() -> None:
    """Raising a fault's frequency keeps the turns that already had it."""
    assert all(luck.decide("x", 60) for luck in make_chances(300) if luck.decide("x", 20))


def test_one_question_does_not_move_another() -> None:
    """Random numbers drawn under different names are independent."""
    pairs = {(luck.decide("x", 50), luck.decide("y", 50)) for luck in make_chances(100)}

    assert 4 == len(pairs)


def test_every_one_of_several_is_picked_at_times() -> None:
    """Each of several choices is picked sometimes."""
    assert {"a", "b", "c"} == {luck.pick_one("x", "abc") for luck in make_chances(100)}


def test_luck_is_the_same_whenever_it_is_asked() -> None:
    """The same seed, turn and name give the same number."""
    assert StandInChance(7, "Ann 3").draw_number("x") == StandInChance(7, "Ann 3").draw_number("x")
    assert StandInChance(7, "Ann 3").draw_number("x") != StandInChance(7, "Ann 4").draw_number("x")
