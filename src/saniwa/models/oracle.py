"""One question to a model and its answer, whoever the model is.

An oracle remembers nothing: a request holds everything the model is told, so that the
same request can be kept and answered again without it.
"""

import os
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Annotated, Any, Final, Literal, Protocol

import msgspec

from saniwa.core.errors import SdkBridgeError
from saniwa.core.text import quote_value

MODEL_CALLS_VARIABLE = "SANIWA_MODEL_CALLS"
"""The environment variable that forbids them."""


def check_calls_allowed(model: str) -> None:
    """Let a call to a real model pass, unless the environment forbids such calls.

    Raises:
        SdkBridgeError: `MODEL_CALLS_FORBIDDEN`.
    """
    said = os.environ.get(MODEL_CALLS_VARIABLE, "")
    if said in ("", "allow"):
        return
    what = (
        "are forbidden"
        if said == "forbid"
        else f"are {quote_value(said)}, which is no word"
    )
    raise SdkBridgeError(
        "MODEL_CALLS_FORBIDDEN",
        f"{quote_value(model)} was not asked: model calls {what} here",
        hint=f"set {MODEL_CALLS_VARIABLE} to 'allow' or unset it, or use canned or recorded answers",
    )


class AnswerHistory(msgspec.Struct, frozen=True, kw_only=True):
    """Questions and answers that are behind an agent, as its journal has them.

    Whoever answers from a list goes on after them instead of beginning again.
    """

    keys: tuple[str, ...] = ()
    """What each question is known by, in order; `QueryResult.key`."""
    texts: tuple[str, ...] = ()
    """What was answered, in order."""

    def __add__(self, other: "AnswerHistory") -> "AnswerHistory":
        return AnswerHistory(
            keys=self.keys + other.keys, texts=self.texts + other.texts
        )


TextListener = Callable[[str], None]
"""Is given an answer piece by piece, while it comes."""
FinishReason = Literal["stop", "length", "refused", "filtered", "tool_call", "other"]
"""How an answer ended: said to the end, cut at its limit, refused by the model, stopped by
the provider's content filter, or a call of a tool that the model was not given."""
USABLE_FINISHES: Final = frozenset[FinishReason]({"stop", "other"})
"""Ends of an answer that may be acted on. Many servers name none, so `other` is among
them."""


_Count = Annotated[int, msgspec.Meta(ge=0)]


class _Record(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True
):
    """Records are written in camelCase; what is as usual takes no room."""


class Usage(_Record, frozen=True):
    """What answers have cost."""

    calls: _Count = 0
    """Requests that were sent, answered or not."""
    input_tokens: _Count = 0
    """Tokens the model was told."""
    output_tokens: _Count = 0
    """Tokens it said."""
    cost: _Count = 0
    """Millionths of a US dollar, as far as prices are known."""
    unpriced: _Count = 0
    """Calls whose price nobody knows."""

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            calls=self.calls + other.calls,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cost=self.cost + other.cost,
            unpriced=self.unpriced + other.unpriced,
        )

    def __sub__(self, other: "Usage") -> "Usage":
        return Usage(
            calls=self.calls - other.calls,
            input_tokens=self.input_tokens - other.input_tokens,
            output_tokens=self.output_tokens - other.output_tokens,
            cost=self.cost - other.cost,
            unpriced=self.unpriced - other.unpriced,
        )


class OracleMessage(_Record, frozen=True):
    """One thing said in a conversation with a model."""

    role: Literal["user", "assistant"]
    """Whether the model was told it or said it."""
    text: str
    """The words."""


class OracleRequest(_Record, frozen=True):
    """Everything a model is told at once."""

    messages: tuple[OracleMessage, ...]
    """The conversation so far; the last message is the question."""
    system: str = ""
    """What it is told about itself."""
    schema: dict[str, Any] | None = None
    """A JSON Schema its answer must follow; None for free words."""
    max_tokens: int = 512
    """The longest answer."""
    temperature: float = 0.0
    """How freely it chooses its words."""
    seed: int | None = None
    """Where its chance starts, for models that take one."""

    @property
    def key(self) -> str:
        """What the request is known by: SHA-256 in hex over all of it."""
        # Field by field: whether a struct leaves out a default depends on which object
        # the value is, and equal requests must have one key.
        said = [(each.role, each.text) for each in self.messages]
        asked = (self.max_tokens, float(self.temperature), self.seed)
        whole = (said, self.system, self.schema, asked)
        return sha256(msgspec.json.encode(whole, order="deterministic")).hexdigest()


def count_request_characters(request: OracleRequest) -> int:
    """Letters of everything a model is told."""
    schema = len(str(request.schema)) if request.schema else 0
    return schema + len(request.system) + sum(len(m.text) for m in request.messages)


class OracleAnswer(_Record, frozen=True):
    """What a model said."""

    text: str
    """The words; JSON where a schema was given and the model kept to it."""
    finish: FinishReason = "stop"
    """How it ended."""
    reason: str = ""
    """What the model or the provider says about an end that is not `stop`: the words of a
    refusal, the category of a filter, the name of a tool. Often empty."""
    usage: Usage = Usage(calls=1)
    """What it cost."""
    model: str = ""
    """Who answered, as the provider names it."""
    mended: tuple[str, ...] = ()
    """What went wrong on the way and another attempt made good."""
    unsent: tuple[str, ...] = ()
    """Settings of the request that the model was not given, such as `temperature`."""
    took_ms: _Count = 0
    """Milliseconds from the question to the whole answer, where somebody measured."""


def describe_finish(finish: FinishReason, reason: str = "", max_tokens: int = 0) -> str:
    """Say in one sentence why an answer may not be acted on; empty where it may."""
    said = f": {reason}" if reason else ""
    match finish:
        case "length":
            limit = f" of {max_tokens} tokens" if max_tokens else ""
            return f"the answer was cut off at its limit{limit} (finish: length)"
        case "refused":
            return f"the model refused to answer (finish: refused){said}"
        case "filtered":
            return (
                f"the provider's content filter stopped the answer "
                f"(finish: filtered){said}"
            )
        case "tool_call":
            return (
                "the model called a tool that it was not given, and gave no answer "
                f"(finish: tool_call){said}"
            )
        case "stop" | "other":
            return ""


class Oracle(Protocol):
    """Answers requests."""

    async def answer(
        self, request: OracleRequest, hear: TextListener | None = None
    ) -> OracleAnswer:
        """The answer; `hear` is given its pieces while they come, if it can be had so.

        Raises:
            SdkConnectionError: It could not be reached, or went away; recoverable.
            SdkRateLimitError: It asks for patience; recoverable.
            SdkBridgeError: It answers no request like this one.
        """
        ...

    async def close(self) -> None:
        """Let go of everything; more than once is no mistake."""
        ...


LONGEST_ANSWER_TEXT: Final = 4_000_000
"""Letters of an answer; whoever says more is not asked for a story."""
_PIECE_SIZE: Final = 40


def split_pieces(text: str) -> Iterator[str]:
    """The text as a model would have told it: always the same pieces, none of them empty.

    A long text is told in larger ones, so that telling it takes no longer.
    """
    size = max(_PIECE_SIZE, len(text) // 100)
    for start in range(0, len(text), size):
        yield text[start : start + size]


def stream_text(text: str, hear: TextListener | None) -> None:
    """Tell a text that is there already to whoever listens, piece by piece."""
    if hear is not None:
        for piece in split_pieces(text):
            hear(piece)
