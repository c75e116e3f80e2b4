import asyncio

import pytest
from inspect_ai.model import (
    ChatMessage,
    GenerateConfig,
    ModelOutput,
    ModelUsage,
    StopReason,
    get_model,
)
from inspect_ai.tool import ToolChoice, ToolInfo

from saniwa.integrations.inspect_eval import (
    InspectOracle,
    from_model_output,
    to_chat_messages,
    to_model_output,
    to_request,
)
from saniwa.models.oracle import FinishReason, OracleAnswer, OracleMessage, OracleRequest, Usage

ASKED = OracleRequest(
    messages=(
        OracleMessage(role="user", text="Who?"),
        OracleMessage(role="assistant", text="Me."),
        OracleMessage(role="user", text="Why?"),
    ),
    system="You are Ann.",
    max_tokens=99,
    temperature=0.3,
    seed=1007,
)


def _make_output(text: str = "So.", reason: StopReason = "stop") -> ModelOutput:
    output = ModelOutput.from_content("mock", text, reason)
    output.usage = ModelUsage(
        input_tokens=7,
        output_tokens=3,
        total_tokens=15,
        input_tokens_cache_read=4,
        input_tokens_cache_write=1,
    )
    return output


def test_the_model_learns_what_the_request_says() -> None:
    """The messages, length, temperature and seed of a request reach the model."""
    heard: list[tuple[list[str], GenerateConfig]] = []

    def answer_and_note(
        told: list[ChatMessage], tools: list[ToolInfo], choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        del tools, choice
        heard.append(([f"{each.role}: {each.text}" for each in told], config))
        return _make_output()

    oracle = InspectOracle(get_model("mockllm/model", custom_outputs=answer_and_note))
    pieces: list[str] = []
    answer = asyncio.run(oracle.answer(ASKED, pieces.append))

    words, config = heard[0]
    expected = ["system: You are Ann.", "user: Who?", "assistant: Me.", "user: Why?"]
    assert expected == words
    assert (99, 0.3, 1007) == (config.max_tokens, config.temperature, config.seed)
    assert ("So.", ["So."], [ASKED]) == (answer.text, pieces, oracle.asked)


def test_a_request_comes_back_as_it_went() -> None:
    """A request converted to inspect-ai's types and back is equal."""
    config = GenerateConfig(max_tokens=99, temperature=0.3, seed=1007)

    assert ASKED == to_request(to_chat_messages(ASKED), config)


def test_what_is_not_said_is_as_usual() -> None:
    """Without settings a request has the defaults."""
    bare = OracleRequest(messages=(OracleMessage(role="user", text="Hm?"),))

    assert bare == to_request(to_chat_messages(bare), GenerateConfig())


@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        ("stop", "stop"),
        ("max_tokens", "length"),
        ("model_length", "length"),
        ("content_filter", "filtered"),
        ("tool_calls", "tool_call"),
        ("unknown", "other"),
    ],
)
def test_how_an_answer_ended_is_kept(reason: StopReason, finish: FinishReason) -> None:
    """Each of inspect-ai's stop reasons becomes one of Saniwa's."""
    assert finish == from_model_output(_make_output(reason=reason)).finish


def test_all_tokens_that_were_reported_are_counted() -> None:
    """Cached tokens are counted too, and the price is unknown."""
    expected = Usage(calls=1, input_tokens=12, output_tokens=3, unpriced=1)

    assert expected == from_model_output(_make_output()).usage


def test_an_uncounted_answer_is_one_all_the_same() -> None:
    """An answer without counted tokens counts as one call."""
    answer = from_model_output(ModelOutput.from_content("mock", "So."))

    assert Usage(calls=1, unpriced=1) == answer.usage


def test_an_answer_of_saniwa_is_reported_with_its_tokens() -> None:
    """inspect-ai gets the answer's text, stop reason and tokens."""
    ours = OracleAnswer(
        text="So", finish="length", usage=Usage(calls=1, input_tokens=5, output_tokens=1)
    )

    output = to_model_output(ours)

    assert ("So", "max_tokens") == (output.completion, output.stop_reason)
    assert output.usage is not None
    assert 6 == output.usage.total_tokens
