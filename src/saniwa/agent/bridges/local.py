"""A model in this process: weights from a file, and no network.

It answers one question at a time, in a thread of its own, so that whoever asks can do
other things meanwhile. It listens on loopback too, for those who speak OpenAI's format.
"""

import asyncio
import secrets
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

from saniwa.agent.bridges.forbid import check_allowed
from saniwa.agent.bridges.local_words import Said, body_of, take
from saniwa.agent.oracle import Answer, Finish, Hear, Request, Usage
from saniwa.core.errors import ConfigurationError, SdkBridgeError
from saniwa.core.extra import need
from saniwa.core.quoted import cut

WINDOW: Final = 4096
"""Tokens it can be told and say in one conversation."""
_FINISHES: Final[dict[str, Finish]] = {
    "stop": "stop",
    "length": "length",
    "tool_calls": "tool_call",
}
_QUIET: Final = -1


class LocalOracle:
    """Asks a model that runs here; loads it at the first question."""

    def __init__(
        self, weights: Path, *, name: str = "", window: int = WINDOW, threads: int = 1
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

    async def answer(self, request: Request, hear: Hear | None = None) -> Answer:
        """The model's answer. Who is cancelled leaves it free for the next question.

        Raises:
            SdkBridgeError: `BRIDGE_REFUSED`, `MODEL_CALLS_FORBIDDEN`.
        """
        check_allowed(self.label)
        if self._stopped.is_set():
            raise self._refused("it is closed")
        loop = asyncio.get_running_loop()
        coming: asyncio.Queue[str | None] = asyncio.Queue()
        dropped = threading.Event()

        def tell(piece: str | None) -> None:
            loop.call_soon_threadsafe(coming.put_nowait, piece)

        asked = loop.run_in_executor(
            self._worker, self._ask, body_of(request), tell, dropped
        )
        try:
            while (piece := await coming.get()) is not None:
                if hear is not None:
                    hear(piece)
            said = await asked
        finally:
            dropped.set()
        return self._answer(said)

    async def serve(self) -> tuple[str, str]:
        """Its address on loopback, and the key one needs there; it listens until closed.

        Raises:
            SdkBridgeError: `BRIDGE_REFUSED`, `MODEL_CALLS_FORBIDDEN`.
        """
        check_allowed(self.label)
        loop = asyncio.get_running_loop()
        problem = await loop.run_in_executor(self._worker, self._load)
        if problem:
            raise self._refused(problem)
        return f"{self._server.listening_address}/v1", self._key

    async def close(self) -> None:
        """Let go of the model; an answer under way ends. More than once is no mistake."""
        self._stopped.set()
        await asyncio.to_thread(self._let_go)

    def _let_go(self) -> None:
        self._worker.shutdown(wait=True)
        self._server = None

    def _ask(
        self,
        body: dict[str, Any],
        tell: Callable[[str | None], None],
        dropped: threading.Event,
    ) -> Said:
        """Ask; in the worker's thread. Raises nothing: nobody may be left to hear it."""
        said = Said()
        try:
            said.problem = "nobody waits for it" if dropped.is_set() else self._load()
            if not said.problem:
                self._stream(body, said, tell, dropped)
            tell(None)
        except RuntimeError:
            # The loop that asked is gone.
            said.problem = "nobody waits for the answer any longer"
        return said

    def _stream(
        self,
        body: dict[str, Any],
        said: Said,
        tell: Callable[[str | None], None],
        dropped: threading.Event,
    ) -> None:
        def chunk(part: Any) -> bool:
            """Take a part of the answer; true: no more is wanted."""
            piece = take(part, said)
            if piece:
                said.pieces.append(piece)
                tell(piece)
            return dropped.is_set() or self._stopped.is_set()

        try:
            self._server.handle_chat_completions(body, chunk)
        except ValueError as problem:
            said.problem = cut(str(problem), 200)

    def _load(self) -> str:
        """Load the model if that is still to be done; says what is wrong."""
        if self._stopped.is_set():
            return "it is closed"
        if self._server is None:
            try:
                self._server = self._started()
            except (RuntimeError, ValueError) as problem:
                return cut(f"its weights cannot be loaded: {problem}", 200)
        return ""

    def _started(self) -> Any:
        import xllamacpp  # type: ignore[import-untyped]

        asked = xllamacpp.CommonParams()
        asked.model.path = str(self._weights)
        asked.model_alias = [self._name]
        asked.n_ctx = self._window
        asked.n_parallel = 1
        asked.cpuparams.n_threads = self._threads
        asked.cpuparams_batch.n_threads = self._threads
        asked.n_threads_http = 1
        asked.verbosity = _QUIET
        asked.warmup = False
        # It always listens on loopback; only whoever was told the key may ask there.
        asked.api_keys = [self._key]
        return xllamacpp.Server(asked)

    def _answer(self, said: Said) -> Answer:
        if said.problem:
            raise self._refused(said.problem)
        if not said.finish:
            raise self._refused("it was closed in the middle")
        return Answer(
            text="".join(said.pieces),
            finish=_FINISHES.get(said.finish, "other"),
            usage=Usage(calls=1, input_tokens=said.told, output_tokens=said.said),
            model=self.label,
        )

    def _refused(self, why: str) -> SdkBridgeError:
        return SdkBridgeError(
            "BRIDGE_REFUSED",
            f"{self.label!r} gives no answer: {why}",
            hint="tell it less, ask for a simpler form, or look at its weights",
        )


def _check_installed() -> None:
    what = "a local model needs"
    need("xllamacpp", extra="local", what=what, kind=ConfigurationError)
