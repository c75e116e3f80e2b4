"""Every player keeps what `TablePlayer` promises, the fake included."""

import asyncio
from collections.abc import Callable, Sequence

import pytest

from saniwa.agent.layer_contracts import AgentProblem, AgentResult, IterationSummary, StartOptions
from saniwa.models.canned_answers import CannedOracle
from saniwa.runs.game_table import TablePlayer
from saniwa.runs.run import Run
from saniwa.turn.record import Turn
from saniwa.world.model import Id
from tests.fakes.runs import open_courtyard_run
from tests.fakes.scripted_cast import THREE, make_cast
from tests.fakes.scripted_players import ScriptedPlayer

KEEPER = Id("keeper")
Make = Callable[[Run, Sequence[str], Callable[[Turn], None]], TablePlayer]


def _make_agent_player(run: Run, lines: Sequence[str], told: Callable[[Turn], None]) -> TablePlayer:
    company = make_cast(run, lambda: CannedOracle(list(lines)))
    return company.build_player(KEEPER, "character", told)


def _make_scripted_player(
    run: Run, lines: Sequence[str], told: Callable[[Turn], None]
) -> TablePlayer:
    over = AgentProblem(code="CANNED_EXHAUSTED", message="no more lines")
    return ScriptedPlayer(run, KEEPER, [*lines, over], told)


PLAYERS: dict[str, Make] = {"agent": _make_agent_player, "fake": _make_scripted_player}
each_player = pytest.mark.parametrize("make", PLAYERS.values(), ids=PLAYERS)


def _play_lines(
    make: Make, *lines: str
) -> tuple[Run, list[Turn], list[IterationSummary | None], AgentResult]:
    run = open_courtyard_run(scenario=THREE, actor="player")
    heard = list[Turn]()

    async def play_session() -> tuple[list[IterationSummary | None], AgentResult]:
        player = make(run, lines, heard.append)
        await player.start(StartOptions(resume=True, paced=True))
        taken = [await player.take_turn() for _ in range(len(lines) + 1)]
        return taken, await player.stop()

    return run, heard, *asyncio.run(play_session())


@each_player
def test_a_turn_is_taken_when_it_is_asked_for(make: Make) -> None:
    """Each requested turn adds one turn to the run and is reported to the listener once."""
    run, heard, taken, _ = _play_lines(make, "say one", "take the rusty key")

    assert ["say one", "take the rusty key"] == [t.raw_text for t in run.read_turns()]
    assert list(run.read_turns()) == heard
    assert [True, True, False] == [each is not None for each in taken]


@each_player
def test_a_player_that_cannot_continue_says_why(make: Make) -> None:
    """A player that cannot continue takes no turn, and its result has the error."""
    run, _, taken, result = _play_lines(make)

    assert ([None], 0) == (taken, run.count)
    assert result.error is not None
    assert ("CANNED_EXHAUSTED", False) == (result.error.code, result.success)


@each_player
def test_nothing_is_said_before_it_is_asked_for(make: Make) -> None:
    """Starting and stopping a player takes no turn."""
    run = open_courtyard_run(scenario=THREE, actor="player")

    async def play_session() -> AgentResult:
        player = make(run, ["say one"], lambda _: None)
        await player.start(StartOptions(resume=True, paced=True))
        return await player.stop()

    result = asyncio.run(play_session())
    assert 0 == run.count
    assert isinstance(result, AgentResult)
