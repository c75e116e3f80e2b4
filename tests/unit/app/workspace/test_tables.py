import asyncio
from pathlib import Path

import pytest

from saniwa.app.game_tables import (
    LEAST_PAUSE_SECONDS,
    MOST_RUNNING,
    MOST_TABLES,
    ChangeNotifier,
    TableRunner,
    TableService,
)
from saniwa.core.errors import ProtocolError
from saniwa.core.ids import CountingIds
from saniwa.runs.playing import PlayRequest
from saniwa.runs.run import Run
from saniwa.store.memory_run_store import MemoryRunStore
from saniwa.store.play_records import MemoryPlayRecords
from tests.fakes.coroutine_tests import run_coroutine
from tests.fakes.runs import open_courtyard_run, resume_restarted

ANSWERS = 'answers: ["Thought: Yes.\\nOutput: Good day!"]\nrepeat: true\n'


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A project with canned answers."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models").mkdir(exist_ok=True)
    (tmp_path / "models" / "answers.yaml").write_text(ANSWERS, encoding="utf-8")


def make_table_service() -> TableService:
    """The tables of a server without watchers."""
    return TableService("memory:", MemoryPlayRecords(), ChangeNotifier(), lambda: 0.0)


def make_runs(store: MemoryRunStore, number: int) -> list[Run]:
    """Several runs."""
    ids = CountingIds()
    return [open_courtyard_run(store, ids=ids) for _ in range(number)]


async def seat_agent(table: TableRunner) -> None:
    """Give the table's seat to an agent."""
    seats: dict[str, str] = {table.run.actor: "character"}
    async with table.try_model("canned:models/answers.yaml", seats) as gathering:
        await gathering.seat_agents(seats)


@run_coroutine
async def test_tables_are_kept_by_run_and_the_oldest_go() -> None:
    """The number of open tables is limited, and the least recently used is closed."""
    tables = make_table_service()
    first, *others = make_runs(MemoryRunStore(), MOST_TABLES + 1)
    table = await tables.open_table(first)
    assert table is await tables.open_table(first)
    last = [await tables.open_table(run) for run in others][-1]

    assert last is await tables.open_table(others[-1])
    assert table is not await tables.open_table(first)
    await tables.close()


@run_coroutine
async def test_a_run_that_is_opened_again_gets_a_table_of_its_own() -> None:
    """A run that is opened again gets a new table, and the old one's agents are stopped."""
    tables, store = make_table_service(), MemoryRunStore()
    run = open_courtyard_run(store)
    old = await tables.open_table(run)
    await seat_agent(old)
    await old.step(PlayRequest(revision=1))
    agents = old.game
    new = await tables.open_table(resume_restarted(run, store))

    assert new is not old
    assert old.game is not agents
    await tables.close()


@run_coroutine
async def test_no_agent_is_sent_from_a_table_in_the_middle_of_a_turn() -> None:
    """A table in the middle of a turn is not closed."""
    tables, store = make_table_service(), MemoryRunStore()
    first, *others = make_runs(store, MOST_TABLES + 2)
    table = await tables.open_table(first)
    await seat_agent(table)
    async with table.hold_between_turns() as gathering:
        for run in others:
            await tables.open_table(run)

        assert table is await tables.open_table(resume_restarted(first, store))
        assert gathering is table.game
    await tables.close()


@run_coroutine
async def test_many_runs_opened_at_once_get_their_own_tables() -> None:
    """Many runs opened at once each get their own table."""
    tables, store = make_table_service(), MemoryRunStore()
    runs = make_runs(store, MOST_TABLES * 2)
    for run in runs[:MOST_TABLES]:
        await seat_agent(await tables.open_table(run))
    opened = [resume_restarted(run, store) for run in runs[:MOST_TABLES]]
    come = [run for run in (*runs[MOST_TABLES:], *opened) for _ in range(2)]
    found = await asyncio.gather(*(tables.open_table(run) for run in come))

    assert come == [table.run for table in found]
    assert found[::2] == found[1::2]
    await tables.close()


@run_coroutine
async def test_agents_play_at_a_few_tables_at_once() -> None:
    """The number of tables with agents at play is limited, and a stopped one makes room."""
    tables = make_table_service()
    gathered = [
        await tables.open_table(run) for run in make_runs(MemoryRunStore(), MOST_RUNNING + 1)
    ]
    *going, last = gathered
    for table in gathered:
        await seat_agent(table)
    for table in going:
        tables.check_capacity(table)
        table.start(30, 10)
    tables.check_capacity(going[0])
    with pytest.raises(ProtocolError) as problem:
        tables.check_capacity(last)
    await going[0].close()
    tables.check_capacity(last)

    assert "TOO_MANY_REQUESTS" == problem.value.code
    await tables.close()


@run_coroutine
async def test_all_tables_together_leave_room_for_people() -> None:
    """The more tables are at play, the longer each waits between turns."""
    tables = make_table_service()
    runs = make_runs(MemoryRunStore(), 2)
    for run in runs:
        await seat_agent(await tables.open_table(run))
    rests = [tables._compute_least_pause()]
    for run in runs:
        (await tables.open_table(run)).start(0, 1_000)
        rests.append(tables._compute_least_pause())
    for _ in range(100):
        await asyncio.sleep(0)
    counts = [run.count for run in runs]
    await tables.close()

    assert [0, LEAST_PAUSE_SECONDS, 2 * LEAST_PAUSE_SECONDS] == rests
    assert [2, 2] == counts
