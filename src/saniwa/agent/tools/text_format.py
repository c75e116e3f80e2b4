"""Tool calls for models that have none: the model writes fenced blocks.

The request that reaches such a model has text only. A recording is made above this, so
it is the same for every model.
"""

from itertools import islice

import msgspec

from saniwa.agent.replies import find_block_texts, parse_json
from saniwa.models.oracle import (
    OracleAnswer,
    OracleMessage,
    OracleRequest,
    OracleWrapper,
    TextListener,
    ToolCall,
    ToolOffer,
)

BLOCK = "tool"
"""The info string of a block that calls a tool."""
MOST_CALLS = 20
"""The most calls that are read from one answer."""
_EXPLANATION = """You can use tools. To call one, answer with a block like this, and nothing after it:

```tool
{"name": "NAME", "arguments": {}}
```

You are then told the result. Answer without such a block once you need no more tools. The tools:
"""


class TextToolOracle(OracleWrapper):
    """Offers tools to a model in its system prompt, and finds the calls in its text."""

    async def answer(
        self, request: OracleRequest, hear: TextListener | None = None
    ) -> OracleAnswer:
        """Return the oracle's answer; its blocks are calls, if tools are offered.

        Raises:
            SdkBridgeError: As the oracle.
        """
        if not request.tools:
            return await self._oracle.answer(request, hear)
        answer = await self._oracle.answer(_write_request(request), hear)
        # A partial answer calls nothing: its last block may lack its end.
        calls = _read_calls(answer.text, len(request.messages)) if answer.finish == "stop" else ()
        if not calls:
            return answer
        return msgspec.structs.replace(answer, calls=calls, finish="tool_call")


def _write_request(request: OracleRequest) -> OracleRequest:
    tools = "\n".join(_describe_tool(each) for each in request.tools)
    return msgspec.structs.replace(
        request,
        system=f"{request.system}\n\n{_EXPLANATION}\n{tools}".strip(),
        messages=tuple(_write_message(each) for each in request.messages),
        tools=(),
    )


def _describe_tool(offer: ToolOffer) -> str:
    schema = msgspec.json.encode(offer.parameters, order="deterministic").decode()
    return f"- {offer.name}: {offer.description} Arguments: {schema}"


def _write_message(message: OracleMessage) -> OracleMessage:
    if message.role == "tool":
        text = f"The result of {message.tool}:\n{message.text}"
        return OracleMessage(role="user", text=text)
    # The text of an answer has its blocks already.
    return OracleMessage(role=message.role, text=message.text or "(no words)")


def _read_calls(text: str, number: int) -> tuple[ToolCall, ...]:
    calls = []
    for index, block in enumerate(islice(find_block_texts(text, BLOCK), MOST_CALLS)):
        parsed = parse_json(block)
        fields = parsed.value if parsed is not None and isinstance(parsed.value, dict) else {}
        name, arguments = fields.get("name"), fields.get("arguments", {})
        readable = isinstance(name, str) and isinstance(arguments, dict)
        calls.append(
            ToolCall(
                id=f"text-{number}-{index + 1}",
                name=name if isinstance(name, str) else "",
                arguments=arguments if readable else {},
                error="" if readable else "the block is no JSON object with 'name' and 'arguments'",
            )
        )
    return tuple(calls)
