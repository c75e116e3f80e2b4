"""Asking again when a model could not be reached or asks for patience."""

from typing import Final, Protocol, runtime_checkable

import msgspec

from saniwa.core import random
from saniwa.core.errors import SdkBridgeError
from saniwa.core.text import truncate
from saniwa.models.oracle import (
    Oracle,
    OracleAnswer,
    OracleRequest,
    TextListener,
    Usage,
)
from saniwa.models.ports import Pause

MAX_ATTEMPTS: Final = 3
"""Attempts in all."""
FIRST_DELAY_MS: Final = 1_000
"""The first pause; each one after it is `DELAY_FACTOR` times as long, up to `MAX_DELAY_MS`."""
DELAY_FACTOR: Final = 2
MAX_DELAY_MS: Final = 30_000
MAX_SERVER_DELAY_MS: Final = 120_000
"""The longest pause a provider may ask for; who asks for more gets no second attempt."""
_LONGEST: Final = 300


@runtime_checkable
class RestartableListener(Protocol):
    """Somebody who hears an answer and can be told that it begins again."""

    def __call__(self, piece: str) -> None:
        """Hear the next piece."""
        ...

    def restart(self) -> None:
        """Forget what was heard of this answer: it broke off and comes once more."""
        ...


class RetryingOracle:
    """Tries again after recoverable errors, and only after those.

    Pauses grow by a factor and vary by seeded chance, between half and the whole, so that
    many agents do not come back at once; a longer wait the provider asks for is kept to.
    """

    def __init__(
        self,
        oracle: Oracle,
        pause: Pause,
        *,
        seed: int = 0,
        attempts: int = MAX_ATTEMPTS,
        start_ms: int = FIRST_DELAY_MS,
        most_ms: int = MAX_DELAY_MS,
    ) -> None:
        self._oracle = oracle
        self._pause = pause
        self._chance = random.derive_state(seed, "retrying")
        self._attempts = attempts
        self._start = start_ms
        self._most = most_ms

    async def answer(
        self, request: OracleRequest, hear: TextListener | None = None
    ) -> OracleAnswer:
        """The answer of the first attempt that gets one; it tells what that made good.

        Raises:
            SdkBridgeError: What the last attempt met.
        """
        ear = _RetryListener(hear) if hear is not None else None
        met: list[str] = []
        while True:
            try:
                answer = await self._oracle.answer(request, ear)
                break
            except SdkBridgeError as problem:
                met.append(truncate(f"{problem.code}: {problem.message}", _LONGEST))
                wait = self._compute_delay(problem, len(met))
                if wait is None:
                    raise
            await self._pause.sleep(wait)
            if ear is not None:
                ear.restart_answer()
        if ear is not None:
            ear.finish_answer(answer.text)
        return _add_mended_errors(answer, met)

    async def close(self) -> None:
        """Let go of the oracle; more than once is no mistake."""
        await self._oracle.close()

    def _compute_delay(self, problem: SdkBridgeError, made: int) -> int | None:
        """Milliseconds until the next attempt; None where there is none."""
        asked = int(problem.details.get("retry_after_ms", 0))
        if (
            not problem.recoverable
            or made >= self._attempts
            or asked > MAX_SERVER_DELAY_MS
        ):
            return None
        longest = min(self._start * DELAY_FACTOR ** min(made - 1, 30), self._most)
        self._chance, wait = random.draw_between(self._chance, longest // 2, longest)
        return max(wait, asked)


def _add_mended_errors(answer: OracleAnswer, met: list[str]) -> OracleAnswer:
    """The answer, with what other attempts met and the calls they were."""
    if not met:
        return answer
    usage = answer.usage + Usage(calls=len(met))
    return msgspec.structs.replace(answer, mended=tuple(met), usage=usage)


class _RetryListener:
    """Hears several attempts at one answer so that whoever listens is not confused.

    The first is passed on while it comes. If it breaks off, a listener who can begin again
    is told to; for any other, what comes next is held back until it is whole, and then
    goes on where the broken one ended, or stands on a line of its own.
    """

    def __init__(self, hear: TextListener) -> None:
        self._hear = hear
        self._heard = ""
        self._holds = False

    def __call__(self, piece: str) -> None:
        if self._holds:
            return
        self._heard += piece
        self._hear(piece)

    def restart_answer(self) -> None:
        """The attempt is over without an answer."""
        if not self._heard:
            return
        if isinstance(self._hear, RestartableListener):
            self._heard = ""
            self._hear.restart()
        else:
            self._holds = True

    def finish_answer(self, text: str) -> None:
        """The answer is whole."""
        if not self._holds:
            return
        ahead = text.startswith(self._heard)
        rest = text[len(self._heard) :] if ahead else f"\n{text}"
        if rest:
            self._hear(rest)
