"""Plans made in Python, without a file."""

from typing import Any

import pytest
from msgspec.structs import replace

from saniwa.app.experiments.experiment_run import load_prepared_plan
from saniwa.app.run_service import RunService
from saniwa.app.scenario_lookup import open_scenario
from saniwa.core.errors import ExperimentError
from saniwa.experiment.plan import Condition, ExperimentPlan

_PLAN = ExperimentPlan(experiment_id="trial", scenarios=("coffee_trap",), max_turns=2)


def test_an_object_is_the_same_plan_as_its_keys() -> None:
    """An object and its keys give the same plan."""
    keys = {"experiment_id": "trial", "scenarios": ["coffee_trap"], "max_turns": 2}

    assert load_prepared_plan(keys) == load_prepared_plan(_PLAN)


def test_factors_are_crossed_into_conditions() -> None:
    """Without conditions, there is one for every combination of factor levels."""
    factors = {"gm": (True,), "prompt": ("plain", "strict")}
    made = load_prepared_plan(replace(_PLAN, factors=factors)).plan

    names = ["C+prompt=plain", "C+prompt=strict", "D+prompt=plain", "D+prompt=strict"]
    assert names == [each.name for each in made.conditions]


def test_conditions_have_their_factors() -> None:
    """The factors are those in which the given conditions differ."""
    chosen = (Condition(name="D"), Condition(name="A", inject=False, gm=False))
    made = load_prepared_plan(replace(_PLAN, conditions=chosen)).plan

    assert ["A", "D"] == [each.name for each in made.conditions]
    assert {"inject": (False, True), "gm": (False, True)} == made.factors


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"scenarios": "coffee_trap"}, "Expected `array`"),
        ({"experiment_id": "../trial"}, "cannot be the id"),
        ({"max_turns": 0}, "'max_turns' is from 1"),
        ({"factors": {"colour": ("red",)}}, "'colour'"),
        ({"conditions": (Condition(name="mine"),)}, "'mine' is 'D'"),
        ({"seeds": ()}, "'seeds' are from 1"),
    ],
)
def test_mistakes_of_an_object_are_reported(wrong: dict[str, Any], message: str) -> None:
    """An invalid object is refused before anything is written."""
    with pytest.raises(ExperimentError, match=message):
        load_prepared_plan(replace(_PLAN, **wrong))


def test_a_run_begins_with_an_open_scenario() -> None:
    """A run can begin with a scenario that is already open."""
    scenario = open_scenario({"locations": {"hut": {}}, "characters": {"ann": {"location": "hut"}}})
    run = RunService.open("memory:").begin(scenario)

    assert scenario.world == run.world
