"""Opens models: retried, metered, recorded or replayed, and shared at a table."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from saniwa.agent.bridge import OracleBridge
from saniwa.agent.definition import AgentDefinition, AgentLimits, ModelSettings
from saniwa.app.model_names import ModelName, make_unnamed_error, open_recorded_oracle
from saniwa.core.clock import Pause
from saniwa.core.errors import ConfigurationError
from saniwa.core.findings import Finding
from saniwa.core.redaction import Redactor, find_environment_secrets
from saniwa.models.metering import MeteredOracle, PricedOracle, PriceFunction, UsageMeter
from saniwa.models.oracle import (
    AnswerHistory,
    Oracle,
    OracleAnswer,
    OracleRequest,
    TextListener,
    Usage,
)
from saniwa.models.recording import AgentJournal
from saniwa.models.redaction import RedactingOracle
from saniwa.models.retry import RetryingOracle

if TYPE_CHECKING:
    from saniwa.models.recording import ReplayingOracle
    from saniwa.store.json_lines import JsonLinesFile


class SystemPause:
    """Waits in real time."""

    async def sleep(self, milliseconds: int) -> None:
        """Wait for so many milliseconds."""
        import asyncio

        await asyncio.sleep(milliseconds / 1000)


def open_bridge(asking: ModelSettings, **more: Any) -> OracleBridge:
    """Open the bridge to a model; the other arguments are those of `open_oracle`."""
    return OracleBridge(open_oracle(asking, **more), history=asking.history)


def open_oracle(
    asking: ModelSettings,
    *,
    record: str | Path | AgentJournal | None = None,
    replay: "str | Path | ReplayingOracle | None" = None,
    limits: AgentLimits | UsageMeter | None = None,
    pause: Pause | None = None,
    seed: int = 0,
    folder: str | Path | None = None,
    environment: Mapping[str, str] | None = None,
    past: AnswerHistory | None = None,
    price: PriceFunction | None = None,
) -> Oracle:
    """Open the oracle for a model, with retries, metering and recording as requested.

    Secrets of the environment are redacted from its answers. Nothing is loaded, and no
    connection is made, before the first question.

    Args:
        asking: The model.
        record: A recording to write; an existing one is continued. Models that share it
            get it open: `open_recording`.
        replay: A recording to answer from, instead of any model; costs nothing. Models
            that share it get it open: `open_replay`.
        limits: Where to stop; a meter if several models share one budget.
        pause: Waits between attempts.
        seed: The seed of the random part of those waits.
        folder: The agent's folder, in which its files must be; None allows any file.
        environment: The source of keys and secrets; None for the program's own.
        past: Earlier questions and answers; written and recorded answers continue after
            them.
        price: The price of tokens, if not that of the model library.

    Raises:
        ConfigurationError: `MODEL_UNNAMED`, `MODEL_UNKNOWN`, `MODEL_KEY_MISSING`,
            `MODEL_MISSING`, `EXTRA_MISSING`, `CANNED_UNFIT`.
        StoreError: A recording cannot be read.
    """
    if record is not None and replay is not None:
        raise ConfigurationError(
            "MODEL_UNKNOWN",
            "a recording was to answer and to be made at once",
            hint="name one of the two: record or replay",
        )
    known = os.environ if environment is None else environment
    redaction = Redactor(find_environment_secrets(known))
    if isinstance(replay, str | Path):
        return open_recorded_oracle(Path(replay), redaction, past)
    if replay is not None:
        return replay
    opened = ModelName(asking, folder, known, redaction, past).open()
    oracle: Oracle = opened.oracle
    if asking.tool_calls == "text" or asking.use.startswith("local:"):
        from saniwa.agent.bridge import TextToolOracle

        oracle = TextToolOracle(oracle)
    oracle = RedactingOracle(oracle, redaction)
    if price is not None:
        oracle = PricedOracle(oracle, price)
    if limits is not None:
        oracle = MeteredOracle(oracle, limits, price=price or opened.price)
    if opened.pause_ms is not None:
        waits = pause or SystemPause()
        oracle = RetryingOracle(oracle, waits, seed=seed, start_ms=opened.pause_ms)
    if record is not None:
        from saniwa.models.recording import RecordingOracle

        recording = open_recording(record) if isinstance(record, str | Path) else record
        oracle = RecordingOracle(oracle, recording, redaction)
    return oracle


def open_recording(path: str | Path) -> "JsonLinesFile":
    """Open a recording for writing; one program writes it at a time, for all models.

    It is opened at once: `repairs` lists what an earlier crash left incomplete.

    Raises:
        StoreError: `STORE_BUSY`, `TRACE_UNWRITABLE`.
    """
    from saniwa.store.json_lines import JsonLinesFile

    recording = JsonLinesFile(path)
    recording.open()
    return recording


def open_replay(path: str | Path, past: AnswerHistory | None = None) -> "ReplayingOracle":
    """Open a recording to answer from, shared by all models of a run.

    They share it because their answers were recorded in one order. Questions of `past`
    count as answered.

    Raises:
        ConfigurationError: `MODEL_MISSING`.
        StoreError: The recording cannot be read.
    """
    return open_recorded_oracle(Path(path), Redactor(find_environment_secrets(os.environ)), past)


class OracleOpener(Protocol):
    """Opens the oracle that model settings name."""

    def __call__(self, asking: ModelSettings, meter: UsageMeter, folder: str | None) -> Oracle:
        """Return the oracle, counted by the meter; its files are in the folder."""


class SharedModels:
    """The models of one table, opened once each, and counted and closed together.

    A model that the user names takes precedence over one in an agent's definition.
    """

    def __init__(
        self,
        opened: OracleOpener,
        *,
        use: str = "",
        url: str = "",
        meter: UsageMeter | None = None,
        mended: Iterable[Finding] = (),
    ) -> None:
        """Use models that `opened` opens; the meter counts for all of them together."""
        self.repairs = tuple(mended)
        """Warnings about incomplete entries that a crash left in the recording."""
        self._open = opened
        self._use, self._url = use, url
        self._meter = meter or UsageMeter(AgentLimits())
        self._oracles = dict[tuple[object, ...], CountedOracle]()

    @property
    def usage(self) -> Usage:
        """What all of them have cost at this table."""
        return sum((oracle.usage for oracle in self._oracles.values()), Usage())

    def open_bridge(self, agent: AgentDefinition | None = None) -> OracleBridge:
        """Return a bridge to an agent's model, or to the user's, within both limits.

        Closing the bridge leaves the model open for the others.

        Raises:
            ConfigurationError: `MODEL_UNNAMED` if no model is named, or it is not
                available.
        """
        asking = agent.asking if agent is not None else ModelSettings(history=0)
        chosen = bool(self._use or self._url)
        if chosen:
            asking = msgspec.structs.replace(asking, use=self._use, url=self._url)
        if not asking.use and not asking.url:
            raise make_unnamed_error(
                "to listen or to tell" if agent is None else f"for the agent {agent.name!r}"
            )
        folder = agent.folder if agent is not None and not chosen else None
        own = agent.limits if agent is not None else AgentLimits()
        return OracleBridge(
            SharedOracle(self._open_counted(asking, folder, own)), history=asking.history
        )

    async def close(self) -> None:
        """Close all models; calling it again is safe."""
        for oracle in self._oracles.values():
            await oracle.close()

    def _open_counted(self, asking: ModelSettings, folder: str | None, own: AgentLimits) -> Oracle:
        ceilings = (own.max_calls, own.max_tokens, own.max_cost)
        key = (asking.use, asking.url, folder, ceilings)
        if key not in self._oracles:
            unlimited = all(ceiling is None for ceiling in ceilings)
            meter = self._meter if unlimited else UsageMeter(own, within=self._meter)
            self._oracles[key] = CountedOracle(self._open(asking, meter, folder))
        return self._oracles[key]


def open_table_models(
    *,
    model: str = "",
    url: str = "",
    record: str | None = None,
    replay: str | None = None,
    limits: AgentLimits | None = None,
    spent: Usage | None = None,
    past: AnswerHistory | None = None,
) -> SharedModels:
    """Open the models of a table: live, recorded, or replayed from a recording.

    `spent` is what the run had cost before, and `past` are its earlier questions and
    answers: written and recorded answers continue after them.

    Raises:
        ConfigurationError: The recording does not exist.
        StoreError: A recording cannot be read or written.
    """
    if replay is not None:
        replayed = open_replay(replay, past=past)
        return SharedModels(lambda *_: replayed, use=f"replay:{replay}")
    recording = open_recording(record) if record is not None else None

    def open_model(asking: ModelSettings, meter: UsageMeter, folder: str | None) -> Oracle:
        return open_oracle(asking, limits=meter, folder=folder, record=recording, past=past)

    meter = UsageMeter(limits or AgentLimits(), spent)
    mended = tuple(recording.repairs) if recording is not None else ()
    return SharedModels(open_model, use=model, url=url, meter=meter, mended=mended)


class CountedOracle:
    """An oracle that counts what it has cost."""

    def __init__(self, oracle: Oracle) -> None:
        self._oracle = oracle
        self.usage = Usage()
        """What its answers have cost so far."""

    async def answer(
        self, request: OracleRequest, hear: TextListener | None = None
    ) -> OracleAnswer:
        """Return the oracle's answer, and count its cost.

        Raises:
            SdkBridgeError: The oracle failed.
        """
        answer = await self._oracle.answer(request, hear)
        self.usage += answer.usage
        return answer

    async def close(self) -> None:
        """Close the oracle; calling it again is safe."""
        await self._oracle.close()


class SharedOracle(CountedOracle):
    """An oracle that is shared: closing it here leaves it open."""

    async def close(self) -> None:
        """Do nothing: the oracle stays open for the others."""
