import pytest

from saniwa.integrations.episode import MIN_BOUND, ActionOffer, build_step_info, check_bounds
from saniwa.world.actions import Wait
from saniwa.world.model import Id

OFFERS = [ActionOffer(text, Wait(actor_id=Id("ann"))) for text in ("wait", "sing", "sleep")]


@pytest.mark.parametrize(
    ("max_turns", "most_actions", "named"), [(1, 9, "max_turns is 1"), (9, 0, "most_actions is 0")]
)
def test_too_small_a_number_is_named(max_turns: int, most_actions: int, named: str) -> None:
    """A number that is too small is refused with its name and value."""
    with pytest.raises(ValueError, match=named):
        check_bounds(max_turns, most_actions)


def test_the_smallest_numbers_will_do() -> None:
    """The smallest allowed numbers are accepted."""
    check_bounds(MIN_BOUND, MIN_BOUND)


def test_what_does_not_fit_is_counted() -> None:
    """The list is cut to its places, and the number of omitted actions is given."""
    assert {
        "admissible": ["wait", "sing"],
        "left_out": 1,
        "goals": ["tea"],
        "refused": True,
    } == build_step_info(OFFERS, 2, ("tea",), refused=True)
    assert 0 == build_step_info(OFFERS, 3, (), refused=False)["left_out"]
