from typing import Any

import msgspec
import pytest

from saniwa.experiment.plan import Condition
from saniwa.experiment.plan_reader import find_violations
from tests.fakes.experiments import make_plan, prepare_plan


def test_a_plan_that_was_prepared_is_sound() -> None:
    """What people may ask for passes whole."""
    assert [] == list(find_violations(prepare_plan()))


def test_all_that_is_wrong_is_told() -> None:
    """Numbers, sizes and names, each in a sentence."""
    odd = Condition(name="A", prompt="none", rulebook="none", temperature=-1.0)
    made = make_plan(max_turns=0, max_retries=11, seeds=(), conditions=(odd,))
    found = " ".join(find_violations(msgspec.structs.replace(prepare_plan(), plan=made)))

    for told in ("max_turns", "max_retries", "'seeds'", "edition", "temperature"):
        assert told in found


@pytest.mark.parametrize("seeds", [1_000_000, 100_001])
def test_a_plan_that_is_too_large_is_not_counted_out(seeds: int) -> None:
    """Its size is seen without making a cell of it."""
    made = msgspec.structs.replace(prepare_plan(), plan=make_plan(seeds=tuple(range(seeds))))

    assert any("'seeds'" in each for each in find_violations(made))


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"factors": {"weather": (True,)}}, "cannot differ in 'weather'"),
        ({"factors": {"inject": (False,)}}, "the levels of 'inject'"),
        ({"conditions": (Condition(name="A"),), "factors": {}}, "the condition 'A' is 'D'"),
        ({"conditions": (Condition(name="D", faults="odd"),), "factors": {}}, "errs like 'odd'"),
    ],
)
def test_conditions_are_those_that_authoring_makes(changed: dict[str, Any], told: str) -> None:
    """Factors, levels, names and ways to err fit together, or it is said."""
    made = msgspec.structs.replace(prepare_plan(), plan=make_plan(**changed))

    assert told in " ".join(find_violations(made))


def test_an_empty_book_is_none() -> None:
    """Somebody has to judge."""
    made = msgspec.structs.replace(prepare_plan(), books={"house": {"": ()}})

    assert ["the rulebook '' of 'house' is not in it"] == list(find_violations(made))
