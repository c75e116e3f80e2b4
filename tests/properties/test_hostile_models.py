"""Nothing a model says can do harm: thousands of turns with a hostile model."""

import asyncio
from collections.abc import Iterator

import pytest

from saniwa.agent.bridge import OracleBridge
from saniwa.agent.layer_contracts import StartOptions
from saniwa.agent.loop.lifecycle import Agent, DefaultAgentFactory
from saniwa.agent.model_listener import HybridListener, ModelListener
from saniwa.agent.narration.narrator import ModelNarrator
from saniwa.app.agent_lookup import open_agent
from saniwa.app.run_service import RunService
from saniwa.core.clock import FixedClock
from saniwa.core.ids import CountingIds
from saniwa.models.fuzzing_oracle import FuzzingOracle
from saniwa.models.retry import RetryingOracle
from saniwa.runs.agent_port import RunAgentPort
from saniwa.runs.replay import replay_run
from saniwa.runs.run import Run
from saniwa.runs.run_inspector import RunMinds
from saniwa.store.memory_run_store import MemoryRunStore
from saniwa.turn.record import Turn
from saniwa.world.snapshot import find_broken_invariants
from tests.fakes.nightly import NIGHTLY

_PROMPT_LIMIT = 8_000
_TURNS = 250 if NIGHTLY else 60
_SEEDS = [1, 2] if NIGHTLY else [1]


class _NoPause:
    """A pause that takes no time."""

    async def sleep(self, milliseconds: int) -> None:
        assert milliseconds >= 0


def _make_hostile_bridge(seed: int) -> OracleBridge:
    return OracleBridge(RetryingOracle(FuzzingOracle(seed), _NoPause(), attempts=60), history=0)


def _seat_agent(run: Run, seed: int) -> Agent:
    actor = run.actor
    factory = DefaultAgentFactory(
        lambda _: _make_hostile_bridge(seed),
        port=RunAgentPort(run, actor, RunMinds(run)),
        ids=CountingIds(),
        clock=FixedClock(),
    )
    return factory.build(open_agent("character"))


def _check_turns(run: Run, start: int) -> Iterator[Turn]:
    for turn in run.read_turns(start):
        assert run.actor == turn.actor_id
        assert len(turn.validation_results) == len(turn.normalized_actions)
        allowed = [
            action
            for action, verdict in zip(
                turn.normalized_actions, turn.validation_results, strict=True
            )
            if verdict.success
        ]
        assert allowed == list(turn.applied_actions)
        if not turn.applied_actions:
            assert turn.world_before == turn.world_after
        yield turn


@pytest.mark.slow
@pytest.mark.parametrize("seed", _SEEDS)
@pytest.mark.parametrize(
    "scenario", ["door_and_key", "door_and_key_ja", "lantern_island", "coffee_trap", "locked_door"]
)
def test_a_hostile_character_changes_nothing_without_a_verdict(scenario: str, seed: int) -> None:
    """No reply crashes the run, each is one turn of the trace, and the world stays valid."""
    store = MemoryRunStore()
    run = RunService(store, ids=CountingIds(), clock=FixedClock()).begin(scenario)
    prompts: list[int] = []

    async def play() -> int:
        agent = _seat_agent(run, seed)
        agent.events.on("promptBuilt", lambda e: prompts.append(len(e["prompt"])))
        await agent.start(StartOptions(paced=True))
        taken = 0
        while taken < _TURNS and await agent.take_turn() is not None:
            taken += 1
            assert taken == run.count
            # Live minds use the current turn; after a restart, they use the saved one.
            assert list(run.read_turns(taken - 1)) == list(run.read_followed_turns(taken - 1))
        result = await agent.stop()
        assert result.error is None or result.error.code == "AGENT_STOPPED", result.error
        return taken

    taken = asyncio.run(play())

    assert taken == _TURNS or run.is_finished
    assert taken == sum(1 for _ in _check_turns(run, 0))
    assert not find_broken_invariants(run.world)
    assert replay_run(store, run.id).is_same
    assert max(prompts) < _PROMPT_LIMIT


@pytest.mark.slow
@pytest.mark.parametrize("listener", [ModelListener, HybridListener])
def test_a_hostile_parser_and_narrator_change_nothing_either(
    listener: type[ModelListener] | type[HybridListener],
) -> None:
    """With a hostile parser and narrator only verdicts change the world, and all turns are kept."""
    store = MemoryRunStore()
    parts = RunService(
        store,
        ids=CountingIds(),
        clock=FixedClock(),
        listener=listener(_make_hostile_bridge(3)),
        narrator=ModelNarrator(_make_hostile_bridge(4)),
    )
    run = parts.begin("door_and_key")
    words = ["take the key", "mumble mumble", "open the door", "フガフガ", "go north", ""]

    async def play() -> None:
        for number in range(_TURNS):
            await run.say(words[number % len(words)])
            assert run.count == number + 1

    asyncio.run(play())

    assert _TURNS == sum(1 for _ in _check_turns(run, 0))
    assert not find_broken_invariants(run.world)
    assert replay_run(store, run.id).is_same
    told = [t.narration for t in run.read_turns() if t.narration is not None]
    assert told
    assert all(n.by == "plain" or not _has_control_characters(n.text) for n in told)


def _has_control_characters(text: str) -> bool:
    return any(ord(letter) < 32 and letter not in "\n\t" for letter in text)
