import asyncio
import json
from collections.abc import Callable
from contextlib import aclosing
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from saniwa.agent.bridges.metered import Meter, Metered, tokens_told
from saniwa.agent.definition import Limits
from saniwa.agent.oracle import Answer, Hear, Oracle, Request, Usage
from saniwa.agent.ports import Journal
from saniwa.core.clock import FixedClock
from saniwa.core.errors import ExperimentError, SaniwaError
from saniwa.experiment.cell import Cell, cells_of
from saniwa.experiment.crews.alone import Alone
from saniwa.experiment.plan import Condition, Plan
from saniwa.experiment.playing.cell import play_cell
from saniwa.experiment.playing.opening import Stages
from saniwa.experiment.ports import Oracles
from saniwa.store.cells.memory import MemoryCells
from saniwa.wiring.experiment.ceilings import Desk, check_ceiling, most_calls
from saniwa.wiring.experiment.oracles import LiveModels
from tests.fakes.experiments import Scripted, cell_of, plan, prepared, say


@pytest.fixture(autouse=True)
def _answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines = {"answers": [say("Hm.")], "repeat": True}
    Path("answers.json").write_text(json.dumps(lines))


def _real(letter: str = "A", **more: Any) -> Plan:
    condition = Condition(
        name=letter, model="canned:answers.json", inject=False, gm=letter in "CD"
    )
    usual: dict[str, Any] = {"seeds": tuple(range(8)), "max_turns": 3}
    return plan(conditions=(condition,), mode="real", **(usual | more))


def _kept(made: Plan, oracles: Oracles, jobs: int) -> tuple[int, str]:
    """Cells that were kept, and what it ended with."""
    shelf = MemoryCells()
    crew = Alone(oracles, shelf, FixedClock(), jobs)

    async def worked() -> None:
        async with aclosing(crew.work(prepared(made), cells_of(made))) as coming:
            async for _ in coming:
                pass

    code = ""
    try:
        asyncio.run(worked())
    except SaniwaError as problem:
        code = problem.code
    return len(list(shelf.keys())), code


class _Slow(Scripted):
    """Answers after everybody else had a chance to ask."""

    async def answer(self, request: Request, hear: Hear | None = None) -> Answer:
        """The next answer, later."""
        await asyncio.sleep(0)
        return await super().answer(request, hear)


def _table(
    made: Plan, limits: Limits, tokens: Callable[[Cell], int]
) -> tuple[Oracles, Meter]:
    """Oracles under ceilings, whose answers take so many tokens in a cell."""
    meter = Meter(limits)
    desk = Desk(made, limits, meter)

    def opened(cell: Cell, journal: Journal) -> Oracle:
        del journal
        spent = Usage(calls=1, input_tokens=tokens(cell))
        said = Answer(text=say("Hm."), usage=spent)
        return desk.admitted(cell, Metered(_Slow([said]), meter))

    return opened, meter


@pytest.mark.parametrize("jobs", [1, 2, 4, 8])
@pytest.mark.parametrize(("ceiling", "cells"), [(7, 2), (3, 1), (12, 4), (11, 3)])
def test_every_answer_that_was_asked_for_is_kept(
    jobs: int, ceiling: int, cells: int
) -> None:
    """However many cells play at once, none is begun that the ceiling could end."""
    made = _real()
    opened, meter = _table(made, Limits(max_calls=ceiling), lambda _: 1)

    assert (cells, "BUDGET_SPENT") == _kept(made, opened, jobs)
    assert 3 * cells == meter.spent.calls


def test_models_of_a_plan_are_under_its_ceilings() -> None:
    """What is asked of models is begun whole, or not at all."""
    models = LiveModels(_real(), limits=Limits(max_calls=7), environment={})

    assert (2, "BUDGET_SPENT") == _kept(_real(), models, 4)
    assert 6 == models.spent.calls


def test_enough_is_enough() -> None:
    """A ceiling that is never met changes nothing."""
    models = LiveModels(_real(), limits=Limits(max_calls=24), environment={})

    assert (8, "") == _kept(_real(), models, 4)


@pytest.mark.parametrize("jobs", [1, 4])
def test_a_ceiling_on_tokens_ends_no_cell_under_way(jobs: int) -> None:
    """After the first, a cell is begun if there is room for one like the dearest."""
    made = _real(max_tokens=1)
    opened, meter = _table(made, Limits(max_tokens=3_500), lambda _: 300)

    assert (3, "BUDGET_SPENT") == _kept(made, opened, jobs)
    assert 9 == meter.spent.calls


def test_one_that_meets_the_ceiling_waits_for_the_others() -> None:
    """A dearer cell than any before is lost alone: those under way are finished."""
    made = _real(max_tokens=1, seeds=tuple(range(5)))
    dear = next(islice(cells_of(made), 1, None)).key
    oracle = Scripted([say("Hm.")])
    asyncio.run(play_cell(Stages(prepared(made)), cell_of(made, "A"), oracle))
    # Room for four questions at once, and hardly for what was answered before.
    limits = Limits(max_tokens=4 * tokens_told(oracle.asked[-1]) + 100)
    opened, meter = _table(made, limits, lambda c: 150 if c.key == dear else 1)

    assert (3, "BUDGET_SPENT") == _kept(made, opened, 4)
    assert 3 * 3 + 2 == meter.spent.calls


def test_a_ceiling_below_one_cell_is_refused() -> None:
    """Nobody pays for answers that no cell could be made of."""
    made = _real("C")
    check_ceiling(made, Limits(max_calls=9))
    check_ceiling(made, Limits())
    with pytest.raises(ExperimentError) as caught:
        check_ceiling(made, Limits(max_calls=8))

    assert 9 == most_calls(made, made.conditions[0])
    assert "BUDGET_SPENT" == caught.value.code
