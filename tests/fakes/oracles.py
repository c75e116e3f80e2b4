"""Every oracle that Saniwa ships, ready for a contract test, and the parts they need."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

from saniwa.agent.definition import AgentLimits, ModelSettings
from saniwa.app.experiments.cell_models import SecretFreeOracle
from saniwa.app.model_factory import CountedOracle, SharedOracle, open_oracle
from saniwa.core.clock import FixedClock
from saniwa.core.errors import SdkBridgeError, SdkConnectionError, SdkRateLimitError
from saniwa.core.redaction import Redactor
from saniwa.experiment.plan import StandInFaults
from saniwa.experiment.stand_in.character import StandIn
from saniwa.models.canned_answers import CannedOracle, load_canned_file
from saniwa.models.fuzzing_oracle import FuzzingOracle
from saniwa.models.metering import MeteredOracle, PricedOracle, TimedOracle
from saniwa.models.oracle import Oracle, OracleAnswer, OracleMessage, OracleRequest, Usage
from saniwa.models.provider_oracle import ProviderOracle
from saniwa.models.recording import RecordingOracle, ReplayingOracle
from saniwa.models.redaction import RedactingOracle
from saniwa.models.retry import RetryingOracle
from saniwa.store.json_lines_file import JsonLinesFile
from tests.fakes.model_server import ModelServer

KEY = "sk-stub-0123456789abcdef"
"""The key that every stub provider receives."""
MODELS = {
    "openai": "gpt-4o-mini",
    "openai-compatible": "some-model",
    "ollama": "llama3",
    "anthropic": "claude-haiku-4-5",
    "google": "gemini-2.5-flash",
}
"""A model of each provider."""


def make_request(*said: str, **more: object) -> OracleRequest:
    """A request with these messages in turn; the last is the question."""
    messages = tuple(
        OracleMessage(role="assistant" if number % 2 else "user", text=text)
        for number, text in enumerate(said)
    )
    return OracleRequest(messages=messages, max_tokens=8, **more)  # type: ignore[arg-type]


def make_provider_oracle(name: str, server: ModelServer, key: str = KEY) -> ProviderOracle:
    """The oracle of a provider, connected to the stub server."""
    url = server.url if name in ("anthropic", "google") else f"{server.url}/v1"
    return ProviderOracle(name, MODELS[name], url=url, key=key)


class CountedPause:
    """Returns at once, and records how long it should have waited."""

    def __init__(self) -> None:
        self.slept: list[int] = []

    async def sleep(self, milliseconds: int) -> None:
        """Record the duration and return at once."""
        self.slept.append(milliseconds)


class FaultyOracle:
    """Raises the planned errors first, then echoes each request."""

    def __init__(self, *planned: SdkBridgeError, heard: str = "") -> None:
        """`heard` is streamed before each error, as in an answer that breaks off."""
        self.planned = list(planned)
        self.asked: list[OracleRequest] = []
        self.closed = 0
        self._heard = heard

    async def answer(
        self, request: OracleRequest, hear: Callable[[str], None] | None = None
    ) -> OracleAnswer:
        """Raise the next planned error, or echo."""
        self.asked.append(request)
        if self.planned:
            if hear is not None and self._heard:
                hear(self._heard)
            raise self.planned.pop(0)
        text = f"heard: {request.messages[-1].text}"
        if hear is not None:
            hear(text[:6])
            hear(text[6:])
        return OracleAnswer(text=text, model="faulty")

    async def close(self) -> None:
        """Count the call."""
        self.closed += 1


def make_connection_error() -> SdkConnectionError:
    """The error for a lost connection."""
    return SdkConnectionError("BRIDGE_CONNECTION", "it is gone", recoverable=True)


def make_rate_limit_error(wait: int = 0) -> SdkRateLimitError:
    """The error of a provider that asks the client to wait."""
    details = {"retry_after_ms": wait} if wait else {}
    return SdkRateLimitError("BRIDGE_RATE_LIMIT", "not so fast", recoverable=True, details=details)


def make_refusal_error() -> SdkBridgeError:
    """The error of a refused request, which a retry does not help."""
    return SdkBridgeError("BRIDGE_REFUSED", "no")


def _echo(asked: OracleRequest) -> str:
    return f"heard: {asked.messages[-1].text}"


class OracleParts(NamedTuple):
    """What oracles need to be opened."""

    folder: Path
    """A temporary folder of the test."""
    server: ModelServer
    """A stub server."""


def _open_replaying(shop: OracleParts) -> ReplayingOracle:
    """A recording that has the answer to each question of the suites four times."""
    path = shop.folder / "tape.jsonl"

    async def record() -> None:
        recording = RecordingOracle(CannedOracle(_echo), JsonLinesFile(path), Redactor())
        for asked in QUESTIONS * 4:
            await recording.answer(asked)
        await recording.close()

    # In a thread: the caller's loop is running.
    thread = threading.Thread(target=lambda: asyncio.run(record()))
    thread.start()
    thread.join()
    return ReplayingOracle(JsonLinesFile(path), Redactor())


def _open_canned(shop: OracleParts) -> CannedOracle:
    """Answers from a file, which repeat."""
    path = shop.folder / "answers.yaml"
    answers = "".join(f"- {{text: 'heard: {said}', when: {said}}}\n" for said in ("one", "two"))
    path.write_text(f"repeat: true\nanswers:\n{answers}", encoding="utf-8")
    return load_canned_file(path)


def _open_stacked(shop: OracleParts) -> Oracle:
    """A model as a user opens it: retried, metered and recorded."""
    return open_oracle(
        ModelSettings(use="some-model", url=f"{shop.server.url}/v1"),
        record=shop.folder / "whole.jsonl",
        limits=AgentLimits(max_calls=100),
        pause=CountedPause(),
        environment={},
    )


def _open_inspect_mock(_: OracleParts) -> Oracle:
    """A mock of inspect-ai's; imported here because it takes seconds that few tests need."""
    from inspect_ai.model import ModelOutput, get_model

    from saniwa.integrations.inspect_eval import InspectOracle, to_model_output

    def answer_messages(told: list[Any], *_: object) -> ModelOutput:
        cost = Usage(calls=1, input_tokens=3, output_tokens=2)
        words = f"heard: {told[-1].text}"
        return to_model_output(OracleAnswer(text=words, usage=cost, model="mock"))

    model = get_model("mockllm/model", memoize=False, custom_outputs=answer_messages)
    return InspectOracle(model)


QUESTIONS = [
    make_request("one"),
    make_request("two"),
    make_request("one", "heard: one", "two"),
    make_request("one", system="be brief"),
]
"""The questions of the contract suites; the recording has no others."""

ORACLES: dict[str, Callable[[OracleParts], Oracle]] = {
    "canned": lambda _: CannedOracle(_echo),
    "canned file": _open_canned,
    "fuzzing": lambda _: FuzzingOracle(7, faults=False),
    "fuzzing with faults": lambda _: RetryingOracle(FuzzingOracle(7), CountedPause()),
    "retrying": lambda _: RetryingOracle(FaultyOracle(make_connection_error()), CountedPause()),
    "recording": lambda shop: RecordingOracle(
        CannedOracle(_echo), JsonLinesFile(shop.folder / "recording.jsonl"), Redactor()
    ),
    "replaying": _open_replaying,
    "metered": lambda _: MeteredOracle(CannedOracle(_echo), AgentLimits(max_calls=100)),
    "priced": lambda _: PricedOracle(CannedOracle(_echo), lambda asked, said: asked + said),
    "discreet": lambda _: RedactingOracle(CannedOracle(_echo), Redactor([KEY])),
    "unblotted": lambda _: SecretFreeOracle(CannedOracle(_echo), Redactor([KEY])),
    "counted": lambda _: CountedOracle(CannedOracle(_echo)),
    "timed": lambda _: TimedOracle(CannedOracle(_echo), FixedClock()),
    "stand-in": lambda _: StandIn(StandInFaults()),
    "inspect-ai": _open_inspect_mock,
    "lent": lambda _: SharedOracle(CannedOracle(_echo)),
    "all in all": _open_stacked,
    **{
        name: lambda shop, name=name: make_provider_oracle(name, shop.server)  # type: ignore[misc]
        for name in MODELS
    },
}
"""How each oracle is opened, except the real model, which takes long."""


@asynccontextmanager
async def open_named_oracle(name: str, folder: Path) -> AsyncIterator[Oracle]:
    """An oracle, closed after the block."""
    with ModelServer() as server:
        oracle = ORACLES[name](OracleParts(folder, server))
        try:
            yield oracle
        finally:
            await oracle.close()
