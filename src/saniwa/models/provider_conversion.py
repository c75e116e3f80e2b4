"""Converts requests to the library's format, and its responses and errors to ours."""

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from json import JSONDecodeError
from math import ceil
from typing import TYPE_CHECKING, Any, Final, cast

import msgspec

from saniwa.core.errors import SdkBridgeError, SdkConnectionError, SdkRateLimitError
from saniwa.core.redaction import Redactor
from saniwa.core.text import replace_surrogates, truncate
from saniwa.models import describe
from saniwa.models.oracle import FinishReason, OracleMessage, OracleRequest, ToolCall

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, ToolCallPart
    from pydantic_ai.models import Model, ModelRequestParameters
    from pydantic_ai.settings import ModelSettings


_LONGEST: Final = 300
_DEEPEST: Final = 10
_RETRY_CLASSES: Final = frozenset(
    {"ModelConnectionError", "ModelRequestTimeout", "ModelServerError", "ModelUnavailableError"}
)
_RATE_LIMIT_CLASS: Final = "ModelRateLimitError"
_NO_RESPONSE: Final = (
    "Expected a JSON response",
    "Failed to decode response",
    "Invalid response from",
    "Streamed response ended without content",
)
_BROKEN_STREAM: Final = (
    "Streamed response ended without a `finish_reason`",
    "peer closed connection without sending complete message body",
)
_NO_CAUSE: Final = "Connection error."
"""What libraries say of every failed connection; its cause says more."""
_NETWORK_LIBRARIES: Final = ("httpx", "httpx2", "httpcore", "httpcore2", "anyio")
_LONGEST_WAIT: Final = 10**9
_RETRY_STATUSES: Final = frozenset({408, 425, 500, 502, 503, 504, 529})


def to_bridge_error(problem: Exception, model: str, redaction: Redactor) -> SdkBridgeError:
    """Convert a library's error to a bridge error.

    A key that the provider repeats is removed.

    The original error is not attached: it may hold the request with its key.
    """
    kinds = {kind.__name__ for kind in type(problem).__mro__}
    status = getattr(problem, "status_code", None)
    details: dict[str, Any] = {"model": model, "kind": type(problem).__name__}
    if isinstance(status, int):
        details["status"] = status
    overflow = _find_overflow(problem)
    redirect = _find_redirect_status(problem)
    if redirect is not None:
        return describe("BRIDGE_REFUSED/redirect", model=model, redirect=redirect).to_error(
            SdkBridgeError, details=details | {"status": redirect}
        )
    is_page = _is_web_page(problem)
    if is_page or any(str(each).startswith(_BROKEN_STREAM) for each in _walk_causes(problem)):
        return describe(
            "BRIDGE_CONNECTION/page" if is_page else "BRIDGE_CONNECTION/broken", model=model
        ).to_error(SdkConnectionError, details=details)
    message = _describe_problem(overflow or problem, redaction)
    if _RATE_LIMIT_CLASS in kinds:
        return describe("BRIDGE_RATE_LIMIT/provider", model=model, message=message).to_error(
            SdkRateLimitError, details=details | _extract_retry_delay(problem)
        )
    is_retryable = (
        kinds & _RETRY_CLASSES or status in _RETRY_STATUSES or _is_network_failure(problem, status)
    )
    if overflow is None and (is_retryable or _is_malformed(problem, status)):
        return describe(
            "BRIDGE_CONNECTION/connection" if is_retryable else "BRIDGE_CONNECTION/malformed",
            model=model,
            why=message,
        ).to_error(SdkConnectionError, details=details | _extract_retry_delay(problem))
    return describe(
        "BRIDGE_REFUSED/problem",
        hint=next((hint for name, hint in _HINTS.items() if name in kinds), _DEFAULT_HINT),
        model=model,
        message=message,
    ).to_error(SdkBridgeError, details=details)


def check_complete(response: "ModelResponse", model: str, *, in_pieces: bool) -> None:
    """Check that a response has an answer, and its end.

    Raises:
        SdkConnectionError: `BRIDGE_CONNECTION`.
    """
    if response.finish_reason is not None or (response.parts and not in_pieces):
        return
    if response.parts:
        raise describe("BRIDGE_CONNECTION/broken", model=model).to_error(SdkConnectionError)
    raise describe("BRIDGE_CONNECTION/malformed", model=model, why="it has no answer").to_error(
        SdkConnectionError
    )


def _extract_retry_delay(problem: Exception) -> dict[str, int]:
    after = getattr(problem, "retry_after", None)
    if not isinstance(after, int | float) or not after >= 0:
        return {}
    return {"retry_after_ms": int(min(after, _LONGEST_WAIT) * 1000)}


def _describe_problem(problem: BaseException, redaction: Redactor) -> str:
    status = getattr(problem, "status_code", None)
    message = _extract_message(getattr(problem, "body", None)) or str(problem)
    if message == _NO_CAUSE:
        message = next((s for s in map(str, reversed([*_walk_causes(problem)])) if s), message)
    # Before truncating: half a secret would not be recognized.
    message = redaction.redact_text(replace_surrogates(message))[: 10 * _LONGEST]
    words = " ".join(message.split()) or type(problem).__name__
    return truncate(words if status is None else f"status {status}, {words}", _LONGEST)


def _extract_message(body: object) -> str:
    """Find the message in a provider's error body.

    Each provider nests it differently.
    """
    for _ in range(4):
        if isinstance(body, list) and body:
            body = body[0]
        elif isinstance(body, dict):
            body = body.get("message") or body.get("error")
    return body if isinstance(body, str) else ""


def _is_network_failure(problem: Exception, status: object) -> bool:
    """Whether a network library or the operating system caused the error.

    An error with a status came with a response, whatever its causes are.
    """
    if isinstance(status, int):
        return False
    return any(
        type(each).__module__.partition(".")[0] in _NETWORK_LIBRARIES
        or isinstance(each, ConnectionError | TimeoutError)
        for each in _walk_causes(problem)
    )


def _is_malformed(problem: Exception, status: object) -> bool:
    """Whether an invalid response arrived: cut short, not JSON, or without an answer.

    That is a transport failure, not an answer: a proxy's page, or a server that was
    stopped. The libraries fail on some of these with Python's built-in errors.
    """
    if isinstance(status, int):
        return False
    is_builtin = isinstance(problem, AttributeError | LookupError | TypeError)
    if is_builtin or str(problem).startswith(_NO_RESPONSE):
        return True
    return any(
        isinstance(each, JSONDecodeError | UnicodeDecodeError) for each in _walk_causes(problem)
    )


def _find_overflow(problem: Exception) -> BaseException | None:
    """Return our own too-large error if it is among the causes."""
    from saniwa.models.bounded_http_client import ResponseTooLargeError

    return next((e for e in _walk_causes(problem) if isinstance(e, ResponseTooLargeError)), None)


def _is_web_page(problem: Exception) -> bool:
    """Whether the response was a web page."""
    from saniwa.models.bounded_http_client import WebPageResponseError

    return any(isinstance(each, WebPageResponseError) for each in _walk_causes(problem))


def _find_redirect_status(problem: Exception) -> int | None:
    """Return the status of a redirect if one is among the causes."""
    for each in _walk_causes(problem):
        response = getattr(each, "response", None)
        status = getattr(response, "status_code", None)
        if isinstance(status, int) and 300 <= status < 400:
            return status
    return None


def _walk_causes(problem: BaseException) -> Iterator[BaseException]:
    """Yield the error and its causes."""
    cause: BaseException | None = problem
    for _ in range(_DEEPEST):
        if cause is not None:
            yield cause
            cause = cause.__cause__ or cause.__context__


_DEFAULT_HINT: Final = "check the model's name, its key and the request"
_HINTS: Final = {
    "ModelAuthenticationError": "check the key in the environment and its permissions",
    "ModelNotFoundError": "check the model's name and the address",
    "ModelQuotaExceededError": "the account has no credit left",
    "ModelContextWindowExceededError": "send fewer messages or shorter prompts",
    "ContentFilterError": "the provider refuses this content; rephrase it",
}


_MILLION: Final = 1_000_000
_OUTPUT_TOOL: Final = "answer"
TOTAL_SECONDS: Final = 600
"""The longest time a whole answer may take, even while parts arrive."""
_CHARACTERS_PER_TOKEN: Final = 4
_MOST_TOKENS: Final = 10**12
_LONGEST_REASON: Final = 300


def to_library_messages(request: OracleRequest) -> "list[ModelMessage]":
    """Convert the conversation, with the system prompt."""
    from pydantic_ai.messages import ModelRequest, ToolReturnPart, UserPromptPart

    messages: list[ModelMessage] = []
    for before, each in zip((None, *request.messages), request.messages, strict=False):
        if each.role == "assistant":
            messages.append(_to_library_response(each))
        elif each.role == "user":
            messages.append(ModelRequest(parts=[UserPromptPart(each.text)]))
        else:
            result = ToolReturnPart(each.tool, each.text, each.call_id)
            # Providers want the results of one answer's calls in one message.
            if before is not None and before.role == "tool":
                cast("ModelRequest", messages[-1]).parts = [*messages[-1].parts, result]
            else:
                messages.append(ModelRequest(parts=[result]))
    if request.system:
        cast("ModelRequest", messages[-1]).instructions = request.system
    return messages


def _to_library_response(message: OracleMessage) -> "ModelResponse":
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart

    texts = [TextPart(message.text)] if message.text or not message.calls else []
    calls = [ToolCallPart(each.name, each.arguments, each.id) for each in message.calls]
    return ModelResponse(parts=[*texts, *calls])


def to_library_settings(model: "Model", request: OracleRequest) -> "ModelSettings":
    """Convert the settings: length, timeout, temperature and seed."""
    settings: dict[str, Any] = {"max_tokens": request.max_tokens, "request_timeout": TOTAL_SECONDS}
    if accepts_temperature(model):
        settings["temperature"] = request.temperature
    if request.seed is not None:
        settings["seed"] = request.seed
    return cast("ModelSettings", settings)


def accepts_temperature(model: "Model") -> bool:
    """Whether the model takes a temperature.

    Reasoning models reject it, or warn each time.
    """
    profile = cast("dict[str, Any]", model.profile)
    if profile.get("anthropic_disallows_sampling_settings"):
        return False
    if not profile.get("openai_supports_reasoning"):
        return True
    can_skip_reasoning = profile.get("openai_supports_reasoning_effort_none")
    return bool(can_skip_reasoning) and not profile.get("thinking_enabled_by_default")


def to_output_parameters(model: "Model", request: OracleRequest) -> "ModelRequestParameters | None":
    """Convert the tools, and choose how a schema is requested.

    Natively, as tool input, or in the prompt.
    """
    if request.schema is None and not request.tools:
        return None
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition
    from pydantic_ai.tools import ToolDefinition

    tools = [
        ToolDefinition(
            name=each.name,
            parameters_json_schema=each.parameters,
            description=each.description,
            strict=False,
        )
        for each in request.tools
    ]
    if request.schema is None:
        return ModelRequestParameters(function_tools=tools)
    profile = model.profile
    native = profile.get("supports_json_schema_output", False)
    if not native and profile.get("supports_tools", True):
        tool = ToolDefinition(
            name=_OUTPUT_TOOL, parameters_json_schema=request.schema, kind="output"
        )
        return ModelRequestParameters(
            function_tools=tools, output_mode="tool", output_tools=[tool], allow_text_output=False
        )
    return ModelRequestParameters(
        function_tools=tools,
        output_mode="native" if native else "prompted",
        output_object=OutputObjectDefinition(json_schema=request.schema, name=_OUTPUT_TOOL),
    )


def extract_text(response: "ModelResponse", *, by_tool: bool = False) -> str:
    """Return the text parts, and the input of the tool that carries a schema."""
    texts = []
    for part in response.parts:
        if part.part_kind == "text":
            texts.append(part.content)
        elif is_answer_part(part, by_tool=by_tool):
            texts.append(cast("ToolCallPart", part).args_as_json_str())
    return "".join(texts)


def is_answer_part(part: Any, *, by_tool: bool) -> bool:
    """Whether a part is the tool call that `to_output_parameters` requests.

    The model may also make calls of its own.
    """
    return bool(by_tool and part.part_kind == "tool-call" and part.tool_name == _OUTPUT_TOOL)


def extract_calls(response: "ModelResponse", *, by_tool: bool) -> tuple[ToolCall, ...]:
    """Return the tool calls of a complete response, except the one that is the answer."""
    if response.finish_reason in ("length", "content_filter"):
        return ()
    return tuple(
        _to_call(part)
        for part in response.parts
        if part.part_kind == "tool-call" and not is_answer_part(part, by_tool=by_tool)
    )


def _to_call(part: Any) -> ToolCall:
    arguments, error = part.args or {}, ""
    if isinstance(arguments, str):
        try:
            arguments = msgspec.json.decode(replace_surrogates(arguments))
        except (ValueError, RecursionError):
            arguments = None
    if not isinstance(arguments, dict):
        arguments, error = {}, "the arguments are not a JSON object"
    return ToolCall(id=part.tool_call_id, name=part.tool_name, arguments=arguments, error=error)


def extract_finish(response: "ModelResponse", *, by_tool: bool = False) -> tuple[FinishReason, str]:
    """Return how the answer ended, and what the provider says about it."""
    details = response.provider_details or {}
    if response.finish_reason == "content_filter":
        return _extract_refusal(details)
    if response.finish_reason == "length":
        return "length", ""
    calls = [
        part.tool_name
        for part in response.parts
        if part.part_kind == "tool-call" and not is_answer_part(part, by_tool=by_tool)
    ]
    if calls:
        return "tool_call", _shorten_reason(", ".join(calls))
    stopped = response.finish_reason in ("stop", "tool_call")
    return ("stop" if stopped else "other"), ""


def _extract_refusal(details: Mapping[str, Any]) -> tuple[FinishReason, str]:
    """Tell a model's refusal from a provider's filter.

    The library has one name for both.
    """
    if "refusal" in details or details.get("finish_reason") == "refusal":
        reason = details.get("refusal") or details.get("refusal_category") or ""
        return "refused", _shorten_reason(reason)
    for name in ("block_reason_message", "block_reason", "finish_reason"):
        if details.get(name) and details[name] != "content_filter":
            return "filtered", _shorten_reason(details[name])
    return "filtered", ""


def _shorten_reason(reason: object) -> str:
    return truncate(" ".join(replace_surrogates(str(reason)).split()), _LONGEST_REASON)


def count_tokens(counted: Iterable[int], letters: Iterable[int]) -> tuple[int, ...]:
    """Return the provider's token counts, or estimates where it gave none."""
    guesses = (-(-each // _CHARACTERS_PER_TOKEN) for each in letters)
    return tuple(
        min(count, _MOST_TOKENS) if count > 0 else guess
        for count, guess in zip(counted, guesses, strict=True)
    )


def to_millionths(dollars: Decimal) -> int:
    """Convert dollars to millionths."""
    # Rounded up: many small answers must not add up to nothing.
    return ceil(dollars * _MILLION)
