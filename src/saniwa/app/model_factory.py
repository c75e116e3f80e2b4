"""Opens models by name: retried, metered, recorded or replayed, and shared at a table.

Keys come only from the environment, and a provider's key is sent only to that provider:
an address in a definition never receives a key that was meant for another.
"""

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol
from urllib.parse import urlsplit

import msgspec

from saniwa.agent.bridge import OracleBridge
from saniwa.agent.definition import AgentDefinition, AgentLimits, ModelSettings
from saniwa.app import describe
from saniwa.core.clock import Pause
from saniwa.core.errors import ConfigurationError
from saniwa.core.findings import Finding
from saniwa.core.path_checks import does_path_exist
from saniwa.core.redaction import Redactor, find_environment_secrets, redact_address
from saniwa.core.suggestions import suggest_nearest
from saniwa.core.text import quote_value
from saniwa.models.local_model import SMOLLM2
from saniwa.models.metering import MeteredOracle, PricedOracle, PriceFunction, UsageMeter
from saniwa.models.oracle import (
    AnswerHistory,
    Oracle,
    OracleAnswer,
    OracleRequest,
    TextListener,
    Usage,
)
from saniwa.models.providers import OPENAI_COMPATIBLE, PROVIDERS, ModelProvider, check_installed
from saniwa.models.recording import AgentJournal
from saniwa.models.redaction import RedactingOracle
from saniwa.models.retry import FIRST_DELAY_MS, RetryingOracle

if TYPE_CHECKING:
    from saniwa.models.recording import ReplayingOracle
    from saniwa.store.json_lines_file import JsonLinesFile


MODEL_KEY_VARIABLE = "SANIWA_MODEL_KEY"
"""The environment variable with the key for an address that an agent names."""


def check_address(url: str) -> str:
    """Return the address if it is valid and contains no secret; empty stays empty.

    Raises:
        ConfigurationError: `MODEL_UNKNOWN`; possible secrets are not shown.
    """
    if "@" in url:
        raise _make_address_error(
            "an address must not contain a user name or password", f"set {MODEL_KEY_VARIABLE}"
        )
    if "?" in url or "#" in url:
        raise _make_address_error(
            f"the address {quote_value(redact_address(url))} must end before its '?' or '#'",
            f"if it needs a key, set {MODEL_KEY_VARIABLE}",
        )
    if url and not _is_address(url):
        raise _make_address_error(
            f"{quote_value(redact_address(url))} is not the address of a model",
            "write http://… or https://…",
        )
    return url


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        # An invalid port raises only when it is read.
        host, _ = parts.hostname, parts.port
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(host)


def _make_address_error(message: str, hint: str) -> ConfigurationError:
    return ConfigurationError("MODEL_UNKNOWN", message, hint=hint)


MODEL_KINDS: Final = (*PROVIDERS, "canned", "replay", "fuzz", "local")
"""Allowed prefixes before the colon in a model's name."""
_FUZZ_PAUSE_MS: Final = 1


def open_recorded_oracle(
    path: Path, redaction: Redactor, past: AnswerHistory | None
) -> "ReplayingOracle":
    """Open the oracle that replays a recording; questions of `past` count as replayed.

    Raises:
        ConfigurationError: `MODEL_MISSING`.
        StoreError: The recording cannot be read.
    """
    from saniwa.models.recording import ReplayingOracle
    from saniwa.store.json_lines_file import JsonLinesFile

    if not does_path_exist(path):
        raise describe("MODEL_MISSING", path=str(path)).to_error(ConfigurationError)
    recording = ReplayingOracle(JsonLinesFile(path), redaction)
    # Without earlier questions this is a fresh start: recorded errors are replayed too.
    if past is not None and past.keys:
        recording.skip_given(past.keys)
    return recording


UnsentSettings = Callable[[], tuple[str, ...]]
"""Lists the settings of a request that are not sent to a model; sends nothing."""


def _list_all_unsent() -> tuple[str, ...]:
    """List the settings that written answers ignore."""
    return ("seed", "temperature")


class OpenedModel(NamedTuple):
    """An open model."""

    oracle: Oracle
    """The oracle that answers, once for each question."""
    price: PriceFunction = lambda *_: 0
    """Its price function; an answer without a provider costs nothing."""
    pause_ms: int | None = None
    """The first delay before a retry; None if a retry would not help."""
    unsent: UnsentSettings | None = None
    """Lists the settings of a request that are not sent; None if all are."""


class ModelName(NamedTuple):
    """A model's name, ready to be opened."""

    asking: ModelSettings
    """The name, with its address."""
    folder: str | Path | None
    """The agent's folder, in which its files must be; None allows any file."""
    known: Mapping[str, str]
    """The source of keys."""
    redaction: Redactor
    """Redacts secrets."""
    past: AnswerHistory | None
    """Earlier questions and answers, after which written answers continue."""

    @property
    def is_provided(self) -> bool:
        """Whether a provider's model answers, for which a library is needed."""
        kind = self.asking.use.partition(":")[0]
        return kind in PROVIDERS or (bool(self.asking.url) and kind not in MODEL_KINDS)

    def open(self, *, asked: bool = True) -> OpenedModel:
        """Open the model; if it is not asked, its library need not be installed.

        Raises:
            ConfigurationError: The name is unknown, or the model is not available.
        """
        kind, colon, name = self.asking.use.partition(":")
        if self.asking.url and kind not in MODEL_KINDS:
            kind, name = OPENAI_COMPATIBLE, self.asking.use or "default"
        elif kind not in MODEL_KINDS or not colon or not name:
            raise self._make_unknown_error(kind)
        if self.asking.url and not PROVIDERS.get(kind, ModelProvider()).takes_address:
            raise _make_model_error(f"{kind!r} takes no address", "use openai-compatible:NAME")
        if kind in PROVIDERS:
            return self._open_provider(kind, name, asked=asked)
        match kind:
            case "local":
                return _open_local(name)
            case "fuzz":
                return self._open_fuzz(name)
            case "canned":
                from saniwa.models.canned_answers import load_canned_file

                answers = load_canned_file(self._resolve_file(name))
                if self.past is not None:
                    answers.skip_given(self.past.texts)
                return OpenedModel(answers, unsent=_list_all_unsent)
            case _:
                recording = open_recorded_oracle(
                    self._resolve_file(name), self.redaction, self.past
                )
                return OpenedModel(recording)

    def _open_provider(self, kind: str, name: str, *, asked: bool) -> OpenedModel:
        from saniwa.models.provider_oracle import ProviderOracle

        url = check_address(self.asking.url)
        if url and kind == "openai":
            kind = OPENAI_COMPATIBLE
        if PROVIDERS[kind].needs_address and not url:
            raise _make_model_error("an OpenAI-compatible server needs its address in 'url'")
        key, known = self._find_key(kind), self.redaction
        if asked:
            check_installed()
        oracle = ProviderOracle(kind, name, url=url, key=key, redaction=known)
        return OpenedModel(oracle, oracle.price, FIRST_DELAY_MS, oracle.find_unsent_settings)

    def _find_key(self, kind: str) -> str:
        names = PROVIDERS[kind].key_variables
        if not names:
            return self.known.get(MODEL_KEY_VARIABLE, "")
        found = next((self.known[n] for n in names if self.known.get(n)), "")
        if not found:
            raise describe("MODEL_KEY_MISSING", use=self.asking.use, names=names[0]).to_error(
                ConfigurationError
            )
        return found

    def _open_fuzz(self, name: str) -> OpenedModel:
        from saniwa.models.fuzzing_oracle import FuzzingOracle

        if not (name.isascii() and name.isdecimal() and len(name) < 20):
            raise _make_model_error(f"{quote_value(name)} is not a seed; write a whole number")
        fuzzing = FuzzingOracle(int(name))
        return OpenedModel(fuzzing, pause_ms=_FUZZ_PAUSE_MS, unsent=_list_all_unsent)

    def _resolve_file(self, name: str) -> Path:
        """Return the file that an agent names; inside the agent's folder, if any."""
        if self.folder is None:
            return Path(name)
        inside = Path(self.folder) / name
        if not inside.resolve().is_relative_to(Path(self.folder).resolve()):
            raise _make_model_error(f"{quote_value(name)} is outside the agent's folder")
        return inside

    def _make_unknown_error(self, kind: str) -> ConfigurationError:
        use = self.asking.use
        if not use:
            return make_unnamed_error()
        if kind in MODEL_KINDS:
            return _make_model_error(f"{quote_value(use)} has no model name after {kind!r}")
        if use == SMOLLM2 or suggest_nearest(use, [SMOLLM2]):
            hint = f"did you mean 'local:{SMOLLM2}'?"
        else:
            hint = suggest_nearest(kind, MODEL_KINDS)
        return _make_model_error(f"there is no provider for {quote_value(use)}", hint)


def make_unnamed_error(whose: str = "") -> ConfigurationError:
    """Return the error for a missing model name; `whose` says for whom."""
    said = describe("MODEL_UNNAMED", whose=f" {whose}" if whose else "")
    return said.to_error(ConfigurationError)


def _open_local(name: str) -> OpenedModel:
    from saniwa.models.local_model import LocalOracle, find_weights

    weights = find_weights(name)
    oracle = LocalOracle(weights, name=name if name == SMOLLM2 else weights.stem)
    return OpenedModel(oracle, oracle.price)


def _make_model_error(message: str, hint: str = "") -> ConfigurationError:
    known = "write one of: " + ", ".join(f"{kind}:…" for kind in sorted(MODEL_KINDS))
    return ConfigurationError("MODEL_UNKNOWN", message, hint=hint or known)


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
        raise describe("MODEL_UNKNOWN").to_error(ConfigurationError)
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
    from saniwa.store.json_lines_file import JsonLinesFile

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
        self.repairs: tuple[Finding, ...] = tuple(mended)
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
            ConfigurationError: `MODEL_UNNAMED` if no model is given, or it is not
                available.
        """
        asking = agent.asking if agent is not None else ModelSettings(history=0)
        chosen = bool(self._use or self._url)
        if chosen:
            asking = msgspec.structs.replace(asking, use=self._use, url=self._url)
        if not asking.use and not asking.url:
            raise make_unnamed_error(
                "to interpret or narrate" if agent is None else f"for the agent {agent.name!r}"
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
