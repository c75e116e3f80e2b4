from typing import Any

import msgspec
import pytest

from saniwa.experiment.plan import Condition
from saniwa.experiment.plan_reader import find_violations
from tests.fakes.experiments import make_plan, prepare_plan


def test_a_plan_that_was_prepared_is_sound() -> None:
    """A normal plan has no findings."""
    assert [] == list(find_violations(prepare_plan()))


def test_all_that_is_wrong_is_reported() -> None:
    """Each wrong number, size or name has its own message."""
    odd = Condition(name="A", prompt="none", rulebook="none", temperature=-1.0)
    made = make_plan(max_turns=0, max_retries=11, seeds=(), conditions=(odd,))
    found = " ".join(find_violations(msgspec.structs.replace(prepare_plan(), plan=made)))

    for told in ("max_turns", "max_retries", "'seeds'", "edition", "temperature"):
        assert told in found


@pytest.mark.parametrize("seeds", [1_000_000, 100_001])
def test_a_plan_that_is_too_large_is_not_counted_out(seeds: int) -> None:
    """The size is computed without making any cells."""
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
    """Factors, levels, names and fault profiles must fit together."""
    made = msgspec.structs.replace(prepare_plan(), plan=make_plan(**changed))

    assert told in " ".join(find_violations(made))


def test_an_empty_book_is_none() -> None:
    """An empty rulebook is a finding."""
    made = msgspec.structs.replace(prepare_plan(), books={"house": {"": ()}})

    assert ["the rulebook '' of 'house' is not in it"] == list(find_violations(made))
