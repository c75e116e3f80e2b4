import asyncio
import json
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from saniwa.agent.bridges.metered import Meter, Metered
from saniwa.agent.definition import Limits
from saniwa.agent.oracle import Answer, Oracle, Usage
from saniwa.agent.ports import Journal
from saniwa.core.clock import FixedClock
from saniwa.core.errors import ExperimentError, SaniwaError
from saniwa.experiment.cell import Cell, cells_of
from saniwa.experiment.crews.alone import Alone
from saniwa.experiment.plan import Condition, Plan
from saniwa.experiment.ports import Oracles
from saniwa.store.cells.memory import MemoryCells
from saniwa.wiring.experiment.ceilings import Desk, check_ceiling, most_calls
from saniwa.wiring.experiment.oracles import LiveModels
from tests.fakes.experiments import Scripted, plan, prepared, say


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


@pytest.mark.parametrize("jobs", [1, 2, 4, 8])
@pytest.mark.parametrize(("ceiling", "cells"), [(7, 2), (3, 1), (12, 4), (11, 3)])
def test_every_answer_that_was_asked_for_is_kept(
    jobs: int, ceiling: int, cells: int
) -> None:
    """However many cells play at once, none is begun that the ceiling could end."""
    models = LiveModels(_real(), limits=Limits(max_calls=ceiling), environment={})

    assert (cells, "BUDGET_SPENT") == _kept(_real(), models, jobs)
    assert 3 * cells == models.spent.calls


def test_enough_is_enough() -> None:
    """A ceiling that is never met changes nothing."""
    models = LiveModels(_real(), limits=Limits(max_calls=24), environment={})

    assert (8, "") == _kept(_real(), models, 4)


@pytest.mark.parametrize("jobs", [1, 4])
def test_a_ceiling_on_tokens_ends_no_cell_under_way(jobs: int) -> None:
    """After the first, a cell is begun if there is room for one like the dearest."""
    made, limits = _real(max_tokens=1), Limits(max_tokens=3_500)
    meter = Meter(limits)
    desk = Desk(made, limits, meter)
    said = Answer(text=say("Hm."), usage=Usage(calls=1, input_tokens=300))

    def opened(cell: Cell, journal: Journal) -> Oracle:
        del journal
        return desk.admitted(cell, Metered(Scripted([said]), meter))

    assert (3, "BUDGET_SPENT") == _kept(made, opened, jobs)
    assert 9 == meter.spent.calls


@pytest.mark.parametrize("jobs", [1, 4])
def test_one_that_meets_the_ceiling_waits_for_the_others(jobs: int) -> None:
    """A dearer cell than any before is lost alone: those under way are finished."""
    made, limits = _real(max_tokens=1), Limits(max_tokens=5_000)
    meter = Meter(limits)
    desk = Desk(made, limits, meter)

    def opened(cell: Cell, journal: Journal) -> Oracle:
        del journal
        tokens = 4_000 if cell.seed == 1 else 10
        said = Answer(text=say("Hm."), usage=Usage(calls=1, input_tokens=tokens))
        return desk.admitted(cell, Metered(Scripted([said]), meter))

    cells, code = _kept(made, opened, jobs)

    assert "BUDGET_SPENT" == code
    assert cells >= 1
    assert meter.spent.calls <= 3 * cells + 2


def test_a_ceiling_below_one_cell_is_refused() -> None:
    """Nobody pays for answers that no cell could be made of."""
    made = _real("C")
    check_ceiling(made, Limits(max_calls=9))
    check_ceiling(made, Limits())
    with pytest.raises(ExperimentError) as caught:
        check_ceiling(made, Limits(max_calls=8))

    assert 9 == most_calls(made, made.conditions[0])
    assert "BUDGET_SPENT" == caught.value.code
