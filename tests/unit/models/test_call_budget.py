from saniwa.models.metering import CALLS_PER_TURN, CallBudget


def test_a_turn_has_two_calls() -> None:
    """Two calls may be made for a turn, and not a third."""
    calls = CallBudget()

    assert [True, True, False] == [calls.take() for _ in range(3)]
    assert 2 == CALLS_PER_TURN


def test_less_than_none_is_none() -> None:
    """A negative number of remaining calls counts as 0."""
    calls = CallBudget(-3)

    assert 0 == calls.remaining
    assert not calls.take()
