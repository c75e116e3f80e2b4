"""Every oracle we ship, ready for a contract test; and the small parts they need."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

from saniwa.agent.definition import AgentLimits, ModelSettings
from saniwa.app.experiments.models import SecretFreeOracle
from saniwa.app.models import CountedOracle, SharedOracle, open_oracle
from saniwa.core.clock import FixedClock
from saniwa.core.errors import SdkBridgeError, SdkConnectionError, SdkRateLimitError
from saniwa.core.redaction import Redactor
from saniwa.experiment.plan import StandInFaults
from saniwa.experiment.stand_in.oracle import StandIn
from saniwa.models.canned_answers import CannedOracle, load_canned_file
from saniwa.models.fuzzing import FuzzingOracle
from saniwa.models.metering import MeteredOracle, PricedOracle, TimedOracle
from saniwa.models.oracle import Oracle, OracleAnswer, OracleMessage, OracleRequest, Usage
from saniwa.models.providers.oracle import ProviderOracle
from saniwa.models.recording import RecordingOracle, ReplayingOracle
from saniwa.models.redaction import RedactingOracle
from saniwa.models.retry import RetryingOracle
from saniwa.store.json_lines import JsonLinesFile
from tests.fakes.model_server import ModelServer

KEY = "sk-stub-0123456789abcdef"
"""The key every stub provider is asked with."""
MODELS = {
    "openai": "gpt-4o-mini",
    "openai-compatible": "some-model",
    "ollama": "llama3",
    "anthropic": "claude-haiku-4-5",
    "google": "gemini-2.5-flash",
}
"""A model of each provider."""


def request(*said: str, **more: object) -> OracleRequest:
    """A request whose messages were said in turn; the last is the question."""
    messages = tuple(
        OracleMessage(role="assistant" if number % 2 else "user", text=text)
        for number, text in enumerate(said)
    )
    return OracleRequest(messages=messages, max_tokens=8, **more)  # type: ignore[arg-type]


def provider(name: str, server: ModelServer, key: str = KEY) -> ProviderOracle:
    """The oracle of a provider that is really the stub server."""
    url = server.url if name in ("anthropic", "google") else f"{server.url}/v1"
    return ProviderOracle(name, MODELS[name], url=url, key=key)


class CountedPause:
    """Waits for nothing, and keeps how long it should have waited."""

    def __init__(self) -> None:
        self.slept: list[int] = []

    async def sleep(self, milliseconds: int) -> None:
        """Come back at once."""
        self.slept.append(milliseconds)


class Faulty:
    """Meets requests with what was planned: errors first, then an echo."""

    def __init__(self, *planned: SdkBridgeError, heard: str = "") -> None:
        """`heard` is told before each error: an answer that breaks off."""
        self.planned = list(planned)
        self.asked: list[OracleRequest] = []
        self.closed = 0
        self._heard = heard

    async def answer(
        self, request: OracleRequest, hear: Callable[[str], None] | None = None
    ) -> OracleAnswer:
        """The next planned error, else an echo."""
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
        """Count it."""
        self.closed += 1


def unreachable() -> SdkConnectionError:
    """The error for a lost connection."""
    return SdkConnectionError("BRIDGE_CONNECTION", "it is gone", recoverable=True)


def impatient(wait: int = 0) -> SdkRateLimitError:
    """The error of a provider that asks for patience."""
    details = {"retry_after_ms": wait} if wait else {}
    return SdkRateLimitError("BRIDGE_RATE_LIMIT", "not so fast", recoverable=True, details=details)


def refused() -> SdkBridgeError:
    """The error that asking again does not mend."""
    return SdkBridgeError("BRIDGE_REFUSED", "no")


def _echo(asked: OracleRequest) -> str:
    return f"heard: {asked.messages[-1].text}"


class Shop(NamedTuple):
    """Where oracles find what they need."""

    folder: Path
    """A folder of the test's own."""
    server: ModelServer
    """A stub server."""


def _taped(shop: Shop) -> ReplayingOracle:
    """A tape on which each question of the suites was answered four times."""
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


def _written(shop: Shop) -> CannedOracle:
    """Answers from a file, for as long as anybody asks."""
    path = shop.folder / "answers.yaml"
    answers = "".join(f"- {{text: 'heard: {said}', when: {said}}}\n" for said in ("one", "two"))
    path.write_text(f"repeat: true\nanswers:\n{answers}", encoding="utf-8")
    return load_canned_file(path)


def _stacked(shop: Shop) -> Oracle:
    """A model as a user opens it: tried again, counted and kept."""
    return open_oracle(
        ModelSettings(use="some-model", url=f"{shop.server.url}/v1"),
        record=shop.folder / "whole.jsonl",
        limits=AgentLimits(max_calls=100),
        pause=CountedPause(),
        environment={},
    )


def _inspected(_: Shop) -> Oracle:
    """A mock of inspect-ai's. Loaded here, for it takes seconds that few tests need."""
    from inspect_ai.model import ModelOutput, get_model

    from saniwa.integrations.inspect_eval import InspectOracle, to_model_output

    def said(told: list[Any], *_: object) -> ModelOutput:
        cost = Usage(calls=1, input_tokens=3, output_tokens=2)
        words = f"heard: {told[-1].text}"
        return to_model_output(OracleAnswer(text=words, usage=cost, model="mock"))

    model = get_model("mockllm/model", memoize=False, custom_outputs=said)
    return InspectOracle(model)


QUESTIONS = [
    request("one"),
    request("two"),
    request("one", "heard: one", "two"),
    request("one", system="be brief"),
]
"""What the contract suites ask; a tape knows nothing else."""

ORACLES: dict[str, Callable[[Shop], Oracle]] = {
    "canned": lambda _: CannedOracle(_echo),
    "canned file": _written,
    "fuzzing": lambda _: FuzzingOracle(7, faults=False),
    "fuzzing with faults": lambda _: RetryingOracle(FuzzingOracle(7), CountedPause()),
    "retrying": lambda _: RetryingOracle(Faulty(unreachable()), CountedPause()),
    "recording": lambda shop: RecordingOracle(
        CannedOracle(_echo), JsonLinesFile(shop.folder / "recording.jsonl"), Redactor()
    ),
    "replaying": _taped,
    "metered": lambda _: MeteredOracle(CannedOracle(_echo), AgentLimits(max_calls=100)),
    "priced": lambda _: PricedOracle(CannedOracle(_echo), lambda asked, said: asked + said),
    "discreet": lambda _: RedactingOracle(CannedOracle(_echo), Redactor([KEY])),
    "unblotted": lambda _: SecretFreeOracle(CannedOracle(_echo), Redactor([KEY])),
    "counted": lambda _: CountedOracle(CannedOracle(_echo)),
    "timed": lambda _: TimedOracle(CannedOracle(_echo), FixedClock()),
    "stand-in": lambda _: StandIn(StandInFaults()),
    "inspect-ai": _inspected,
    "lent": lambda _: SharedOracle(CannedOracle(_echo)),
    "all in all": _stacked,
    **{
        name: lambda shop, name=name: provider(name, shop.server)  # type: ignore[misc]
        for name in MODELS
    },
}
"""How each oracle is opened; the real model aside, which takes its time."""


@asynccontextmanager
async def opened(name: str, folder: Path) -> AsyncIterator[Oracle]:
    """An oracle, closed afterwards."""
    with ModelServer() as server:
        oracle = ORACLES[name](Shop(folder, server))
        try:
            yield oracle
        finally:
            await oracle.close()
