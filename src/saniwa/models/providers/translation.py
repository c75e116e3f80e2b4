"""A request in the library's words, and its response in ours."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from math import ceil
from typing import TYPE_CHECKING, Any, Final, cast

from saniwa.core.text import truncate
from saniwa.core.text_encoding import replace_surrogates
from saniwa.models.oracle import FinishReason, OracleRequest

if TYPE_CHECKING:
    from pydantic_ai.messages import (
        ModelMessage,
        ModelRequest,
        ModelResponse,
        ToolCallPart,
    )
    from pydantic_ai.models import Model, ModelRequestParameters
    from pydantic_ai.settings import ModelSettings

_MILLION: Final = 1_000_000
_OUTPUT_TOOL: Final = "answer"
TOTAL_SECONDS: Final = 600
"""The longest a whole answer may take, whatever comes meanwhile."""
_LETTERS_A_TOKEN: Final = 4
_MOST_TOKENS: Final = 10**12
_LONGEST_REASON: Final = 300


def to_library_messages(request: OracleRequest) -> "list[ModelMessage]":
    """The conversation, with what the model is told about itself."""
    from pydantic_ai.messages import (
        ModelRequest,
        ModelResponse,
        TextPart,
        UserPromptPart,
    )

    said: list[ModelMessage] = []
    for each in request.messages:
        if each.role == "user":
            said.append(ModelRequest(parts=[UserPromptPart(each.text)]))
        else:
            said.append(ModelResponse(parts=[TextPart(each.text)]))
    if request.system:
        cast("ModelRequest", said[-1]).instructions = request.system
    return said


def to_library_settings(model: "Model", request: OracleRequest) -> "ModelSettings":
    """How long and how freely it may answer."""
    asked: dict[str, Any] = {
        "max_tokens": request.max_tokens,
        "request_timeout": TOTAL_SECONDS,
    }
    if accepts_temperature(model):
        asked["temperature"] = request.temperature
    if request.seed is not None:
        asked["seed"] = request.seed
    return cast("ModelSettings", asked)


def accepts_temperature(model: "Model") -> bool:
    """Whether the model takes one; those that think first refuse it, or warn each time."""
    profile = cast("dict[str, Any]", model.profile)
    if profile.get("anthropic_disallows_sampling_settings"):
        return False
    if not profile.get("openai_supports_reasoning"):
        return True
    silent = profile.get("openai_supports_reasoning_effort_none")
    return bool(silent) and not profile.get("thinking_enabled_by_default")


def to_output_parameters(
    model: "Model", request: OracleRequest
) -> "ModelRequestParameters | None":
    """How a schema is asked for: as the provider's own, as a tool's input, or in words."""
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
        output_object=OutputObjectDefinition(
            json_schema=request.schema, name=_OUTPUT_TOOL
        ),
    )


def extract_text(response: "ModelResponse", *, by_tool: bool = False) -> str:
    """What was said: its texts, and the input of the tool that carries a schema."""
    said = []
    for part in response.parts:
        if part.part_kind == "text":
            said.append(part.content)
        elif is_answer_part(part, by_tool=by_tool):
            said.append(cast("ToolCallPart", part).args_as_json_str())
    return "".join(said)


def is_answer_part(part: Any, *, by_tool: bool) -> bool:
    """Whether a part is the call that `to_output_parameters` asks for, and not one of the model's own."""
    return bool(
        by_tool and part.part_kind == "tool-call" and part.tool_name == _OUTPUT_TOOL
    )


def extract_finish(
    response: "ModelResponse", *, by_tool: bool = False
) -> tuple[FinishReason, str]:
    """How the answer ended, and what the provider says about it."""
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
    """A model's own refusal or a provider's filter: the library has one name for both."""
    if "refusal" in details or details.get("finish_reason") == "refusal":
        said = details.get("refusal") or details.get("refusal_category") or ""
        return "refused", _shorten_reason(said)
    for name in ("block_reason_message", "block_reason", "finish_reason"):
        if details.get(name) and details[name] != "content_filter":
            return "filtered", _shorten_reason(details[name])
    return "filtered", ""


def _shorten_reason(said: object) -> str:
    return truncate(" ".join(replace_surrogates(str(said)).split()), _LONGEST_REASON)


def count_tokens(counted: Iterable[int], letters: Iterable[int]) -> tuple[int, ...]:
    """Tokens as a provider counted them; a guess by the letters where it did not."""
    guesses = (-(-each // _LETTERS_A_TOKEN) for each in letters)
    return tuple(
        min(count, _MOST_TOKENS) if count > 0 else guess
        for count, guess in zip(counted, guesses, strict=True)
    )


def to_millionths(dollars: Decimal) -> int:
    """Dollars in millionths of one."""
    # Upwards: many small answers must not add up to nothing.
    return ceil(dollars * _MILLION)
