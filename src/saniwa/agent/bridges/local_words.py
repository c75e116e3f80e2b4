"""A request in the words of the library that runs models here, and its answers in ours."""

from typing import Any, Final

import msgspec

from saniwa.agent.oracle import Request
from saniwa.core.quoted import cut
from saniwa.core.sound import sound

_SEEDS: Final = 0xFFFF_FFFF


class Said(msgspec.Struct):
    """What has come of one question."""

    pieces: list[str] = []
    """What was said so far."""
    finish: str = ""
    """How it ended; empty while it has not."""
    told: int = 0
    """Tokens it was told."""
    said: int = 0
    """Tokens it said."""
    problem: str = ""
    """What went wrong."""


def body_of(request: Request) -> dict[str, Any]:
    """The request as the library takes it: OpenAI's format, as a stream."""
    system = [{"role": "system", "content": request.system}] if request.system else []
    said = [{"role": each.role, "content": each.text} for each in request.messages]
    body: dict[str, Any] = {
        "messages": system + said,
        "max_tokens": request.max_tokens,
        "temperature": request.temperature,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if request.seed is not None:
        body["seed"] = request.seed & _SEEDS
    if request.schema is not None:
        wanted = {"name": "answer", "schema": request.schema}
        body["response_format"] = {"type": "json_schema", "json_schema": wanted}
    return body


def take(part: Any, said: Said) -> str:
    """What a part of the answer says; notes how it ended and what it cost."""
    if "error" in part:
        said.problem = cut(str(part["error"].get("message", "")), 200) or "it failed"
        return ""
    used = part.get("usage") or {}
    said.told = used.get("prompt_tokens", said.told)
    said.said = used.get("completion_tokens", said.said)
    for choice in part.get("choices", ()):
        said.finish = choice.get("finish_reason") or said.finish
        return sound(choice.get("delta", {}).get("content") or "")
    return ""
