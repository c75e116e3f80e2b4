"""Which oracle a model's name means, and whose key it gets.

Keys come from the environment alone, and a provider's key goes to that provider alone: an
address in a definition never gets one that was meant for somebody else.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from saniwa.agent.bridges.metered import Price
from saniwa.agent.definition import Asking
from saniwa.agent.oracle import Oracle
from saniwa.agent.ports import Pause
from saniwa.core.errors import ConfigurationError
from saniwa.core.near import did_you_mean
from saniwa.core.quoted import quoted
from saniwa.core.redaction import Redaction

if TYPE_CHECKING:
    from saniwa.agent.bridges.tape.replaying import Replaying

KEY = "SANIWA_MODEL_KEY"
"""The environment variable with the key for the address an agent names."""
_COMPATIBLE: Final = "openai-compatible"
_KEYED: Final = {
    "anthropic": ("ANTHROPIC",),
    "google": ("GOOGLE", "GEMINI"),
    "openai": ("OPENAI",),
}
_PROVIDERS: Final = (*_KEYED, "ollama", _COMPATIBLE)
_FILES: Final = ("canned", "replay")
KINDS: Final = (*_PROVIDERS, *_FILES, "fuzz", "local")
"""What may stand before the colon in a model's name."""
_FUZZ_PAUSE_MS: Final = 1


def replaying(path: Path, redaction: Redaction) -> "Replaying":
    """The oracle that plays back a tape.

    Raises:
        ConfigurationError: `MODEL_MISSING`.
        StoreError: The tape cannot be read.
    """
    from saniwa.agent.bridges.tape.replaying import Replaying
    from saniwa.store.lines import Lines

    if not path.exists():
        raise _missing(f"there is no recording {quoted(str(path))}")
    return Replaying(Lines(path), redaction)


def _free(told: int, said: int) -> int | None:
    """What it costs to ask nobody."""
    del told, said
    return 0


class Named:
    """One model on its way to being opened."""

    def __init__(
        self,
        asking: Asking,
        folder: str | Path | None,
        known: Mapping[str, str],
        pause: Pause,
        seed: int,
        redaction: Redaction,
    ) -> None:
        self._asking = asking
        self._folder = Path(folder) if folder is not None else None
        self._known = known
        self._pause = pause
        self._seed = seed
        self._redaction = redaction

    def oracle(self) -> tuple[Oracle, Price]:
        """The oracle, and what asking it costs."""
        kind, colon, name = self._asking.use.partition(":")
        if self._asking.url and kind not in KINDS:
            kind, name = _COMPATIBLE, self._asking.use or "default"
        elif kind not in KINDS or not colon or not name:
            raise self._unknown(kind)
        if self._asking.url and kind not in ("openai", "ollama", _COMPATIBLE):
            raise _unfit(f"{quoted(self._asking.use)} takes no address")
        if kind in _PROVIDERS:
            return self._provider(kind, name)
        match kind:
            case "local":
                return _local(name)
            case "fuzz":
                return self._fuzzing(name), _free
            case "canned":
                from saniwa.agent.bridges.canned_file import canned_file

                return canned_file(self._file(name)), _free
            case _:
                return replaying(self._file(name), self._redaction), _free

    def _provider(self, kind: str, name: str) -> tuple[Oracle, Price]:
        from saniwa.agent.bridges.provider.oracle import ProviderOracle

        url = _checked(self._asking.url)
        if url and kind == "openai":
            kind = _COMPATIBLE
        if kind == _COMPATIBLE and not url:
            raise _unfit("an OpenAI-compatible server needs its address in 'url'")
        key = self._key(kind)
        opened = ProviderOracle(kind, name, url=url, key=key)
        return self._retrying(opened), opened.price

    def _key(self, kind: str) -> str:
        if kind not in _KEYED:
            return self._known.get(KEY, "")
        names = [f"{owner}_API_KEY" for owner in _KEYED[kind]]
        found = next((self._known[n] for n in names if self._known.get(n)), "")
        if not found:
            raise ConfigurationError(
                "MODEL_KEY_MISSING",
                f"{quoted(self._asking.use)} needs a key, and {names[0]} is not set",
                hint=f"set {names[0]} in the environment",
            )
        return found

    def _fuzzing(self, name: str) -> Oracle:
        from saniwa.agent.bridges.fuzzing import Fuzzing

        if not (name.isascii() and name.isdecimal() and len(name) < 20):
            raise _unfit(f"{quoted(name)} is no seed: a whole number")
        return self._retrying(Fuzzing(int(name)), _FUZZ_PAUSE_MS)

    def _retrying(self, oracle: Oracle, start_ms: int | None = None) -> Oracle:
        from saniwa.agent.bridges.retrying import START_MS, Retrying

        return Retrying(
            oracle, self._pause, seed=self._seed, start_ms=start_ms or START_MS
        )

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
            return ConfigurationError(
                "MODEL_UNNAMED", "no model is named", hint=_unfit("").hint
            )
        if kind in KINDS:
            return _unfit(f"{quoted(use)} names no model after {kind!r}")
        near = did_you_mean(kind, KINDS)
        return _unfit(f"nothing is known that answers for {quoted(use)}", near)


def _local(name: str) -> tuple[Oracle, Price]:
    from saniwa.agent.bridges.local import LocalOracle
    from saniwa.agent.bridges.weights import SMOLLM2, weights_of

    weights = weights_of(name)
    opened = LocalOracle(weights, name=name if name == SMOLLM2 else weights.stem)
    return opened, opened.price


def _checked(url: str) -> str:
    if not url:
        return ""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise _unfit(
            f"{quoted(url)} is no address of a model", "write http://… or https://…"
        )
    if parts.username or parts.password:
        raise _unfit("an address must not hold a name or a password", f"set {KEY}")
    return url


def _unfit(message: str, hint: str = "") -> ConfigurationError:
    known = "write one of: " + ", ".join(f"{kind}:…" for kind in sorted(KINDS))
    return ConfigurationError("MODEL_UNKNOWN", message, hint=hint or known)


def _missing(message: str) -> ConfigurationError:
    return ConfigurationError(
        "MODEL_MISSING", message, hint="look at its name, or record it first"
    )
