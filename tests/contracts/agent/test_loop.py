"""The contract of `Loop`: it ends with success or an error, and has a summary per iteration."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as some

from saniwa.agent.definition import (
    AgentDefinition,
    CheckBudget,
    CompletionDefinition,
    CompositeCompletion,
    IterationBudget,
    KeywordSignal,
    StepMachine,
    StructuredSignal,
)
from saniwa.agent.journal import MemoryJournal
from saniwa.agent.layer_contracts import AgentResult, Loop, Progress, StartOptions
from saniwa.core.errors import LoopError
from tests.fakes.agents import build_agent, make_definition, make_flow, make_limits, make_step

_COMPLETIONS: list[CompletionDefinition] = [
    IterationBudget(max_iterations=3),
    CheckBudget(max_checks=2),
    KeywordSignal(completion_keyword="ok"),
    StructuredSignal(signal_type="done"),
    StepMachine(),
    CompositeCompletion(
        mode="all",
        conditions=(KeywordSignal(completion_keyword="ok"), IterationBudget(max_iterations=2)),
    ),
]
_ANSWERS = some.lists(
    some.sampled_from(["ok", "no", "", '{"type": "done"}', "```json\n{}\n```", "完了"]), max_size=12
)


def _make_agent(completion: int) -> AgentDefinition:
    check = {
        "type": "keyword",
        "keywords": ["ok"],
        "on_pass": {"next": "b"},
        "on_fail": {"retry": {"max_retries": 1, "on_exhausted": "skip"}},
    }
    return make_definition(
        flow=make_flow(
            make_step("a", check=check), make_step("b", next="c"), make_step("c", complete=True)
        ),
        completion=_COMPLETIONS[completion],
        limits=make_limits(max_iterations=8),
    )


def _run(agent: AgentDefinition, said: list[str]) -> tuple[AgentResult, Progress]:
    async def play() -> tuple[AgentResult, Progress]:
        made = build_agent(agent, said, journal=MemoryJournal())
        await made.start(StartOptions(paced=True))
        loop: Loop = made.loop
        result = await loop.run(Progress())
        progress = made.loop.progress
        await made.stop()
        return result, progress

    return asyncio.run(play())


@given(some.integers(0, len(_COMPLETIONS) - 1), _ANSWERS)
def test_a_loop_ends_with_success_or_with_an_error(completion: int, said: list[str]) -> None:
    """A loop ends with either success or an error, whatever the model says."""
    result, _ = _run(_make_agent(completion), said)

    assert result.success == (result.error is None)
    assert result.success == bool(result.completion_reason)


@given(some.integers(0, len(_COMPLETIONS) - 1), _ANSWERS)
def test_there_are_as_many_summaries_as_iterations(completion: int, said: list[str]) -> None:
    """After a loop there are as many summaries as iterations."""
    result, progress = _run(_make_agent(completion), said)

    assert progress.iteration == len(progress.summaries) == result.total_iterations


def test_what_a_loop_says_last_is_carried() -> None:
    """The loop carries the last response into the progress."""
    _, progress = _run(_make_agent(0), ["no", "ok", "bye"])

    assert "bye" == progress.carry.previous_response


def test_a_loop_does_not_begin_in_the_middle() -> None:
    """A loop cannot be run from progress that has iterations."""

    async def play() -> None:
        made = build_agent(make_definition(), [])
        await made.start(StartOptions(paced=True))
        try:
            await made.loop.run(Progress(iteration=3))
        finally:
            await made.stop()

    with pytest.raises(LoopError) as refused:
        asyncio.run(play())

    assert ("LOOP_BEGUN", False) == (refused.value.code, refused.value.recoverable)
