"""The loop: how it ends, what it passes on, and its prompts."""

import asyncio

import msgspec
import pytest

from saniwa.agent.definition import CompositeCompletion, ExternalState, IterationBudget
from saniwa.agent.journal import MemoryJournal
from saniwa.agent.layer_contracts import AgentResult, StartOptions
from saniwa.agent.port import AgentView
from saniwa.core.errors import LoopError, SdkConnectionError
from saniwa.models.oracle import OracleAnswer, OracleRequest
from tests.fakes.agents import (
    FactAgentPort,
    build_agent,
    make_definition,
    make_flow,
    make_limits,
    make_model_settings,
    make_step,
)
from tests.unit.agent.loop.agent_playing import KEYWORD, play_agent


def test_a_keyword_ends_the_loop_in_the_iteration_it_appears_in() -> None:
    """A keyword ends the loop in the iteration in which it is said."""
    result = play_agent(make_definition(completion=KEYWORD), ["working", "it is DONE", "never"])

    assert (True, 2) == (result.success, result.total_iterations)
    assert "it is DONE" == result.summaries[-1].assistant_responses[0]


def test_an_iteration_budget_that_is_used_up_is_done() -> None:
    """The loop is complete when its budget of iterations is used up."""
    result = play_agent(make_definition(completion=IterationBudget(max_iterations=3)), ["a"] * 9)

    assert (True, 3, None) == (result.success, result.total_iterations, result.error)


def test_a_limit_is_no_success() -> None:
    """Reaching the limit of iterations is an error."""
    result = play_agent(
        make_definition(completion=KEYWORD, limits=make_limits(max_iterations=2)), ["a"] * 9
    )

    assert result.error is not None
    assert (False, 2, "AGENT_MAX_ITERATIONS") == (
        result.success,
        result.total_iterations,
        result.error.code,
    )


def test_summaries_are_as_many_as_iterations() -> None:
    """Every iteration has one summary."""
    result = play_agent(make_definition(completion=KEYWORD), ["a", "b", "DONE"])

    assert [1, 2, 3] == [s.iteration for s in result.summaries]
    assert result.total_iterations == len(result.summaries)


def test_a_bridge_error_is_the_loops_error() -> None:
    """A connection error of the model is the result's error."""

    def fail_connection(_: OracleRequest) -> OracleAnswer:
        raise SdkConnectionError("BRIDGE_CONNECTION", "gone", recoverable=True)

    result = play_agent(make_definition(completion=KEYWORD), fail_connection)

    assert result.error is not None
    assert (False, "BRIDGE_CONNECTION", True, 0) == (
        result.success,
        result.error.code,
        result.error.recoverable,
        result.total_iterations,
    )


def test_a_mistake_of_a_part_still_ends_with_a_result() -> None:
    """An unexpected exception is the result's error."""

    def fail_by_mistake(_: OracleRequest) -> OracleAnswer:
        raise ZeroDivisionError("oops")

    result = play_agent(make_definition(completion=KEYWORD), fail_by_mistake)

    assert result.error is not None
    assert ("AGENT_FAILED", "ZeroDivisionError: oops") == (result.error.code, result.error.message)


def test_a_flow_walked_to_its_end_is_done() -> None:
    """With a flow, the agent is complete at the flow's end."""
    agent = make_definition(make_step("a", next="b"), make_step("b", complete=True))

    result = play_agent(agent, ["one", "two"])

    assert (True, ["a", "b"]) == (result.success, [s.step for s in result.summaries])


def test_an_empty_answer_is_not_done() -> None:
    """A step with an empty answer is retried, with a warning each time."""
    agent = make_definition(make_step("a", complete=True))
    journal = MemoryJournal()

    result = play_agent(agent, ["", "  ", "", "\n", "never"], journal=journal)

    warned = [e["message"] for e in journal.read_entries() if e["event"] == "warning"]
    assert result.error is not None
    assert ("RETRIES_EXHAUSTED", 4) == (result.error.code, result.total_iterations)
    assert ["the answer is empty"] * 4 == warned


def test_external_state_ends_the_loop_after_the_iteration_that_made_it_so() -> None:
    """A fact that becomes true in an iteration completes the agent in it."""
    floor = FactAgentPort(AgentView(), AgentView(facts={"goal_reached": True}))
    agent = make_definition(completion=ExternalState())

    result = play_agent(agent, ["go"], port=floor)

    assert (True, 1) == (result.success, result.total_iterations)


def test_an_agent_that_must_wait_asks_no_model_in_the_meantime() -> None:
    """While others must act, the loop waits without calling a model."""
    floor = FactAgentPort(AgentView(waits="a reviewer must act"), AgentView())

    result = play_agent(make_definition(completion=KEYWORD), ["DONE"], port=floor)

    assert (True, 1) == (result.success, floor.waited)


def test_an_agent_that_may_not_wait_stops_and_can_continue_later() -> None:
    """If waiting is not allowed, the result is a recoverable error."""
    floor = FactAgentPort(AgentView(waits="a reviewer must act"))
    floor.patient = False

    result = play_agent(make_definition(completion=KEYWORD), [], port=floor)

    assert result.error is not None
    assert ("AGENT_WAITING", True, "a reviewer must act") == (
        result.error.code,
        result.error.recoverable,
        result.error.message,
    )


def test_a_conversation_is_carried_on_under_its_id() -> None:
    """Each question continues the conversation of the one before it."""
    counts: list[int] = []

    def count_messages(request: OracleRequest) -> str:
        counts.append(len(request.messages))
        return "a"

    play_agent(make_definition(completion=IterationBudget(max_iterations=3)), count_messages)

    assert [1, 3, 5] == counts


def test_without_history_every_question_is_alone() -> None:
    """An agent without history asks each question in a new conversation."""
    counts: list[int] = []

    def count_messages(request: OracleRequest) -> str:
        counts.append(len(request.messages))
        return "a"

    agent = make_definition(
        completion=IterationBudget(max_iterations=3), asking=make_model_settings(history=0)
    )
    play_agent(agent, count_messages)

    assert [1, 1, 1] == counts


def test_a_loop_begins_at_the_beginning() -> None:
    """The loop refuses progress that has started without a journal."""
    from saniwa.agent.layer_contracts import Progress

    async def play() -> None:
        made = build_agent(make_definition(), [])
        await made.start(StartOptions(paced=True))
        with pytest.raises(LoopError) as refused:
            await made.loop.run(Progress(iteration=1))
        assert "LOOP_BEGUN" == refused.value.code
        await made.stop()

    asyncio.run(play())


def test_composite_any_stops_asking_at_the_first_yes() -> None:
    """Of several completions with `any`, the first that holds is the reason."""
    both = CompositeCompletion(mode="any", conditions=(KEYWORD, IterationBudget(max_iterations=1)))

    result = play_agent(make_definition(completion=both), ["DONE"])

    assert "DONE" in result.completion_reason


def test_a_long_loop_costs_the_same_at_its_end() -> None:
    """The prompt of a late iteration is no longer than that of an early one."""
    lengths: list[int] = []

    def measure_messages(request: OracleRequest) -> str:
        lengths.append(sum(len(m.text) for m in request.messages))
        return "a"

    agent = make_definition(
        flow=make_flow(make_step("only", max_iterations=200)),
        completion=IterationBudget(max_iterations=100),
    )
    play_agent(agent, measure_messages)

    assert lengths[30] == lengths[-1]


def test_an_agent_that_waits_is_done_when_others_have_made_it_so() -> None:
    """If others complete the agent while it waits, it ends without another question."""
    floor = FactAgentPort(
        AgentView(facts={"is_final": False}),
        AgentView(facts={"is_final": False}),
        AgentView(waits="ended", facts={"is_final": True}),
    )
    agent = make_definition(completion=ExternalState(fact="is_final"))

    result = play_agent(agent, ["go"], port=floor)

    assert (True, 1, 0) == (result.success, result.total_iterations, floor.waited)


def test_an_unknown_variable_is_warned_about_once() -> None:
    """An undefined variable stays in the prompt, with one warning."""
    journal = MemoryJournal()
    agent = make_definition(completion=IterationBudget(max_iterations=3))

    play_agent(agent, ["a"] * 3, journal=journal, prompts={"ask.md": "Go to {uv-nowhere}."})

    entries = list(journal.read_entries())
    warned = [e["code"] for e in entries if e["event"] == "warning"]
    prompts = [e["prompt"] for e in entries if e["event"] == "promptBuilt"]
    assert ["VARIABLE_UNDEFINED"] == warned
    assert ["Go to {uv-nowhere}."] * 3 == prompts


def test_the_last_run_that_is_allowed_may_complete_the_agent() -> None:
    """The last allowed run in a row may complete the agent."""
    budget = IterationBudget(max_iterations=10)

    result = play_agent(make_definition(completion=budget), ["a"] * 20)

    assert (True, 10) == (result.success, result.total_iterations)


def test_the_iteration_that_ends_an_agent_is_summed_up() -> None:
    """The iteration in which an agent fails has a summary."""
    check = {"type": "keyword", "keywords": ["ok"], "on_fail": {"retry": {"max_retries": 1}}}
    agent = make_definition(make_step("a", check={**check, "on_pass": {"complete": True}}))

    result = play_agent(agent, ["no", "no again"])

    assert result.error is not None
    assert ("RETRIES_EXHAUSTED", 2) == (result.error.code, result.error.iteration)
    assert ["no", "no again"] == [s.assistant_responses[0] for s in result.summaries]
    assert 2 == result.usage.calls


def test_a_listener_that_fails_ends_no_agent() -> None:
    """A listener that raises is removed, with a warning."""
    journal = MemoryJournal()

    async def play() -> AgentResult:
        made = build_agent(make_definition(), ["a"], journal=journal)
        made.events.on("promptBuilt", lambda entry: entry["nowhere"])
        await made.start(StartOptions())
        await made.wait()
        return await made.stop()

    result = asyncio.run(play())

    warned = [e["message"] for e in journal.read_entries() if e["event"] == "warning"]
    assert result.success
    assert ["a listener failed: KeyError: 'nowhere'"] == warned


def test_a_conversation_that_was_lost_is_warned_of() -> None:
    """If the provider lost the conversation, a new one is started, with a warning."""
    journal = MemoryJournal()
    agent = make_definition(completion=IterationBudget(max_iterations=2))

    async def play() -> None:
        made = build_agent(agent, ["a", "b"], journal=journal)
        await made.start(StartOptions(paced=True))
        await made.take_turn()
        made.loop.progress = msgspec.structs.replace(
            made.loop.progress, conversation_id="forgotten"
        )
        await made.take_turn()
        await made.stop()

    asyncio.run(play())

    warned = [e["message"] for e in journal.read_entries() if e["event"] == "warning"]
    assert ["the conversation was lost; a new one was started"] == warned
