"""Conversations with a model, over an oracle that keeps no state.

Also offers tools to models that have none: such a model writes fenced blocks.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any

import msgspec

from saniwa.agent import describe
from saniwa.agent.layer_contracts import QueryOptions, QueryResult
from saniwa.agent.prompt_quoting import read_prompt
from saniwa.agent.reply_extraction import find_block_texts, parse_json
from saniwa.core.errors import SdkBridgeError
from saniwa.core.text import replace_surrogates
from saniwa.core.tracing import TracedOperation
from saniwa.models.oracle import (
    Oracle,
    OracleAnswer,
    OracleMessage,
    OracleRequest,
    OracleWrapper,
    TextListener,
    ToolCall,
    ToolOffer,
)

HISTORY_MESSAGES = 20
"""Messages of a conversation that are sent again with each question."""
MOST_CONVERSATIONS = 1000
"""Conversations that are stored; the least recently used one is dropped first."""

_Messages = tuple[OracleMessage, ...]


class OracleBridge:
    """The bridge that every agent uses to ask a model.

    Conversation ids are counted, never taken from a clock. An unknown or dropped id is
    not an error: the question starts a new conversation with a new id. A question that
    fails changes nothing.
    """

    def __init__(
        self,
        oracle: Oracle,
        *,
        history: int = HISTORY_MESSAGES,
        conversations: int = MOST_CONVERSATIONS,
    ) -> None:
        """Set the limits; a negative number counts as 0.

        With `history` 0 every question is sent without earlier messages, though it
        still belongs to a conversation.
        """
        self._oracle = oracle
        self._history = max(history, 0)
        self._most = max(conversations, 0)
        self._conversations: OrderedDict[str, _Messages] = OrderedDict()
        self._count = 0
        self._last: str | None = None

    async def query(self, prompt: str, options: QueryOptions) -> QueryResult:
        """Ask. Pre: the prompt is not empty. Post: one conversation keeps one id.

        Raises:
            SdkConnectionError: The model could not be reached; recoverable.
            SdkRateLimitError: The provider limits the rate of requests; recoverable.
            SdkBridgeError: `PROMPT_EMPTY`, or the model does not answer such a request.
        """
        if not prompt.strip():
            raise describe("PROMPT_EMPTY/query").to_error(SdkBridgeError)
        question = OracleMessage(role="user", text=replace_surrogates(prompt))
        conversation_id = options.conversation_id
        past = self._conversations.get(conversation_id, ()) if conversation_id else ()
        asked = (question, *options.exchange)
        request = _build_request((*past, *asked), options)
        hear = _CleaningListener(options.hear) if options.hear is not None else None
        with TracedOperation("chat", _describe_request(request, conversation_id), "CLIENT") as span:
            answer = await self._oracle.answer(request, hear)
            span.note(_describe_answer, answer, name=f"chat {answer.model}".rstrip())
        text = replace_surrogates(answer.text)
        goes_on = options.awaits_rest and _has_rest(answer, text)
        if answer.calls or goes_on:
            # The question goes on, and is stored once it is answered.
            result = _build_result(answer, text, conversation_id or "", request.key)
            return msgspec.structs.replace(result, goes_on=goes_on)
        self._last = self._record_exchange(conversation_id, asked, text)
        return _build_result(answer, text, self._last, request.key)

    def get_session_id(self) -> str | None:
        """The conversation of the last question; None before the first."""
        return self._last

    def restore(self, conversation_id: str, messages: Iterable[OracleMessage]) -> None:
        """Restore a conversation from a journal; only the newest messages are used."""
        self._store_messages(conversation_id, tuple(messages))

    async def close(self) -> None:
        """Close the oracle and drop every conversation.

        May be called more than once.
        """
        self._conversations.clear()
        await self._oracle.close()

    def _record_exchange(self, conversation_id: str | None, asked: _Messages, text: str) -> str:
        # Looked up again: another question may have been answered meanwhile.
        known = conversation_id if conversation_id in self._conversations else None
        name = known or self._make_conversation_id(conversation_id)
        messages = (*self._conversations.get(name, ()), *asked)
        # An empty answer cannot be sent again: providers reject empty messages.
        if text.strip():
            messages = (*messages, OracleMessage(role="assistant", text=text))
        self._store_messages(name, messages)
        return name

    def _make_conversation_id(self, lost: str | None) -> str:
        while True:
            self._count += 1
            name = f"conversation-{self._count}"
            if name != lost and name not in self._conversations:
                return name

    def _store_messages(self, name: str, messages: _Messages) -> None:
        self._conversations[name] = _select_newest(messages, self._history)
        self._conversations.move_to_end(name)
        while len(self._conversations) > self._most:
            self._conversations.popitem(last=False)


def _describe_request(request: OracleRequest, conversation_id: str | None) -> dict[str, Any]:
    """Return the attributes of a call, by OpenTelemetry's conventions."""
    about: dict[str, Any] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.max_tokens": request.max_tokens,
        "gen_ai.request.temperature": request.temperature,
    }
    if request.seed is not None:
        about["gen_ai.request.seed"] = request.seed
    if conversation_id:
        about["gen_ai.conversation.id"] = conversation_id
    return about


def _describe_answer(answer: OracleAnswer) -> dict[str, Any]:
    provider, named, _ = answer.model.partition(":")
    return {
        "gen_ai.provider.name": provider if named else "unknown",
        "gen_ai.request.model": answer.model,
        "gen_ai.response.model": answer.model,
        "gen_ai.response.finish_reasons": [answer.finish],
        "gen_ai.usage.input_tokens": answer.usage.input_tokens,
        "gen_ai.usage.output_tokens": answer.usage.output_tokens,
    }


def _select_newest(messages: _Messages, history: int) -> _Messages:
    """Return the last messages, starting with one of the user's."""
    newest = messages[max(len(messages) - history, 0) :]
    first = next((i for i, each in enumerate(newest) if each.role == "user"), len(newest))
    return newest[first:] if first else newest


def _build_request(messages: _Messages, options: QueryOptions) -> OracleRequest:
    return OracleRequest(
        messages=messages,
        system=replace_surrogates(options.system),
        schema=options.schema,
        max_tokens=options.max_tokens,
        temperature=options.temperature,
        seed=options.seed,
        tools=options.tools,
    )


def _has_rest(answer: OracleAnswer, text: str) -> bool:
    """Whether an answer was cut off in its words; half a tool call has no rest."""
    if answer.finish != "length" or answer.calls or not text.strip():
        return False
    return not any(find_block_texts(text, BLOCK))


def _build_result(answer: OracleAnswer, text: str, name: str, key: str) -> QueryResult:
    return QueryResult(
        messages=(text,),
        conversation_id=name,
        finish=answer.finish,
        reason=replace_surrogates(answer.reason),
        usage=answer.usage,
        model=answer.model,
        key=key,
        mended=answer.mended,
        calls=answer.calls,
    )


class _CleaningListener:
    """Passes pieces on without surrogates; it can restart if the listener can."""

    restart: Callable[[], None]

    def __init__(self, hear: TextListener) -> None:
        self._hear = hear
        if hasattr(hear, "restart"):
            self.restart = hear.restart

    def __call__(self, piece: str) -> None:
        self._hear(replace_surrogates(piece))


BLOCK = "tool"
"""The info string of a block that calls a tool."""
MOST_CALLS = 20
"""The most calls that are read from one answer."""
_EXPLANATION = read_prompt(__file__, "tool_calls.en.md") + "\n"


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
                error=""
                if readable
                else "the block is not a JSON object with 'name' and 'arguments'",
            )
        )
    return tuple(calls)
