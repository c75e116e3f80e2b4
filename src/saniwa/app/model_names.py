"""Opens the oracle for a model's name, and finds its API key.

Keys come only from the environment, and a provider's key is sent only to that provider:
an address in a definition never receives a key that was meant for another.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import urlsplit

from saniwa.agent.definition import ModelSettings
from saniwa.core.errors import ConfigurationError
from saniwa.core.path_checks import does_path_exist
from saniwa.core.redaction import Redactor, redact_address
from saniwa.core.suggestions import suggest_nearest
from saniwa.core.text import quote_value
from saniwa.models.local import SMOLLM2
from saniwa.models.metering import PriceFunction
from saniwa.models.oracle import AnswerHistory, Oracle
from saniwa.models.providers.pydantic_ai_models import OPENAI_COMPATIBLE, PROVIDERS, ModelProvider
from saniwa.models.retry import FIRST_DELAY_MS

if TYPE_CHECKING:
    from saniwa.models.recording import ReplayingOracle


MODEL_KEY_VARIABLE = "SANIWA_MODEL_KEY"
"""The environment variable with the key for an address that an agent names."""


def check_address(url: str) -> str:
    """Return the address if it is valid and contains no secret; empty stays empty.

    Raises:
        ConfigurationError: `MODEL_UNKNOWN`; possible secrets are not shown.
    """
    if "@" in url:
        raise _make_address_error(
            "an address must not hold a name or a password", f"set {MODEL_KEY_VARIABLE}"
        )
    if "?" in url or "#" in url:
        raise _make_address_error(
            f"the address {quote_value(redact_address(url))} must end before its '?' or '#'",
            f"if it needs a key, set {MODEL_KEY_VARIABLE}",
        )
    if url and not _is_address(url):
        raise _make_address_error(
            f"{quote_value(redact_address(url))} is no address of a model",
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
    from saniwa.store.json_lines import JsonLinesFile

    if not does_path_exist(path):
        raise ConfigurationError(
            "MODEL_MISSING",
            f"there is no recording {quote_value(str(path))}",
            hint="look at its name, or record it first",
        )
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

    def open(self) -> OpenedModel:
        """Open the model.

        Raises:
            ConfigurationError: The name is unknown, or the model is not available.
        """
        kind, colon, name = self.asking.use.partition(":")
        if self.asking.url and kind not in MODEL_KINDS:
            kind, name = OPENAI_COMPATIBLE, self.asking.use or "default"
        elif kind not in MODEL_KINDS or not colon or not name:
            raise self._make_unknown_error(kind)
        if self.asking.url and not PROVIDERS.get(kind, ModelProvider()).takes_address:
            raise _make_model_error(f"{quote_value(self.asking.use)} takes no address")
        if kind in PROVIDERS:
            return self._open_provider(kind, name)
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

    def _open_provider(self, kind: str, name: str) -> OpenedModel:
        from saniwa.models.providers.oracle import ProviderOracle

        url = check_address(self.asking.url)
        if url and kind == "openai":
            kind = OPENAI_COMPATIBLE
        if PROVIDERS[kind].needs_address and not url:
            raise _make_model_error("an OpenAI-compatible server needs its address in 'url'")
        key, known = self._find_key(kind), self.redaction
        oracle = ProviderOracle(kind, name, url=url, key=key, redaction=known)
        return OpenedModel(oracle, oracle.price, FIRST_DELAY_MS, oracle.find_unsent_settings)

    def _find_key(self, kind: str) -> str:
        names = PROVIDERS[kind].key_variables
        if not names:
            return self.known.get(MODEL_KEY_VARIABLE, "")
        found = next((self.known[n] for n in names if self.known.get(n)), "")
        if not found:
            raise ConfigurationError(
                "MODEL_KEY_MISSING",
                f"{quote_value(self.asking.use)} needs a key, and {names[0]} is not set",
                hint=f"set {names[0]} in the environment",
            )
        return found

    def _open_fuzz(self, name: str) -> OpenedModel:
        from saniwa.models.fuzzing import FuzzingOracle

        if not (name.isascii() and name.isdecimal() and len(name) < 20):
            raise _make_model_error(f"{quote_value(name)} is no seed: a whole number")
        fuzzing = FuzzingOracle(int(name))
        return OpenedModel(fuzzing, pause_ms=_FUZZ_PAUSE_MS, unsent=_list_all_unsent)

    def _resolve_file(self, name: str) -> Path:
        """Return the file that an agent names; inside the agent's folder, if any."""
        if self.folder is None:
            return Path(name)
        inside = Path(self.folder) / name
        if not inside.resolve().is_relative_to(Path(self.folder).resolve()):
            raise _make_model_error(f"{quote_value(name)} lies outside of the agent's folder")
        return inside

    def _make_unknown_error(self, kind: str) -> ConfigurationError:
        use = self.asking.use
        if not use:
            return make_unnamed_error()
        if kind in MODEL_KINDS:
            return _make_model_error(f"{quote_value(use)} names no model after {kind!r}")
        if use == SMOLLM2 or suggest_nearest(use, [SMOLLM2]):
            hint = f"did you mean 'local:{SMOLLM2}'?"
        else:
            hint = suggest_nearest(kind, MODEL_KINDS)
        return _make_model_error(f"nothing is known that answers for {quote_value(use)}", hint)


def make_unnamed_error(whose: str = "") -> ConfigurationError:
    """Return the error for a missing model name; `whose` says for whom."""
    return ConfigurationError(
        "MODEL_UNNAMED",
        " ".join(["no model is named", whose]).rstrip(),
        hint="name one with --model, such as openai:NAME, ollama:NAME, local:smollm2 or "
        "canned:FILE, or a server with --model-url; or write model.use into agent.json; "
        "or play a recording with --replay",
    )


def _open_local(name: str) -> OpenedModel:
    from saniwa.models.local import LocalOracle, find_weights

    weights = find_weights(name)
    oracle = LocalOracle(weights, name=name if name == SMOLLM2 else weights.stem)
    return OpenedModel(oracle, oracle.price)


def _make_model_error(message: str, hint: str = "") -> ConfigurationError:
    known = "write one of: " + ", ".join(f"{kind}:…" for kind in sorted(MODEL_KINDS))
    return ConfigurationError("MODEL_UNKNOWN", message, hint=hint or known)
