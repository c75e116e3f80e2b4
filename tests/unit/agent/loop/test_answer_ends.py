"""The loop: answers that are cut off, refused, filtered or a tool call."""

import json
from typing import Any

import pytest

from saniwa.agent.definition import ActionSettings, KeywordSignal
from saniwa.models.oracle import FinishReason, OracleAnswer
from tests.fakes.agents import FactAgentPort, make_definition, make_step
from tests.unit.agent.loop.agent_playing import KEYWORD, play_agent

_SUBMIT = '```action\n{"type": "submit", "event": "go"}\n```'
_WORKER = ActionSettings(enabled=True, types=("submit",))
every_end = pytest.mark.parametrize("finish", ["length", "refused", "filtered", "tool_call"])
final_end = pytest.mark.parametrize(
    ("finish", "code"), [("refused", "MODEL_REFUSED"), ("filtered", "MODEL_FILTERED")]
)


def _make_answer(finish: FinishReason, text: str = "DONE", reason: str = "") -> OracleAnswer:
    return OracleAnswer(text=text, finish=finish, reason=reason)


def test_a_tool_call_is_asked_for_again() -> None:
    """An answer that is an unexpected tool call fails the step, which is retried."""
    result = play_agent(make_definition(), [_make_answer("tool_call"), "whole"])

    assert (True, 2) == (result.success, result.total_iterations)
    assert "finish: tool_call" in result.summaries[0].errors[0]


def test_the_rest_of_an_answer_cut_off_is_asked_for() -> None:
    """The rest of an answer that was cut off is requested, and the step gets one whole answer."""
    answers = iter((_make_answer("length", "It was DO"), _make_answer("stop", "NE at noon.")))
    asked: list[list[str]] = []

    def answer(request: Any) -> OracleAnswer:
        asked.append([each.text for each in request.messages])
        return next(answers)

    result = play_agent(make_definition(completion=KEYWORD), answer)

    assert (True, 1, 2) == (result.success, result.total_iterations, result.usage.calls)
    assert ("It was DONE at noon.",) == result.summaries[0].assistant_responses
    assert [*asked[0], "It was DO"] == asked[1][:2]
    assert "cut off" in asked[1][2]


def test_an_answer_that_stays_cut_off_fails_the_step_and_is_asked_for_again() -> None:
    """If the answer stays cut off after two more requests, the step is retried."""
    answers = [_make_answer("length", "half")] * 3
    result = play_agent(make_definition(), [*answers, "whole"])

    assert (True, 2, 4) == (result.success, result.total_iterations, result.usage.calls)
    assert "finish: length" in result.summaries[0].errors[0]


@pytest.mark.parametrize("text", ["", "```tool\n{"])
def test_nothing_and_half_a_tool_call_have_no_rest(text: str) -> None:
    """An empty answer and a cut off tool call are retried as a whole."""
    result = play_agent(make_definition(), [_make_answer("length", text), "whole"])

    assert (True, 2) == (result.success, result.total_iterations)


def test_four_answers_cut_off_end_the_step_and_say_so() -> None:
    """After four cut off answers, the error names the limit, and the hint says what to raise."""
    result = play_agent(make_definition(), [_make_answer("length")] * 12)

    assert result.error is not None
    assert ("RETRIES_EXHAUSTED", 4) == (result.error.code, result.total_iterations)
    assert "cut off at its limit of 512 tokens" in result.error.message
    assert "maxTokens" in result.error.hint


@final_end
def test_a_refusal_is_not_asked_for_again(finish: FinishReason, code: str) -> None:
    """A refused answer is not retried, and has an error of its own."""
    result = play_agent(make_definition(), [_make_answer(finish, "", "not that"), "whole"])

    assert result.error is not None
    assert (code, 1, False) == (result.error.code, result.usage.calls, result.error.recoverable)
    assert "not that" in result.error.message


@pytest.mark.parametrize("finish", ["refused", "filtered"])
def test_a_refusal_follows_what_the_step_says_of_a_failure(finish: FinishReason) -> None:
    """After a refused answer the step's fallback is taken, without retries."""
    retry = {"max_retries": 3, "on_exhausted": "fallback", "fallback_step": "other"}
    check = {"type": "keyword", "keywords": ["x"], "on_fail": {"retry": retry}}
    agent = make_definition(make_step("first", check=check), make_step("other", complete=True))
    result = play_agent(agent, [_make_answer(finish), "whole"])

    assert (True, ["first", "other"]) == (result.success, [each.step for each in result.summaries])


@final_end
def test_a_refusal_in_a_part_names_the_part(finish: FinishReason, code: str) -> None:
    """A refused answer in a sub-step ends its step with the same code, naming the sub-step."""
    agent = make_definition(
        make_step("whole", sub_steps=["part"], complete=True), make_step("part", type="subStep")
    )
    result = play_agent(agent, [_make_answer(finish), "whole"])

    assert result.error is not None
    assert (code, 1) == (result.error.code, result.usage.calls)
    assert "'part'" in result.error.message


@every_end
def test_words_of_an_answer_that_is_not_whole_complete_nothing(finish: FinishReason) -> None:
    """A keyword in an incomplete answer does not complete the agent."""
    check: dict[str, Any] = {"type": "keyword", "keywords": ["DONE"]}
    agent = make_definition(make_step("only", check=check), completion=KEYWORD)
    result = play_agent(agent, [_make_answer(finish)] * 30)

    assert not result.success


@every_end
def test_nothing_is_done_with_an_answer_that_is_not_whole(finish: FinishReason) -> None:
    """Nothing in an incomplete answer is submitted or spoken."""
    submits, speaks = FactAgentPort(), FactAgentPort()
    completion = KeywordSignal(completion_keyword="never")
    worker = make_definition(completion=completion, actions=_WORKER)
    character = make_definition(completion=completion, speaks=True)
    play_agent(worker, [_make_answer(finish, _SUBMIT)] * 30, port=submits)
    play_agent(character, [_make_answer(finish, "I take it.")] * 30, port=speaks)

    assert [] == submits.handed
    assert {""} == {words for words, _ in speaks.spoken}


def test_fields_of_an_answer_cut_off_are_not_carried_on() -> None:
    """An incomplete answer gives no outputs, even if it can be read as JSON."""
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    cut_off = _make_answer("length", json.dumps({"a": "half"}))
    agent = make_definition(
        make_step("first", schema=schema, next="second"), make_step("second", complete=True)
    )
    whole = json.dumps({"a": "whole"})
    asked: list[str] = []

    def answer(request: Any) -> OracleAnswer:
        asked.append(request.messages[-1].text)
        return cut_off if len(asked) == 1 else OracleAnswer(text=whole)

    play_agent(agent, answer, prompts={"ask.md": "a is {uv-first_a}"})

    assert ["a is {uv-first_a}", "a is {uv-first_a}", "a is whole"] == asked
