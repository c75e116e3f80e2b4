import asyncio
from collections.abc import Iterator
from contextlib import aclosing

import pytest

from saniwa.core.clock import FixedClock
from saniwa.core.errors import SdkBridgeError
from saniwa.experiment.in_process_executor import InProcessExecutor
from saniwa.experiment.plan import ExperimentCell, iterate_cells
from saniwa.experiment.ports import CellCompletion, OracleFactory
from saniwa.models.oracle import Oracle, OracleAnswer, OracleRequest, TextListener
from saniwa.models.recording import AgentJournal
from saniwa.store.outcome_store import MemoryOutcomeStore
from tests.fakes.cell_executors import SeededOracle, make_seeded_oracle, make_trial
from tests.fakes.experiments import ScriptedOracle


class HeldOracleStandIn(SeededOracle):
    """A stand-in that answers only when it is released."""

    def __init__(self, let: asyncio.Event) -> None:
        self._let = let

    async def answer(
        self, request: OracleRequest, hear: TextListener | None = None
    ) -> OracleAnswer:
        """Wait to be released, then answer."""
        await self._let.wait()
        return await super().answer(request, hear)


def _make_executor(
    oracles: OracleFactory, shelf: MemoryOutcomeStore, jobs: int = 1
) -> InProcessExecutor:
    return InProcessExecutor(oracles, shelf, FixedClock(), jobs, worker="me")


def test_every_cell_is_reported_in_order() -> None:
    """With one job, cells are reported in the plan's order, with the worker and the times."""
    whole, shelf = make_trial(2), MemoryOutcomeStore()

    async def collect_completions() -> list[CellCompletion]:
        crew = _make_executor(make_seeded_oracle, shelf)
        return [done async for done in crew.run_cells(whole, iterate_cells(whole.plan))]

    told = asyncio.run(collect_completions())

    assert [cell.key for cell in iterate_cells(whole.plan)] == [done.key for done in told]
    assert CellCompletion(key=told[0].key, started=0, took_ms=1000, worker="me") == told[0]
    assert sorted(done.key for done in told) == list(shelf.list_keys())


def test_only_as_many_as_jobs_are_under_way() -> None:
    """Models wait in parallel, and no further cell is started until a job is free."""
    whole, shelf = make_trial(5), MemoryOutcomeStore()
    seen: list[ExperimentCell] = []

    def watch_cells() -> Iterator[ExperimentCell]:
        for cell in iterate_cells(whole.plan):
            seen.append(cell)
            yield cell

    async def count_under_way() -> tuple[int, int]:
        let = asyncio.Event()
        crew = _make_executor(lambda _cell, _journal: HeldOracleStandIn(let), shelf, jobs=3)
        async with aclosing(crew.run_cells(whole, watch_cells())) as coming:
            first = asyncio.ensure_future(anext(coming))
            for _ in range(20):
                await asyncio.sleep(0)
            looked = len(seen)
            let.set()
            await first
            return looked, len([done async for done in coming])

    assert (3, 19) == asyncio.run(count_under_way())


def test_a_stopped_listener_leaves_stored_cells_stored() -> None:
    """Unfinished cells are dropped, and nothing keeps running."""
    whole, shelf = make_trial(5), MemoryOutcomeStore()
    first = next(iterate_cells(whole.plan))

    async def stop_listening() -> tuple[int, int]:
        never = asyncio.Event()

        def open_oracle(cell: ExperimentCell, journal: AgentJournal) -> Oracle:
            return make_seeded_oracle(cell, journal) if cell == first else HeldOracleStandIn(never)

        crew = _make_executor(open_oracle, shelf, jobs=2)
        async with aclosing(crew.run_cells(whole, iterate_cells(whole.plan))) as coming:
            await anext(coming)
            under_way = len(asyncio.all_tasks()) - 1
        left = len(asyncio.all_tasks()) - 1
        await crew.close()
        await crew.close()
        return under_way, left

    assert (1, 0) == asyncio.run(stop_listening())
    assert [first.key] == list(shelf.list_keys())


def test_a_cancelled_executor_stops_at_once() -> None:
    """Ctrl-C during a model call drops the cell and closes its oracle."""
    whole, shelf = make_trial(1), MemoryOutcomeStore()
    let_go: list[Oracle] = []

    class EndlessOracle(SeededOracle):
        async def answer(
            self, request: OracleRequest, hear: TextListener | None = None
        ) -> OracleAnswer:
            await asyncio.Event().wait()
            return await super().answer(request, hear)

        async def close(self) -> None:
            let_go.append(self)

    async def listen() -> None:
        crew = _make_executor(lambda _cell, _journal: EndlessOracle(), shelf, jobs=2)
        async with aclosing(crew.run_cells(whole, iterate_cells(whole.plan))) as coming:
            await anext(coming)

    async def cancel_listening() -> None:
        task = asyncio.ensure_future(listen())
        for _ in range(20):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel_listening())

    assert [] == list(shelf.list_keys())
    assert 2 == len(let_go)


def test_what_is_finished_is_reported_before_a_failure() -> None:
    """An exhausted budget ends the plan, but cells saved before that are reported."""
    whole, shelf = make_trial(2), MemoryOutcomeStore()
    opened: list[ExperimentCell] = []

    def open_oracle(cell: ExperimentCell, journal: AgentJournal) -> Oracle:
        opened.append(cell)
        if len(opened) == 3:
            return ScriptedOracle([SdkBridgeError("BUDGET_SPENT", "enough")])
        return make_seeded_oracle(cell, journal)

    told: list[str] = []

    async def listen() -> None:
        async for done in _make_executor(open_oracle, shelf).run_cells(
            whole, iterate_cells(whole.plan)
        ):
            told.append(done.key)

    with pytest.raises(SdkBridgeError, match="enough"):
        asyncio.run(listen())

    assert 3 == len(opened)
    assert 2 == len(told)
    assert sorted(told) == list(shelf.list_keys())
