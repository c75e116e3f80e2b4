"""Everybody who plays a seat keeps what `TablePlayer` promises, the fake included."""

import asyncio
from collections.abc import Callable, Sequence

import pytest

from saniwa.agent.contract import StartOptions
from saniwa.agent.progress import AgentProblem, AgentResult, IterationSummary
from saniwa.models.canned_answers import CannedOracle
from saniwa.runs.run import Run, TurnResult
from saniwa.runs.table import TablePlayer
from saniwa.world.model import Id
from tests.fakes.company import THREE, company_of
from tests.fakes.players import ScriptedPlayer
from tests.fakes.runs import garden_run

KEEPER = Id("keeper")
Make = Callable[[Run, Sequence[str], Callable[[TurnResult], None]], TablePlayer]


def _agent(run: Run, lines: Sequence[str], told: Callable[[TurnResult], None]) -> TablePlayer:
    company = company_of(run, lambda: CannedOracle(list(lines)))
    return company.build_player(KEEPER, "character", told)


def _fake(run: Run, lines: Sequence[str], told: Callable[[TurnResult], None]) -> TablePlayer:
    over = AgentProblem(code="CANNED_EXHAUSTED", message="no more lines")
    return ScriptedPlayer(run, KEEPER, [*lines, over], told)


PLAYERS: dict[str, Make] = {"agent": _agent, "fake": _fake}
each_player = pytest.mark.parametrize("make", PLAYERS.values(), ids=PLAYERS)


def _evening(
    make: Make, *lines: str
) -> tuple[Run, list[TurnResult], list[IterationSummary | None], AgentResult]:
    run = garden_run(scenario=THREE, actor="player")
    heard = list[TurnResult]()

    async def evening() -> tuple[list[IterationSummary | None], AgentResult]:
        player = make(run, lines, heard.append)
        await player.start(StartOptions(resume=True, paced=True))
        taken = [await player.take_turn() for _ in range(len(lines) + 1)]
        return taken, await player.stop()

    return run, heard, *asyncio.run(evening())


@each_player
def test_a_turn_is_taken_when_it_is_asked_for(make: Make) -> None:
    """One turn of the run for each, and whoever listens is told of each once."""
    run, heard, taken, _ = _evening(make, "say one", "take the rusty key")

    assert ["say one", "take the rusty key"] == [t.raw_text for t in run.read_turns()]
    assert list(run.read_turns()) == [told.turn for told in heard]
    assert [True, True, False] == [each is not None for each in taken]


@each_player
def test_who_cannot_go_on_says_why(make: Make) -> None:
    """No turn is taken, and the end has the error."""
    run, _, taken, result = _evening(make)

    assert ([None], 0) == (taken, run.count)
    assert result.error is not None
    assert ("CANNED_EXHAUSTED", False) == (result.error.code, result.success)


@each_player
def test_nothing_is_said_before_it_is_asked_for(make: Make) -> None:
    """To start and to stop are no turns."""
    run = garden_run(scenario=THREE, actor="player")

    async def evening() -> AgentResult:
        player = make(run, ["say one"], lambda _: None)
        await player.start(StartOptions(resume=True, paced=True))
        return await player.stop()

    result = asyncio.run(evening())
    assert 0 == run.count
    assert isinstance(result, AgentResult)
