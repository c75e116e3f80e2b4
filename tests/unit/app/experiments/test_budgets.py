import asyncio
import json
from collections.abc import Callable
from contextlib import aclosing
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from saniwa.agent.definition import AgentLimits
from saniwa.app.experiments.cell_budget import CellBudget, check_budget, count_most_calls
from saniwa.app.experiments.cell_models import LiveModels
from saniwa.core.clock import FixedClock
from saniwa.core.errors import ExperimentError, SaniwaError, SdkBridgeError
from saniwa.experiment.cell_outcome import CellOutcome, decode_outcome
from saniwa.experiment.in_process_executor import InProcessExecutor
from saniwa.experiment.plan import Condition, ExperimentCell, ExperimentPlan, iterate_cells
from saniwa.experiment.ports import OracleFactory
from saniwa.models.metering import MeteredOracle, UsageMeter
from saniwa.models.oracle import (
    Oracle,
    OracleAnswer,
    OracleMessage,
    OracleRequest,
    TextListener,
    Usage,
)
from saniwa.models.recording import AgentJournal
from saniwa.store.outcome_store import MemoryOutcomeStore
from tests.fakes.experiments import ScriptedOracle, make_plan, prepare_plan, render_answer


@pytest.fixture(autouse=True)
def _canned_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines = {"answers": [render_answer("Hm.")], "repeat": True}
    Path("answers.json").write_text(json.dumps(lines))


def _make_real_plan(letter: str = "A", **more: Any) -> ExperimentPlan:
    condition = Condition(name=letter, model="canned:answers.json", inject=False, gm=letter in "CD")
    usual: dict[str, Any] = {"seeds": tuple(range(8)), "max_turns": 3}
    return make_plan(mode="real", **({"conditions": (condition,)} | usual | more))


def _count_kept(made: ExperimentPlan, oracles: OracleFactory, jobs: int) -> tuple[int, str]:
    """The number of stored cells, and the code of the error."""
    outcomes, code = _run_plan(made, oracles, jobs)
    return len(outcomes), code


def _run_plan(
    made: ExperimentPlan, oracles: OracleFactory, jobs: int
) -> tuple[list[CellOutcome], str]:
    """The stored outcomes, and the code of the error."""
    shelf = MemoryOutcomeStore()
    crew = InProcessExecutor(oracles, shelf, FixedClock(), jobs)

    async def run_cells() -> None:
        async with aclosing(crew.run_cells(prepare_plan(made), iterate_cells(made))) as coming:
            async for _ in coming:
                pass

    code = ""
    try:
        asyncio.run(run_cells())
    except SaniwaError as problem:
        code = problem.code
    keys = list(shelf.list_keys())
    return [decode_outcome(shelf.get_outcome(key) or b"") for key in keys], code


class _SlowOracle(ScriptedOracle):
    """Answers after other tasks had a chance to run."""

    async def answer(
        self, request: OracleRequest, hear: TextListener | None = None
    ) -> OracleAnswer:
        """The next answer, later."""
        await asyncio.sleep(0)
        return await super().answer(request, hear)


def _make_limited_oracles(
    made: ExperimentPlan,
    limits: AgentLimits,
    tokens: Callable[[ExperimentCell], int],
    foretold: int = 0,
) -> tuple[OracleFactory, UsageMeter]:
    """Oracles with limits, whose answers use a given number of tokens per cell."""
    meter = UsageMeter(limits)
    most = {each.name: Usage(calls=1, input_tokens=foretold) for each in made.conditions}
    desk = CellBudget(made, limits, meter, most if foretold else None)

    def open_limited(cell: ExperimentCell, journal: AgentJournal) -> Oracle:
        del journal
        spent = Usage(calls=1, input_tokens=tokens(cell))
        said = OracleAnswer(text=render_answer("Hm."), usage=spent)
        return desk.limit_oracle(cell, MeteredOracle(_SlowOracle([said]), meter))

    return open_limited, meter


@pytest.mark.parametrize("jobs", [1, 2, 4, 8])
@pytest.mark.parametrize(("ceiling", "cells"), [(7, 2), (3, 1), (12, 4), (11, 3)])
def test_every_answer_that_was_asked_for_is_kept(jobs: int, ceiling: int, cells: int) -> None:
    """However many cells run at once, no cell is started that the limit could stop."""
    made = _make_real_plan()
    opened, meter = _make_limited_oracles(made, AgentLimits(max_calls=ceiling), lambda _: 1)

    assert (cells, "BUDGET_SPENT") == _count_kept(made, opened, jobs)
    assert 3 * cells == meter.spent.calls


def test_models_of_a_plan_are_under_its_ceilings() -> None:
    """With a limit on model calls, a cell is played in full or not started."""
    models = LiveModels(_make_real_plan(), limits=AgentLimits(max_calls=7), environment={})

    assert (2, "BUDGET_SPENT") == _count_kept(_make_real_plan(), models, 4)
    assert 6 == models.usage.calls


def test_enough_is_enough() -> None:
    """A limit that is not reached changes nothing."""
    models = LiveModels(_make_real_plan(), limits=AgentLimits(max_calls=24), environment={})

    assert (8, "") == _count_kept(_make_real_plan(), models, 4)


@pytest.mark.parametrize("jobs", [1, 4])
def test_a_ceiling_on_tokens_ends_no_cell_under_way(jobs: int) -> None:
    """With a limit on tokens, a cell is started if one as large as the largest so far would fit."""
    made = _make_real_plan(max_tokens=1)
    opened, meter = _make_limited_oracles(made, AgentLimits(max_tokens=3_500), lambda _: 300)

    assert (3, "BUDGET_SPENT") == _count_kept(made, opened, jobs)
    assert 9 == meter.spent.calls


@pytest.mark.parametrize("jobs", [1, 4])
@pytest.mark.parametrize("ceiling", [500, 1_900, 5_500, 6_200, 9_000])
def test_a_cheap_condition_does_not_replace_an_expensive_one(jobs: int, ceiling: int) -> None:
    """Cells of a cheap condition do not predict the cost of another: all answers are stored."""
    pair = (_make_real_plan("A").conditions[0], _make_real_plan("C").conditions[0])
    made = _make_real_plan(conditions=pair, seeds=(0, 1), max_tokens=1)
    shown = render_answer("*take the lamp*")
    limits = AgentLimits(max_tokens=ceiling)
    meter = UsageMeter(limits)
    most = {each.name: Usage(calls=1, input_tokens=600) for each in pair}
    desk = CellBudget(made, limits, meter, most)

    def open_limited(cell: ExperimentCell, journal: AgentJournal) -> Oracle:
        del journal
        said = OracleAnswer(text=shown, usage=Usage(calls=1, input_tokens=100))
        return desk.limit_oracle(cell, MeteredOracle(_SlowOracle([said]), meter))

    kept, _ = _run_plan(made, open_limited, jobs)

    assert meter.spent.calls == sum(
        len(passage.attempts) for each in kept for passage in each.passages
    )


def test_the_first_cell_has_its_room_too() -> None:
    """Before the first call, the most that a cell can use is reserved."""
    made = _make_real_plan(max_tokens=1)
    opened, meter = _make_limited_oracles(made, AgentLimits(max_tokens=2_000), lambda _: 300, 700)

    assert (0, "BUDGET_SPENT") == _count_kept(made, opened, 1)
    assert 0 == meter.spent.calls


def test_one_that_meets_the_ceiling_waits_for_the_others() -> None:
    """A cell that reaches the limit raises its error after the other cells have ended."""
    made, limits = _make_real_plan(), AgentLimits(max_calls=24)
    desk = CellBudget(made, limits, UsageMeter(limits))
    first, second, third = islice(iterate_cells(made), 3)
    met = SdkBridgeError("BUDGET_SPENT", "no more")
    question = OracleRequest(messages=(OracleMessage(role="user", text="?"),))

    async def play_both() -> list[str]:
        seen = []
        one = desk.limit_oracle(first, ScriptedOracle([met]))
        other = desk.limit_oracle(second, ScriptedOracle([render_answer("Hm.")]))
        await other.answer(question)
        asking = asyncio.create_task(one.answer(question))
        await asyncio.sleep(0)
        seen.append("waits" if not asking.done() else "raised")
        await other.close()
        for waiting in (asking, desk.reserve(third)):
            with pytest.raises(SdkBridgeError) as caught:
                await waiting
            seen.append(caught.value.code)
        return seen

    assert ["waits", "BUDGET_SPENT", "BUDGET_SPENT"] == asyncio.run(play_both())


def test_what_is_asked_is_set_aside_no_more() -> None:
    """A cell with all its questions asked leaves room for another before it ends."""
    made, limits = _make_real_plan(), AgentLimits(max_calls=6)
    meter = UsageMeter(limits)
    desk = CellBudget(made, limits, meter)
    first, second = islice(iterate_cells(made), 2)
    one = desk.limit_oracle(first, MeteredOracle(ScriptedOracle([render_answer("Hm.")]), meter))
    question = OracleRequest(messages=(OracleMessage(role="user", text="?"),))

    async def answer_three_times() -> None:
        for _ in range(3):
            await one.answer(question)
        await asyncio.wait_for(desk.reserve(second), timeout=120)

    asyncio.run(answer_three_times())
    assert 3 == meter.spent.calls


def test_a_ceiling_below_one_cell_is_refused() -> None:
    """A limit below one cell's calls is refused."""
    made = _make_real_plan("C")
    check_budget(made, AgentLimits(max_calls=9))
    check_budget(made, AgentLimits())
    with pytest.raises(ExperimentError) as caught:
        check_budget(made, AgentLimits(max_calls=8))

    assert 9 == count_most_calls(made, made.conditions[0])
    assert "BUDGET_SPENT" == caught.value.code


def test_tokens_and_dollars_for_one_cell_are_asked_for_beforehand() -> None:
    """A limit on tokens or cost below one cell is refused, with the smallest one that would do."""
    made = _make_real_plan("C")
    one = Usage(calls=1, input_tokens=80, output_tokens=20, cost=50_000)
    for low, least in ((AgentLimits(max_tokens=899), 900), (AgentLimits(max_cost=0.4), 0.45)):
        with pytest.raises(ExperimentError) as caught:
            check_budget(made, low, {"C": one})
        assert ("BUDGET_SPENT", least) == (caught.value.code, caught.value.details["least"])
    check_budget(made, AgentLimits(max_tokens=900, max_cost=0.45), {"C": one})


def test_unknown_prices_are_refused_beforehand() -> None:
    """A limit on cost needs known prices."""
    unknown = {"A": Usage(calls=1, unpriced=1)}
    with pytest.raises(ExperimentError) as caught:
        check_budget(_make_real_plan(), AgentLimits(max_cost=1.0), unknown)

    assert "BUDGET_UNPRICED" == caught.value.code
