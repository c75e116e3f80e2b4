import asyncio
from typing import Any

from saniwa.app.experiments.forecast import find_worst_case_costs
from saniwa.core.clock import FixedClock
from saniwa.experiment.cell_player import play_cell
from saniwa.experiment.plan import Condition, ExperimentPlan
from saniwa.experiment.run_template import RunTemplates
from saniwa.models.metering import estimate_request_tokens
from saniwa.models.oracle import Usage
from tests.fakes.experiments import (
    ScriptedOracle,
    make_plan,
    pick_cell,
    prepare_plan,
    render_answer,
)


def _make_real_plan(model: str = "fuzz:1", **more: Any) -> ExperimentPlan:
    pair = (
        Condition(name="A", model=model, inject=False, gm=False),
        Condition(name="D", model=model),
    )
    return make_plan(conditions=pair, mode="real", **more)


def _find_worst_cases(made: ExperimentPlan, **more: Any) -> dict[str, Usage]:
    coming = find_worst_case_costs(prepare_plan(made), clock=FixedClock(), environment={}, **more)
    return asyncio.run(coming)


def test_no_question_takes_more_than_was_foretold() -> None:
    """No question has more tokens than the estimate, however long the answers are."""
    made = _make_real_plan(max_turns=12)
    talking = ScriptedOracle([render_answer("*take the lamp* " + "So I said. " * 30)])
    asyncio.run(play_cell(RunTemplates(prepare_plan(made)), pick_cell(made, "D"), talking))
    most = _find_worst_cases(made)["D"]

    assert most.input_tokens >= max(map(estimate_request_tokens, talking.asked))
    assert made.max_tokens == most.output_tokens


def test_conditions_are_distinguished() -> None:
    """A condition with facts has longer prompts."""
    found = _find_worst_cases(_make_real_plan())

    assert ["A", "D"] == sorted(found)
    assert found["A"].input_tokens < found["D"].input_tokens


def test_a_price_is_known_or_said_to_be_unknown() -> None:
    """An unknown price is counted as such, and a free model costs 0."""
    free, unknown = (
        _find_worst_cases(_make_real_plan(), priced=True),
        _find_worst_cases(_make_real_plan("ollama:a"), priced=True),
    )

    assert (0, 0) == (free["D"].cost, free["D"].unpriced)
    assert 1 == unknown["D"].unpriced
    assert 0 == _find_worst_cases(_make_real_plan("ollama:a"))["D"].unpriced


def test_a_written_price_is_the_one_that_counts() -> None:
    """A price in the plan is used for an unknown model."""
    model = "ollama:a"
    made = _make_real_plan(model, prices={model: (2.0, 3.0)})
    found = _find_worst_cases(made, priced=True)["D"]

    assert 0 == found.unpriced
    assert 2 * found.input_tokens + 3 * found.output_tokens == found.cost
