"""An oracle that means no good: whatever a model could say, and the ways it can fail."""

from typing import Final

from saniwa.agent.bridges.nonsense import SAYINGS
from saniwa.agent.bridges.text import tell
from saniwa.agent.oracle import Answer, Finish, Hear, Request, Usage
from saniwa.core import chance
from saniwa.core.errors import (
    ConfigurationError,
    SdkBridgeError,
    SdkConnectionError,
    SdkRateLimitError,
)
from saniwa.core.near import did_you_mean
from saniwa.core.quoted import quoted

_FAULTS: Final = ("unreachable", "broken_off", "patience")
_AGAIN: Final = "again"
KINDS: Final = (*SAYINGS, _AGAIN, *_FAULTS)
"""Everything it does, by name."""
_FINISHES: Final[tuple[Finish, ...]] = ("stop", "length", "refused", "other")


class Fuzzing:
    """Says nonsense by seeded chance: the same seed, the same nonsense in the same order."""

    def __init__(
        self, seed: int = 0, *, faults: bool = True, only: tuple[str, ...] = ()
    ) -> None:
        """`faults`: fail now and then, as networks do; `only`: these kinds and no other.

        Raises:
            ConfigurationError: `MODEL_UNKNOWN`: there is no such kind.
        """
        for kind in only:
            if kind not in KINDS:
                raise _unknown(kind)
        said = (*SAYINGS, _AGAIN)
        self._kinds = only or (KINDS if faults else said)
        self._seed = seed
        self._count = 0
        self._last = "again and again"

    async def answer(self, request: Request, hear: Hear | None = None) -> Answer:
        """Nonsense.

        Raises:
            SdkConnectionError: By chance.
            SdkRateLimitError: By chance.
        """
        self._count += 1
        state = chance.seeded(self._seed, f"fuzzing {self._count}")
        state, drawn = chance.between(state, 0, len(self._kinds) - 1)
        kind = self._kinds[drawn]
        if kind in _FAULTS:
            raise _fault(kind, hear)
        if kind != _AGAIN:
            self._last = SAYINGS[kind](request, state)
        text = self._last
        tell(text, hear)
        return Answer(
            text=text,
            finish=_FINISHES[chance.between(state, 0, 3)[1]],
            usage=Usage(calls=1, input_tokens=1, output_tokens=len(text) // 4 + 1),
            model=f"fuzz:{self._seed}",
        )

    async def close(self) -> None:
        """Nothing is held; more than once is no mistake."""


def _unknown(kind: str) -> ConfigurationError:
    return ConfigurationError(
        "MODEL_UNKNOWN",
        f"there is no nonsense called {quoted(kind)}",
        hint=did_you_mean(kind, KINDS) or f"known are: {', '.join(KINDS)}",
    )


def _fault(kind: str, hear: Hear | None) -> SdkBridgeError:
    if kind == "patience":
        return SdkRateLimitError(
            "BRIDGE_RATE_LIMIT",
            "the fuzzing oracle asks for patience",
            hint="wait, and ask again",
            recoverable=True,
            details={"retry_after_ms": 1},
        )
    if kind == "broken_off" and hear is not None:
        hear("I take the ")
    return SdkConnectionError(
        "BRIDGE_CONNECTION",
        f"the fuzzing oracle is {kind.replace('_', ' ')}",
        hint="ask again",
        recoverable=True,
    )
