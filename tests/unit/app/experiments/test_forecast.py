import asyncio
from typing import Any

from saniwa.app.experiments.forecast import Forecast, make_forecast
from saniwa.experiment.plan import Condition, ExperimentPlan
from tests.fakes.experiments import make_plan, prepare_plan


def _forecast(made: ExperimentPlan) -> Forecast:
    return asyncio.run(make_forecast(prepare_plan(made), environment={}))


def _make_real_plan(model: str, **more: Any) -> ExperimentPlan:
    condition = Condition(name="D", model=model)
    return make_plan(conditions=(condition,), mode="real", **more)


def test_calls_are_between_none_refused_and_all_refused() -> None:
    """The fewest calls are without refusals, the most with two retries for every turn."""
    found = _forecast(make_plan("AD", seeds=(0, 1, 2), max_turns=4))

    assert (6, 24, 12 + 36) == (found.cells, found.calls_fewest, found.calls_most)
    assert 0 < found.tokens_fewest < found.tokens_most


def test_a_simulation_costs_nothing() -> None:
    """A simulation costs nothing."""
    found = _forecast(make_plan("D"))

    assert (0.0, 0.0, ()) == (found.cost_fewest, found.cost_most, found.unpriced)


def test_a_plans_own_price_counts() -> None:
    """A price in the plan is used, for input and output tokens."""
    free = _forecast(_make_real_plan("ollama:a", prices={"ollama:a": (0.0, 0.0)}))
    dear = _forecast(_make_real_plan("ollama:a", prices={"ollama:a": (1e6, 1e6)}))

    assert 0.0 == free.cost_most
    assert (float(dear.tokens_fewest), float(dear.tokens_most)) == (
        dear.cost_fewest,
        dear.cost_most,
    )


def test_an_unknown_price_is_said_to_be_unknown() -> None:
    """With an unknown price, the cost is None and the model is named."""
    found = _forecast(_make_real_plan("ollama:a"))

    assert (None, None, ("ollama:a",)) == (found.cost_fewest, found.cost_most, found.unpriced)


def test_a_forecast_is_the_same_every_time() -> None:
    """A forecast is the same each time."""
    assert _forecast(make_plan()) == _forecast(make_plan())
