"""Asking again when a model could not be reached or limits the rate of requests."""

from typing import Any, Final

import msgspec

from saniwa.core import random
from saniwa.core.clock import Pause
from saniwa.core.errors import SdkBridgeError
from saniwa.core.text import truncate
from saniwa.models.oracle import Oracle, OracleAnswer, OracleRequest, OracleWrapper, TextListener

MAX_ATTEMPTS: Final = 3
"""Attempts in all, the first included."""
FIRST_DELAY_MS: Final = 1_000
"""The first pause; each later one is `DELAY_FACTOR` times as long, up to
`MAX_DELAY_MS`."""
DELAY_FACTOR: Final = 2
MAX_DELAY_MS: Final = 30_000
MAX_SERVER_DELAY_MS: Final = 120_000
"""The longest pause a provider may ask for; if it asks for more, there is no retry."""
_LONGEST: Final = 300


class RetryingOracle(OracleWrapper):
    """Tries again after recoverable errors, and only after those.

    Pauses grow by a factor and are randomized with a seed, between half and the full
    length, so that many agents do not come back at once. A longer wait that the
    provider asks for is obeyed.
    """

    def __init__(
        self,
        oracle: Oracle,
        pause: Pause,
        *,
        seed: int = 0,
        attempts: int = MAX_ATTEMPTS,
        start_ms: int = FIRST_DELAY_MS,
    ) -> None:
        super().__init__(oracle)
        self._pause = pause
        self._random_state = random.derive_state(seed, "retrying")
        self._attempts = attempts
        self._start = start_ms

    async def answer(
        self, request: OracleRequest, hear: TextListener | None = None
    ) -> OracleAnswer:
        """Return the first successful attempt's answer.

        `mended` lists the failures before it.

        Raises:
            SdkBridgeError: The error of the last attempt.
        """
        listener = _RetryListener(hear) if hear is not None else None
        failures: list[str] = []
        while True:
            try:
                answer = await self._oracle.answer(request, listener)
                break
            except SdkBridgeError as problem:
                failures.append(truncate(f"{problem.code}: {problem.message}", _LONGEST))
                wait = self._compute_delay(problem, len(failures))
                if wait is None:
                    raise
            await self._pause.sleep(wait)
            if listener is not None:
                listener.restart_answer()
        if listener is not None:
            listener.finish_answer(answer.text)
        if not failures:
            return answer
        calls = answer.usage.calls + len(failures)
        usage = msgspec.structs.replace(answer.usage, calls=calls)
        return msgspec.structs.replace(answer, mended=tuple(failures), usage=usage)

    def _compute_delay(self, problem: SdkBridgeError, attempts: int) -> int | None:
        """Milliseconds until the next attempt; None if there is none."""
        requested = int(problem.details.get("retry_after_ms", 0))
        if not problem.recoverable or attempts >= self._attempts or requested > MAX_SERVER_DELAY_MS:
            return None
        longest = min(self._start * DELAY_FACTOR ** min(attempts - 1, 30), MAX_DELAY_MS)
        self._random_state, wait = random.draw_between(self._random_state, longest // 2, longest)
        return max(wait, requested)


class _RetryListener:
    """Merges several attempts at one answer into one stream for a listener.

    The first attempt is passed on as it arrives. If it breaks off, a listener with a
    method `restart` is called to discard what it has. For any other, the next attempt is held back until it is
    complete; then the listener gets the rest of the text, or all of it on a new line if
    it begins differently.
    """

    def __init__(self, hear: TextListener) -> None:
        self._hear = hear
        self._received = ""
        self._holding_back = False

    def __call__(self, piece: str) -> None:
        if self._holding_back:
            return
        self._received += piece
        self._hear(piece)

    def restart_answer(self) -> None:
        """End an attempt that gave no answer."""
        if not self._received:
            return
        restart: Any = getattr(self._hear, "restart", None)
        if restart is not None:
            self._received = ""
            restart()
        else:
            self._holding_back = True

    def finish_answer(self, text: str) -> None:
        """Pass on what was held back: the answer is complete."""
        if not self._holding_back:
            return
        ahead = text.startswith(self._received)
        rest = text[len(self._received) :] if ahead else f"\n{text}"
        if rest:
            self._hear(rest)
