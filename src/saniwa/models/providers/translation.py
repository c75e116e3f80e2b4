"""Converts requests to the library's format, and its responses to ours."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from math import ceil
from typing import TYPE_CHECKING, Any, Final, cast

from saniwa.core.text import truncate
from saniwa.core.text_encoding import replace_surrogates
from saniwa.models.oracle import FinishReason, OracleRequest

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, ToolCallPart
    from pydantic_ai.models import Model, ModelRequestParameters
    from pydantic_ai.settings import ModelSettings

_MILLION: Final = 1_000_000
_OUTPUT_TOOL: Final = "answer"
TOTAL_SECONDS: Final = 600
"""The longest time a whole answer may take, even while parts arrive."""
_CHARACTERS_PER_TOKEN: Final = 4
_MOST_TOKENS: Final = 10**12
_LONGEST_REASON: Final = 300


def to_library_messages(request: OracleRequest) -> "list[ModelMessage]":
    """Convert the conversation, with the system prompt."""
    from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, UserPromptPart

    messages: list[ModelMessage] = []
    for each in request.messages:
        if each.role == "user":
            messages.append(ModelRequest(parts=[UserPromptPart(each.text)]))
        else:
            messages.append(ModelResponse(parts=[TextPart(each.text)]))
    if request.system:
        cast("ModelRequest", messages[-1]).instructions = request.system
    return messages


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
    """Choose how a schema is requested: natively, as tool input, or in the prompt."""
    if request.schema is None:
        return None
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition
    from pydantic_ai.tools import ToolDefinition

    profile = model.profile
    native = profile.get("supports_json_schema_output", False)
    if not native and profile.get("supports_tools", True):
        tool = ToolDefinition(
            name=_OUTPUT_TOOL, parameters_json_schema=request.schema, kind="output"
        )
        return ModelRequestParameters(
            output_mode="tool", output_tools=[tool], allow_text_output=False
        )
    return ModelRequestParameters(
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
