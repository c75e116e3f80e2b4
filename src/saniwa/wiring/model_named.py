"""Which oracle a model's name means, and whose key it gets.

Keys come from the environment alone, and a provider's key goes to that provider alone: an
address in a definition never gets one that was meant for somebody else.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from saniwa.agent.bridges.metered import Price
from saniwa.agent.bridges.past import Past
from saniwa.agent.bridges.provider.table import COMPATIBLE, PROVIDERS, Provider
from saniwa.agent.bridges.retrying import START_MS
from saniwa.agent.bridges.weights import SMOLLM2
from saniwa.agent.definition import Asking
from saniwa.agent.oracle import Oracle
from saniwa.core.errors import ConfigurationError
from saniwa.core.near import did_you_mean
from saniwa.core.quoted import quoted
from saniwa.core.redaction import Redaction
from saniwa.core.there import is_there
from saniwa.wiring.model_address import KEY, checked

if TYPE_CHECKING:
    from saniwa.agent.bridges.tape.replaying import Replaying

KINDS: Final = (*PROVIDERS, "canned", "replay", "fuzz", "local")
"""What may stand before the colon in a model's name."""
_FUZZ_PAUSE_MS: Final = 1


def replaying(path: Path, redaction: Redaction, past: Past | None) -> "Replaying":
    """The oracle that plays back a tape; what is past is counted as played.

    Raises:
        ConfigurationError: `MODEL_MISSING`.
        StoreError: The tape cannot be read.
    """
    from saniwa.agent.bridges.tape.replaying import Replaying
    from saniwa.store.lines import Lines

    if not is_there(path):
        raise _missing(f"there is no recording {quoted(str(path))}")
    tape = Replaying(Lines(path), redaction)
    # Without a question behind it, this is a beginning: errors come as they came.
    if past is not None and past.keys:
        tape.go_on(past.keys)
    return tape


def _free(told: int, said: int) -> int | None:
    """What it costs to ask nobody."""
    del told, said
    return 0


Unsent = Callable[[], tuple[str, ...]]
"""Names the settings of a request that a model is not given; sends nothing."""


def _all_unsent() -> tuple[str, ...]:
    """What written answers are not given: they do not depend on it."""
    return ("seed", "temperature")


class Opened(NamedTuple):
    """A model that is open."""

    oracle: Oracle
    """What answers for it, once a question."""
    price: Price = _free
    """What asking it costs."""
    pause_ms: int | None = None
    """The first pause before it is asked again; None: asking again would not help."""
    unsent: Unsent | None = None
    """Tells which settings of a request it is not given; None where it is given all."""


class Named:
    """One model on its way to being opened."""

    def __init__(
        self,
        asking: Asking,
        folder: str | Path | None,
        known: Mapping[str, str],
        redaction: Redaction,
        past: Past | None,
    ) -> None:
        self._asking = asking
        self._folder = Path(folder) if folder is not None else None
        self._known = known
        self._redaction = redaction
        self._past = past

    def opened(self) -> Opened:
        """The model, open.

        Raises:
            ConfigurationError: Nothing answers for the name, or cannot be had.
        """
        kind, colon, name = self._asking.use.partition(":")
        if self._asking.url and kind not in KINDS:
            kind, name = COMPATIBLE, self._asking.use or "default"
        elif kind not in KINDS or not colon or not name:
            raise self._unknown(kind)
        if self._asking.url and not PROVIDERS.get(kind, Provider()).takes_address:
            raise _unfit(f"{quoted(self._asking.use)} takes no address")
        if kind in PROVIDERS:
            return self._provider(kind, name)
        match kind:
            case "local":
                return _local(name)
            case "fuzz":
                return self._fuzzing(name)
            case "canned":
                from saniwa.agent.bridges.canned_file import canned_file

                answers = canned_file(self._file(name))
                if self._past is not None:
                    answers.go_on(self._past.texts)
                return Opened(answers, unsent=_all_unsent)
            case _:
                tape = replaying(self._file(name), self._redaction, self._past)
                return Opened(tape)

    def _provider(self, kind: str, name: str) -> Opened:
        from saniwa.agent.bridges.provider.oracle import ProviderOracle

        url = checked(self._asking.url)
        if url and kind == "openai":
            kind = COMPATIBLE
        if PROVIDERS[kind].needs_address and not url:
            raise _unfit("an OpenAI-compatible server needs its address in 'url'")
        key, known = self._key(kind), self._redaction
        oracle = ProviderOracle(kind, name, url=url, key=key, redaction=known)
        return Opened(oracle, oracle.price, START_MS, oracle.unsent)

    def _key(self, kind: str) -> str:
        names = PROVIDERS[kind].keys
        if not names:
            return self._known.get(KEY, "")
        found = next((self._known[n] for n in names if self._known.get(n)), "")
        if not found:
            raise ConfigurationError(
                "MODEL_KEY_MISSING",
                f"{quoted(self._asking.use)} needs a key, and {names[0]} is not set",
                hint=f"set {names[0]} in the environment",
            )
        return found

    def _fuzzing(self, name: str) -> Opened:
        from saniwa.agent.bridges.fuzzing import Fuzzing

        if not (name.isascii() and name.isdecimal() and len(name) < 20):
            raise _unfit(f"{quoted(name)} is no seed: a whole number")
        fuzzing = Fuzzing(int(name))
        return Opened(fuzzing, pause_ms=_FUZZ_PAUSE_MS, unsent=_all_unsent)

    def _file(self, name: str) -> Path:
        """The file an agent names; inside its folder, where it has one."""
        if self._folder is None:
            return Path(name)
        inside = self._folder / name
        if not inside.resolve().is_relative_to(self._folder.resolve()):
            raise _unfit(f"{quoted(name)} lies outside of the agent's folder")
        return inside

    def _unknown(self, kind: str) -> ConfigurationError:
        use = self._asking.use
        if not use:
            return unnamed()
        if kind in KINDS:
            return _unfit(f"{quoted(use)} names no model after {kind!r}")
        if use == SMOLLM2 or did_you_mean(use, [SMOLLM2]):
            hint = f"did you mean 'local:{SMOLLM2}'?"
        else:
            hint = did_you_mean(kind, KINDS)
        return _unfit(f"nothing is known that answers for {quoted(use)}", hint)


def unnamed(whose: str = "") -> ConfigurationError:
    """The error where nobody names a model; `whose` says for whom."""
    return ConfigurationError(
        "MODEL_UNNAMED",
        " ".join(["no model is named", whose]).rstrip(),
        hint="name one with --model, such as openai:NAME, ollama:NAME, local:smollm2 or "
        "canned:FILE, or a server with --model-url; or write model.use into agent.json; "
        "or play a recording with --replay",
    )


def _local(name: str) -> Opened:
    from saniwa.agent.bridges.local import LocalOracle
    from saniwa.agent.bridges.weights import weights_of

    weights = weights_of(name)
    oracle = LocalOracle(weights, name=name if name == SMOLLM2 else weights.stem)
    return Opened(oracle, oracle.price)


def _unfit(message: str, hint: str = "") -> ConfigurationError:
    known = "write one of: " + ", ".join(f"{kind}:…" for kind in sorted(KINDS))
    return ConfigurationError("MODEL_UNKNOWN", message, hint=hint or known)


def _missing(message: str) -> ConfigurationError:
    return ConfigurationError(
        "MODEL_MISSING", message, hint="look at its name, or record it first"
    )
