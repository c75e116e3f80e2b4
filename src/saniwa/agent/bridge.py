"""Conversations with a model, over an oracle that remembers nothing."""

from collections import OrderedDict
from collections.abc import Iterable

from saniwa.agent.contract import QueryOptions, QueryResult
from saniwa.core.errors import SdkBridgeError
from saniwa.core.text_encoding import replace_surrogates
from saniwa.models.oracle import (
    Oracle,
    OracleAnswer,
    OracleMessage,
    OracleRequest,
    TextListener,
)

HISTORY_MESSAGES = 20
"""Messages of a conversation that are told again."""
MOST_CONVERSATIONS = 1000
"""Conversations that are kept; the one not asked for longest goes first."""

_Messages = tuple[OracleMessage, ...]


class OracleBridge:
    """The way to a model that every agent takes.

    A conversation is known by an id that counts, never by a clock. One that is not known
    (any longer) is not an error: the question starts a new one, under a new id. A question
    that fails leaves everything as it was.
    """

    def __init__(
        self,
        oracle: Oracle,
        *,
        history: int = HISTORY_MESSAGES,
        conversations: int = MOST_CONVERSATIONS,
    ) -> None:
        """`history` 0: every question stands alone, though it has its conversation.

        Less than none is none.
        """
        self._oracle = oracle
        self._history = max(history, 0)
        self._most = max(conversations, 0)
        self._said: OrderedDict[str, _Messages] = OrderedDict()
        self._count = 0
        self._last: str | None = None

    async def query(self, prompt: str, options: QueryOptions) -> QueryResult:
        """Ask. Pre: the prompt is not empty. Post: one conversation keeps one id.

        Raises:
            SdkConnectionError: The model could not be reached; recoverable.
            SdkRateLimitError: The provider asks for patience; recoverable.
            SdkBridgeError: `PROMPT_EMPTY`, or the model answers nothing like this.
        """
        if not prompt.strip():
            raise SdkBridgeError(
                "PROMPT_EMPTY",
                "a model was to be asked with an empty prompt",
                hint="look at the prompt's file: there is nothing in it to ask",
            )
        question = OracleMessage(role="user", text=replace_surrogates(prompt))
        asked = options.conversation_id
        past = self._said.get(asked, ()) if asked else ()
        request = _build_request((*past, question), options)
        answer = await self._oracle.answer(request, _wrap_listener(options.hear))
        text = replace_surrogates(answer.text)
        self._last = self._record_exchange(asked, question, text)
        return _build_result(answer, text, self._last, request.key)

    def get_session_id(self) -> str | None:
        """The conversation asked last; None before the first question."""
        return self._last

    def restore(self, conversation_id: str, messages: Iterable[OracleMessage]) -> None:
        """Take up a conversation again, as a journal has it; the newest messages count."""
        self._store_messages(conversation_id, tuple(messages))

    async def close(self) -> None:
        """Let go of the oracle and of every conversation; more than once is no mistake."""
        self._said.clear()
        await self._oracle.close()

    def _record_exchange(
        self, asked: str | None, question: OracleMessage, text: str
    ) -> str:
        # Looked up again: another question may have been answered meanwhile.
        known = asked if asked is not None and asked in self._said else None
        name = known or self._make_conversation_id(asked)
        said = (*self._said.get(name, ()), question)
        # An empty answer cannot be told again: providers refuse empty messages.
        if text.strip():
            said = (*said, OracleMessage(role="assistant", text=text))
        self._store_messages(name, said)
        return name

    def _make_conversation_id(self, lost: str | None) -> str:
        while True:
            self._count += 1
            name = f"conversation-{self._count}"
            if name != lost and name not in self._said:
                return name

    def _store_messages(self, name: str, said: _Messages) -> None:
        self._said[name] = _select_newest(said, self._history)
        self._said.move_to_end(name)
        while len(self._said) > self._most:
            self._said.popitem(last=False)


def _select_newest(said: _Messages, history: int) -> _Messages:
    """The last messages, from one that the model was told."""
    kept = said[max(len(said) - history, 0) :]
    first = next((i for i, each in enumerate(kept) if each.role == "user"), len(kept))
    return kept[first:] if first else kept


def _build_request(messages: _Messages, options: QueryOptions) -> OracleRequest:
    return OracleRequest(
        messages=messages,
        system=replace_surrogates(options.system),
        schema=options.schema,
        max_tokens=options.max_tokens,
        temperature=options.temperature,
        seed=options.seed,
    )


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
    )


def _wrap_listener(hear: TextListener | None) -> TextListener | None:
    if hear is None:
        return None
    return (
        _CleaningListener(hear)
        if hasattr(hear, "restart")
        else lambda piece: hear(replace_surrogates(piece))
    )


class _CleaningListener:
    """Passes on what is heard, fit to be shown, to somebody who can begin again."""

    def __init__(self, hear: TextListener) -> None:
        self._hear = hear
        self.restart = hear.restart  # type: ignore[attr-defined]

    def __call__(self, piece: str) -> None:
        self._hear(replace_surrogates(piece))
