"""The `Oracle` port: one request to a model and its answer, for every kind of model.

An oracle keeps no state between requests: a request holds everything the model is
given, so that it can be stored and answered again without the model.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from typing import Annotated, Any, Final, Literal, Protocol

import msgspec

from saniwa.core.errors import SdkBridgeError
from saniwa.core.text import quote_value
from saniwa.models import describe

MODEL_CALLS_VARIABLE = "SANIWA_MODEL_CALLS"
"""The environment variable that can forbid calls to real models."""


def check_calls_allowed(model: str) -> None:
    """Allow a call to a real model unless the environment forbids it.

    Raises:
        SdkBridgeError: `MODEL_CALLS_FORBIDDEN`.
    """
    setting = os.environ.get(MODEL_CALLS_VARIABLE, "")
    if setting in ("", "allow"):
        return
    what = (
        "are forbidden"
        if setting == "forbid"
        else f"are set to the unknown value {quote_value(setting)}"
    )
    raise describe(
        "MODEL_CALLS_FORBIDDEN", model=model, what=what, model_calls_variable=MODEL_CALLS_VARIABLE
    ).to_error(SdkBridgeError)


class AnswerHistory(msgspec.Struct, frozen=True, kw_only=True):
    """The questions and answers in an agent's journal from before it was resumed.

    An oracle that answers from a list continues after them instead of starting again.
    """

    keys: tuple[str, ...] = ()
    """The key of each question, in order; see `QueryResult.key`."""
    texts: tuple[str, ...] = ()
    """The answers, in order; see `identify_answer`."""
    calls: tuple[str, ...] = ()
    """The key of each finished tool call, in order; see `identify_call`."""

    def __add__(self, other: "AnswerHistory") -> "AnswerHistory":
        return AnswerHistory(
            keys=self.keys + other.keys,
            texts=self.texts + other.texts,
            calls=self.calls + other.calls,
        )


TextListener = Callable[[str], None]
"""Receives an answer piece by piece as it arrives."""
FinishReason = Literal["stop", "length", "refused", "filtered", "tool_call", "other"]
"""How an answer ended: complete, cut at its limit, refused by the model, stopped by the
provider's content filter, or with calls of tools. Without `calls`, those are of tools
that the model was not given."""
USABLE_FINISHES: Final = frozenset[FinishReason]({"stop", "other"})
"""Finish reasons of answers that may be acted on. Many servers give none, so `other` is
included."""


_Count = Annotated[int, msgspec.Meta(ge=0)]


class _Record(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """Records are written in camelCase; defaults are omitted."""


class Usage(_Record, frozen=True):
    """What answers have cost."""

    calls: _Count = 0
    """Requests that were sent, answered or not."""
    input_tokens: _Count = 0
    """Input tokens."""
    output_tokens: _Count = 0
    """Output tokens."""
    cost: _Count = 0
    """Millionths of a US dollar, as far as prices are known."""
    unpriced: _Count = 0
    """Calls whose price is unknown."""
    tool_calls: _Count = 0
    """Tool calls that models made, refused ones included."""

    def __add__(self, other: "Usage") -> "Usage":
        # Field by field: a character's turn adds several times.
        return Usage(
            calls=self.calls + other.calls,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cost=self.cost + other.cost,
            unpriced=self.unpriced + other.unpriced,
            tool_calls=self.tool_calls + other.tool_calls,
        )

    def __sub__(self, other: "Usage") -> "Usage":
        return Usage(
            calls=self.calls - other.calls,
            input_tokens=self.input_tokens - other.input_tokens,
            output_tokens=self.output_tokens - other.output_tokens,
            cost=self.cost - other.cost,
            unpriced=self.unpriced - other.unpriced,
            tool_calls=self.tool_calls - other.tool_calls,
        )


def make_call_usage(input_tokens: int, output_tokens: int, cost: int | None) -> Usage:
    """Return what one call costs; without a cost, its price is unknown."""
    return Usage(
        calls=1,
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        cost=cost or 0,
        unpriced=int(cost is None),
    )


class ToolOffer(_Record, frozen=True):
    """A tool that a model may call."""

    name: str
    """Its name."""
    description: str = ""
    """What it does, for the model."""
    parameters: dict[str, Any] = {}
    """The JSON Schema of its arguments: an object."""


class ToolCall(_Record, frozen=True):
    """A call of a tool that a model asks for."""

    id: str
    """Identifies it in the conversation; its result names the same id."""
    name: str
    """The tool."""
    arguments: dict[str, Any] = {}
    """The arguments; empty if they could not be read."""
    error: str = ""
    """Why the arguments could not be read."""


def identify_call(tool: str, arguments: Mapping[str, Any]) -> str:
    """Return a key that equal calls share."""
    content = msgspec.json.encode((tool, arguments), order="deterministic")
    return sha256(content).hexdigest()[:32]


class ToolOutput(_Record, frozen=True):
    """The result of a tool call, as the model receives it."""

    text: str
    """What the tool says."""
    failed: bool = False
    """Whether it was refused, or did not succeed."""
    details: dict[str, Any] = {}
    """Facts for programs, such as `exitCode`."""
    result_from: int | None = None
    """Where in the text begins what the tool has produced; None if nothing counts so."""

    @property
    def result(self) -> str | None:
        """What the tool has produced, whole; None if it failed or was cut."""
        if self.failed or self.result_from is None:
            return None
        return self.text[self.result_from :]


class OracleMessage(_Record, frozen=True):
    """One message of a conversation with a model."""

    role: Literal["user", "assistant", "tool"]
    """Whether it was sent to the model, written by it, or is the result of a tool."""
    text: str
    """The text."""
    calls: tuple[ToolCall, ...] = ()
    """The tools that the assistant calls."""
    call_id: str = ""
    """The call that a tool's result belongs to."""
    tool: str = ""
    """The tool that gave a result."""

    @property
    def identity(self) -> tuple[Any, ...]:
        """Everything in it; for a message without tools, its role and text alone."""
        more = (self.calls, self.call_id, self.tool)
        return (self.role, self.text, *more) if any(more) else (self.role, self.text)


class OracleRequest(_Record, frozen=True):
    """Everything a model is given at once."""

    messages: tuple[OracleMessage, ...]
    """The conversation so far; the last message is the question."""
    system: str = ""
    """The system prompt."""
    schema: dict[str, Any] | None = None
    """A JSON Schema the answer must follow; None for free text."""
    max_tokens: int = 512
    """The longest answer, in tokens."""
    temperature: float = 0.0
    """The sampling temperature."""
    seed: int | None = None
    """The seed, for models that take one."""
    tools: tuple[ToolOffer, ...] = ()
    """The tools that the model may call."""

    @property
    def key(self) -> str:
        """The identity of the request: SHA-256 in hex over all of its fields."""
        # Field by field: whether a struct leaves out a default depends on which object
        # the value is, and equal requests must have one key.
        messages = [each.identity for each in self.messages]
        settings = (self.max_tokens, float(self.temperature), self.seed)
        # Requests without tools keep the keys that older recordings have.
        tools = (self.tools,) if self.tools else ()
        identity = (messages, self.system, self.schema, settings, *tools)
        return sha256(msgspec.json.encode(identity, order="deterministic")).hexdigest()


def count_request_characters(request: OracleRequest) -> int:
    """Count the characters of everything a model is given."""
    texts = sum(len(each.text) for each in request.messages)
    return len(request.system) + texts + count_structure_characters(request)


def count_structure_characters(request: OracleRequest) -> int:
    """Count the characters of the schema, the tools and the tool calls of a request."""
    calls = [each.calls for each in request.messages if each.calls]
    parts = (request.schema, request.tools, calls)
    return sum(len(msgspec.json.encode(part)) for part in parts if part)


class OracleAnswer(_Record, frozen=True):
    """A model's answer."""

    text: str
    """The text; JSON where a schema was given and the model followed it."""
    finish: FinishReason = "stop"
    """How it ended."""
    reason: str = ""
    """What the model or the provider says about a finish other than `stop`: the text of
    a refusal, the category of a filter, the name of a tool. Often empty."""
    usage: Usage = Usage(calls=1)
    """What it cost."""
    model: str = ""
    """The model, as the provider names it."""
    mended: tuple[str, ...] = ()
    """Errors of earlier attempts, before one succeeded."""
    unsent: tuple[str, ...] = ()
    """Settings of the request that were not sent to the model, such as `temperature`.
    """
    took_ms: _Count = 0
    """Milliseconds from the request to the complete answer; 0 if not measured."""
    calls: tuple[ToolCall, ...] = ()
    """The tools that the model calls, where the request offers any; the finish is
    `tool_call`."""

    @property
    def identity(self) -> str:
        """What tells it from other answers: its text, and its calls if it has any."""
        return identify_answer(self.text, self.calls)


def identify_answer(text: str, calls: tuple[ToolCall, ...]) -> str:
    """Return what tells an answer from others: its text, and its calls if any."""
    return text + msgspec.json.encode(calls, order="deterministic").decode() if calls else text


_UNUSABLE_FINISHES: Final[dict[FinishReason, str]] = {
    "refused": "the model refused to answer (finish: refused)",
    "filtered": "the provider's content filter stopped the answer (finish: filtered)",
    "tool_call": "the model called a tool that it was not given, and gave no answer "
    "(finish: tool_call)",
}


def describe_finish(finish: FinishReason, reason: str = "", max_tokens: int = 0) -> str:
    """Say in one sentence why an answer may not be acted on; empty if it may."""
    if finish == "length":
        limit = f" of {max_tokens} tokens" if max_tokens else ""
        return f"the answer was cut off at its limit{limit} (finish: length)"
    sentence = _UNUSABLE_FINISHES.get(finish, "")
    return f"{sentence}: {reason}" if sentence and reason else sentence


class Oracle(Protocol):
    """Answers requests."""

    async def answer(
        self, request: OracleRequest, hear: TextListener | None = None
    ) -> OracleAnswer:
        """Return the answer.

        `hear` receives its pieces as they arrive, if the oracle streams.

        Raises:
            SdkConnectionError: It could not be reached, or broke off; recoverable.
            SdkRateLimitError: It limits the rate of requests; recoverable.
            SdkBridgeError: It does not answer a request like this one.
        """

    async def close(self) -> None:
        """Release all resources. May be called more than once."""


class OracleWrapper:
    """An oracle around another one; it is closed with it."""

    def __init__(self, oracle: Oracle) -> None:
        self._oracle = oracle

    async def close(self) -> None:
        """Close the oracle. May be called more than once."""
        await self._oracle.close()


LONGEST_ANSWER_TEXT: Final = 4_000_000
"""The longest answer in characters; a longer one is an error."""
_PIECE_SIZE: Final = 40


def split_pieces(text: str) -> Iterator[str]:
    """Split a text into pieces as a model would stream it: deterministic, never empty.

    A long text has larger pieces, so that streaming it takes no longer.
    """
    size = max(_PIECE_SIZE, len(text) // 100)
    for start in range(0, len(text), size):
        yield text[start : start + size]


def stream_text(text: str, hear: TextListener | None) -> None:
    """Stream a complete text to the listener, if there is one, piece by piece."""
    if hear is not None:
        for piece in split_pieces(text):
            hear(piece)
