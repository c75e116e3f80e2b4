"""Models that everybody at a table shares: opened once each, counted and closed together."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from saniwa.agent.bridge import OracleBridge
from saniwa.agent.definition import AgentDefinition, AgentLimits, ModelSettings
from saniwa.app.model_names import ModelName, make_unnamed_error, open_recorded_oracle
from saniwa.core.errors import ConfigurationError
from saniwa.core.findings import Finding
from saniwa.core.redaction import Redactor, find_environment_secrets
from saniwa.models.metering import (
    MeteredOracle,
    PricedOracle,
    PriceFunction,
    UsageMeter,
)
from saniwa.models.oracle import (
    AnswerHistory,
    Oracle,
    OracleAnswer,
    OracleRequest,
    TextListener,
    Usage,
)
from saniwa.models.ports import AgentJournal, Pause
from saniwa.models.redaction import RedactingOracle
from saniwa.models.retry import RetryingOracle

if TYPE_CHECKING:
    from saniwa.models.recording import ReplayingOracle
    from saniwa.store.json_lines import JsonLinesFile


class SystemPause:
    """Waits in real time."""

    async def sleep(self, milliseconds: int) -> None:
        """Come back after that long."""
        import asyncio

        await asyncio.sleep(milliseconds / 1000)


def open_bridge(asking: ModelSettings, **more: Any) -> OracleBridge:
    """The bridge to a model; everything else as for `open_oracle`."""
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
    """The oracle that answers for a model: tried again, counted and kept, as asked.

    No secret of the environment is in what it says.
    Nothing is loaded and nobody is reached before the first question.

    Args:
        asking: The model.
        record: A tape on which everything is kept; goes on with one that is there.
            Models that share it are given it open: `open_recording`.
        replay: A tape to answer from, instead of any model; costs nothing. Models that
            share it are given it open: `open_replay`.
        limits: Where to stop; a meter where several models share what may be spent.
        pause: Waits between attempts.
        seed: Where the chance of those pauses starts.
        folder: The agent's folder, which the files it names lie in; else any file.
        environment: Where keys and secrets are found; else the program's own.
        past: What was asked and answered before; written and recorded answers go on
            after it.
        price: What tokens cost, if not what the library of models says.

    Raises:
        ConfigurationError: `MODEL_UNNAMED`, `MODEL_UNKNOWN`, `MODEL_KEY_MISSING`,
            `MODEL_MISSING`, `EXTRA_MISSING`, `CANNED_UNFIT`.
        StoreError: A tape cannot be read.
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
    oracle: Oracle = RedactingOracle(opened.oracle, redaction)
    if price is not None:
        oracle = PricedOracle(oracle, price)
    if limits is not None:
        oracle = MeteredOracle(oracle, limits, price=price or opened.price)
    if opened.pause_ms is not None:
        waits = pause or SystemPause()
        oracle = RetryingOracle(oracle, waits, seed=seed, start_ms=opened.pause_ms)
    if record is not None:
        from saniwa.models.recording import RecordingOracle

        tape = open_recording(record) if isinstance(record, str | Path) else record
        oracle = RecordingOracle(oracle, tape, redaction)
    return oracle


def open_recording(path: str | Path) -> "JsonLinesFile":
    """A tape to record on; one program may write it at a time, for all its models.

    It is open at once: `mended` says what an earlier crash had left unfinished.

    Raises:
        StoreError: `STORE_BUSY`, `TRACE_UNWRITABLE`.
    """
    from saniwa.store.json_lines import JsonLinesFile

    tape = JsonLinesFile(path)
    tape.open()
    return tape


def open_replay(
    path: str | Path, past: AnswerHistory | None = None
) -> "ReplayingOracle":
    """A tape to answer from, for all models of a run: they were recorded in one order.

    What is past is counted as answered.

    Raises:
        ConfigurationError: `MODEL_MISSING`.
        StoreError: The tape cannot be read.
    """
    return open_recorded_oracle(
        Path(path), Redactor(find_environment_secrets(os.environ)), past
    )


class OracleOpener(Protocol):
    """Opens the oracle that an asking names."""

    def __call__(
        self, asking: ModelSettings, meter: UsageMeter, folder: str | None
    ) -> Oracle:
        """The oracle, counted by the meter; files it names lie in the folder."""
        ...


class SharedModels:
    """The models of one table.

    What the user names goes before what an agent's definition names.
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
        """Models that `opened` opens; the meter counts for all of them together."""
        self.repairs = tuple(mended)
        """What a crash had left unfinished of the tape, and was cut off: warnings."""
        self._open = opened
        self._use, self._url = use, url
        self._meter = meter or UsageMeter(AgentLimits())
        self._oracles = dict[tuple[object, ...], CountedOracle]()

    @property
    def usage(self) -> Usage:
        """What all of them have cost at this table."""
        return sum_usage(oracle.usage for oracle in self._oracles.values())

    def open_bridge(self, agent: AgentDefinition | None = None) -> OracleBridge:
        """A way to the model an agent asks, or to the user's; it stays within both limits.

        Closing the way leaves the model open for the others.

        Raises:
            ConfigurationError: `MODEL_UNNAMED` where nobody names one, or it cannot be
                had.
        """
        asking = agent.asking if agent is not None else ModelSettings(history=0)
        chosen = bool(self._use or self._url)
        if chosen:
            asking = msgspec.structs.replace(asking, use=self._use, url=self._url)
        if not asking.use and not asking.url:
            raise make_unnamed_error(
                "to listen or to tell"
                if agent is None
                else f"for the agent {agent.name!r}"
            )
        folder = agent.folder if agent is not None and not chosen else None
        own = agent.limits if agent is not None else AgentLimits()
        return OracleBridge(
            SharedOracle(self._open_counted(asking, folder, own)),
            history=asking.history,
        )

    async def close(self) -> None:
        """Let all of them go; more than once is no mistake."""
        for oracle in self._oracles.values():
            await oracle.close()

    def _open_counted(
        self, asking: ModelSettings, folder: str | None, own: AgentLimits
    ) -> Oracle:
        ceilings = (own.max_calls, own.max_tokens, own.max_cost)
        key = (asking.use, asking.url, folder, ceilings)
        if key not in self._oracles:
            alone = all(ceiling is None for ceiling in ceilings)
            meter = self._meter if alone else UsageMeter(own, within=self._meter)
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
    """The models of a table: live, kept on one tape, or answered from one.

    `spent` is what the run had cost before, `past` what was asked and answered in it:
    written and recorded answers go on after that.

    Raises:
        ConfigurationError: The recording is not there.
        StoreError: A tape cannot be read, or cannot be written.
    """
    if replay is not None:
        tape = open_replay(replay, past=past)
        return SharedModels(lambda *_: tape, use=f"replay:{replay}")
    kept = open_recording(record) if record is not None else None

    def opened(asking: ModelSettings, meter: UsageMeter, folder: str | None) -> Oracle:
        return open_oracle(asking, limits=meter, folder=folder, record=kept, past=past)

    meter = UsageMeter(limits or AgentLimits(), spent)
    mended = tuple(kept.repairs) if kept is not None else ()
    return SharedModels(opened, use=model, url=url, meter=meter, mended=mended)


def sum_usage(costs: Iterable[Usage]) -> Usage:
    """What several have cost together."""
    return sum(costs, Usage())


class CountedOracle:
    """An oracle, and what it has cost."""

    def __init__(self, oracle: Oracle) -> None:
        self._oracle = oracle
        self.usage = Usage()
        """What its answers have cost so far."""

    async def answer(
        self, request: OracleRequest, hear: TextListener | None = None
    ) -> OracleAnswer:
        """The oracle's answer, counted.

        Raises:
            SdkBridgeError: What the oracle says.
        """
        answer = await self._oracle.answer(request, hear)
        self.usage += answer.usage
        return answer

    async def close(self) -> None:
        """Let go of the oracle; more than once is no mistake."""
        await self._oracle.close()


class SharedOracle:
    """An oracle that somebody else will close."""

    def __init__(self, oracle: Oracle) -> None:
        self._oracle = oracle

    async def answer(
        self, request: OracleRequest, hear: TextListener | None = None
    ) -> OracleAnswer:
        """The oracle's answer.

        Raises:
            SdkBridgeError: What the oracle says.
        """
        return await self._oracle.answer(request, hear)

    async def close(self) -> None:
        """It stays open for the others."""
