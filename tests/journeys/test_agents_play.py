"""People and agents share a run: crashes, changes of seats, recordings, and the terminal."""

import asyncio
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from saniwa.app.agent_cast import Cast
from saniwa.app.agent_lookup import open_agent
from saniwa.app.model_factory import open_table_models
from saniwa.app.run_stores import open_store
from saniwa.core.clock import FixedClock
from saniwa.core.ids import CountingIds
from saniwa.core.redaction import Redactor
from saniwa.models.canned_answers import CannedOracle
from saniwa.models.oracle import Oracle, OracleRequest
from saniwa.models.recording import AgentJournal, RecordingOracle, ReplayingOracle
from saniwa.runs.game_table import AgentTurn, PersonTurn
from saniwa.runs.replay import replay_run
from saniwa.runs.run import Run
from saniwa.runs.run_factory import resume_run
from saniwa.store.json_lines_file import JsonLinesFile
from saniwa.store.memory_run_store import MemoryRunStore
from saniwa.turn.record import SEAT_ORDERS, Turn
from saniwa.world.model import Id
from tests.fakes.processes import end_with_test
from tests.fakes.runs import open_courtyard_run, summarize_replay
from tests.fakes.scripted_cast import (
    AGENTS,
    THREE,
    PowerCut,
    PowerFuse,
    make_cast,
    make_fused_journals,
    play_on,
    reply_to,
)

ROOT = Path(__file__).resolve().parents[2]


class FusedStore(MemoryRunStore):
    """A store whose machine may stop before or after a turn is kept."""

    def __init__(self, fuse: PowerFuse) -> None:
        super().__init__()
        self.fuse = fuse

    async def append(self, run_id: str, turn: Turn) -> None:
        """Keep the turn, unless the machine stops."""
        self.fuse.burn_once()
        await super().append(run_id, turn)
        self.fuse.burn_once()


def _summarize_turns(run: Run) -> list[tuple[str, str, tuple[object, ...]]]:
    """What every character said and did, without ids and times."""
    return [(t.actor_id, t.raw_text, t.applied_actions) for t in run.read_turns()]


def _play_through_crashes(left: int, store: FusedStore) -> Iterator[Run]:
    """Play the evening on a machine that stops once after a number of writes."""
    fuse, kept = store.fuse, dict[Id, AgentJournal]()
    fuse.left = left
    ids = CountingIds()
    run = open_courtyard_run(store, scenario=THREE, actor="player", ids=ids)
    while True:
        yield run
        try:
            asyncio.run(play_on(make_cast(run, journals=make_fused_journals(kept, fuse))))
        except PowerCut:
            fuse.left = 10**9
            run = resume_run(run.id, store, clock=FixedClock(), ids=ids)
            continue
        return


def _play_run(left: int, store: FusedStore | None = None) -> tuple[Run, int]:
    machines = list(_play_through_crashes(left, store or FusedStore(PowerFuse(0))))
    return machines[-1], len(machines)


def test_people_in_a_scenario_answer() -> None:
    """With one person and two agents, the agents answer and the run replays."""
    store = FusedStore(PowerFuse(0))
    run, machines = _play_run(10**9, store)
    said = [(who, words.partition("Output: ")[2]) for who, words, _ in _summarize_turns(run)]

    assert 1 == machines
    assert ("keeper", "*take the rusty key*") in said
    assert ("cook", "*eat the loaf*") in said
    assert (run.count, None) == summarize_replay(replay_run(store, run.id))


@pytest.mark.slow
def test_a_machine_stopped_anywhere_repeats_no_turn() -> None:
    """Stopped before or after any write and resumed, the evening has the same turns."""
    whole, _ = _play_run(10**9)
    left = 0
    while True:
        run, machines = _play_run(left)
        assert _summarize_turns(whole) == _summarize_turns(run), f"stopped after {left} writes"
        if machines == 1:
            break
        left += 1

    assert left > 50


def test_a_recorded_run_replays_offline_byte_for_byte(tmp_path: Path) -> None:
    """Replayed from a recording, without the model, the run has the same turns byte for byte."""

    def play_turns(oracle: Callable[[], Oracle]) -> list[bytes]:
        run = open_courtyard_run(scenario=THREE, actor="player")
        asyncio.run(play_on(make_cast(run, oracle)))
        return [msgspec.json.encode(turn) for turn in run.read_turns()]

    tape = tmp_path / "tape.jsonl"
    live = play_turns(
        lambda: RecordingOracle(CannedOracle(reply_to), JsonLinesFile(tape), Redactor())
    )
    again = play_turns(lambda: ReplayingOracle(JsonLinesFile(tape), Redactor()))

    assert live == again
    assert 10 < len(live)


def test_a_recording_of_another_run_does_not_answer(tmp_path: Path) -> None:
    """A question that was not recorded ends the agent with an error, but not the table."""
    empty = JsonLinesFile(tmp_path / "tape.jsonl")
    run = open_courtyard_run(scenario=THREE, actor="player")
    company = make_cast(run, lambda: ReplayingOracle(empty, Redactor()))

    async def play_session() -> object:
        await company.game.seat_agents({"keeper": "character"})
        await run.say("look")
        return await company.game.play_next()

    played = asyncio.run(play_session())
    assert isinstance(played, AgentTurn)
    assert played.problem is not None
    assert ("RECORDING_MISSING", 2) == (played.problem.code, run.count)


def test_a_person_takes_a_seat_in_mid_run_and_hands_it_back() -> None:
    """When a person takes a seat and returns it, the agent knows what happened in between."""
    asked = list[str]()

    def note_and_reply(request: OracleRequest) -> str:
        asked.append(request.messages[-1].text)
        return reply_to(request)

    store = MemoryRunStore()
    run = open_courtyard_run(store, scenario=THREE, actor="player")
    company = make_cast(run, lambda: CannedOracle(note_and_reply))
    table = company.game

    async def play_session() -> None:
        await table.seat_agents({"keeper": "character"})
        await run.say("look")
        await table.play_next()
        await table.take_seat("keeper")
        await run.say("look")
        assert PersonTurn(Id("keeper")) == await table.play_next()
        await run.say("say The gate is mine.", "keeper")
        await table.return_seat("keeper")
        await run.say("look")
        await table.play_next()
        await company.close()

    asyncio.run(play_session())
    assert 2 == len(asked)
    assert "The gate is mine." in asked[1]
    assert (run.count, None) == summarize_replay(replay_run(store, run.id))


def test_the_same_standing_asks_with_the_same_bytes() -> None:
    """Two runs with the same history give the same prompts."""

    def list_keys() -> list[str]:
        asked = list[str]()

        def note_and_reply(request: OracleRequest) -> str:
            asked.append(request.key)
            return reply_to(request)

        run = open_courtyard_run(scenario=THREE, actor="player")
        asyncio.run(play_on(make_cast(run, lambda: CannedOracle(note_and_reply))))
        return asked

    assert list_keys() == list_keys()
    assert len(set(list_keys())) > 4


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_agents_that_say_anything_at_all_do_no_harm(seed: int) -> None:
    """Whatever agents answer, the table continues and the run replays."""
    store = MemoryRunStore()
    run = open_courtyard_run(store, scenario=THREE, actor="player", seed=seed)
    company = Cast(run, open_table_models(model=f"fuzz:{seed}"), open_agent)
    table = company.game
    played = list[AgentTurn]()

    async def play_session() -> None:
        await table.seat_agents(AGENTS, SEAT_ORDERS[seed])
        for number in range(40):
            while isinstance(event := await table.play_next(), AgentTurn):
                played.append(event)
            assert PersonTurn(Id("player")) == event
            await run.say(("look", "go east", "go west")[number % 3])
        await company.close()

    asyncio.run(play_session())
    kept = {turn.id for turn in run.read_turns()}
    said = [turn for each in played for turn in each.turns]
    fatal = [e for e in played if e.problem and not e.problem.recoverable]

    assert [] == fatal
    assert 80 <= len(said)
    assert {turn.id for turn in said} <= kept
    assert (run.count, None) == summarize_replay(replay_run(store, run.id))


def test_a_turn_of_a_seat_costs_the_same_late_as_early() -> None:
    """A turn reads only the turns since the last one, however long the run is."""
    run = open_courtyard_run(scenario=THREE, actor="player")
    read = list[int]()
    so_far = run.read_followed_turns

    def count_reads(start: int = 0) -> Iterator[Turn]:
        read.append(0)
        for turn in so_far(start):
            read[-1] += 1
            yield turn

    run.read_followed_turns = count_reads  # type: ignore[method-assign]
    company = make_cast(run)

    async def play_session() -> None:
        await company.game.seat_agents(AGENTS)
        for _ in range(60):
            await run.say("look")
            while isinstance(await company.game.play_next(), AgentTurn):
                pass

    asyncio.run(play_session())
    assert max(read[-50:]) <= 3


@pytest.mark.slow
def test_a_killed_process_repeats_no_turn(tmp_path: Path) -> None:
    """A process that is killed again and again, with real files, repeats no turn."""
    whole, _ = _play_run(10**9)
    place = str(tmp_path / "runs.sqlite")
    store = open_store(place)
    run = open_courtyard_run(store, scenario=THREE, actor="player", ids=CountingIds())
    store.close()
    command = [sys.executable, "-m", "tests.fakes.table_process", place, run.id]
    kills = 0
    while True:
        child = end_with_test(
            subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        )
        assert child.stdout is not None
        heard = [child.stdout.readline() for _ in range(3)]
        if not heard[-1]:
            child.communicate(timeout=120)
            break
        child.kill()
        child.communicate()
        kills += 1

    store = open_store(place)
    again = resume_run(run.id, store)
    assert _summarize_turns(whole) == _summarize_turns(again)
    assert (again.count, None) == summarize_replay(replay_run(store, run.id))
    assert (0, True) == (child.returncode, kills > 2)
    store.close()
