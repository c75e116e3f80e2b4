"""How long a model takes, said with its answer: so that a playback can say it again."""

import msgspec

from saniwa.agent.oracle import Answer, Hear, Oracle, Request
from saniwa.core.clock import Clock


class Timed:
    """Answers as its oracle does, and says how long that took."""

    def __init__(self, oracle: Oracle, clock: Clock) -> None:
        self._oracle = oracle
        self._clock = clock

    async def answer(self, request: Request, hear: Hear | None = None) -> Answer:
        """The oracle's answer, with the time it took; a clock set back counts as none.

        Raises:
            SdkBridgeError: What the oracle says.
        """
        asked = self._clock.now()
        answer = await self._oracle.answer(request, hear)
        took = max(self._clock.now() - asked, 0)
        return msgspec.structs.replace(answer, took_ms=took)

    async def close(self) -> None:
        """Let go of the oracle; more than once is no mistake."""
        await self._oracle.close()
