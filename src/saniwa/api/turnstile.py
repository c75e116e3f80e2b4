"""One request at a time, so that answers go out between them.

Most requests are done in one go, and the loop does all that came at once before it sends
anything: the first of two hundred would be answered after the last was done. Here one is let
through in each round of the loop, in the order they came.
"""

import asyncio
from collections import deque


class Turnstile:
    """Lets one through in each round of the loop."""

    def __init__(self) -> None:
        """Nobody is here."""
        self._waiting = deque[asyncio.Future[None]]()
        self._taken = False

    async def passed(self) -> None:
        """Come back when it is one's turn; at once if nobody else came in this round."""
        loop = asyncio.get_running_loop()
        if self._taken:
            turn = loop.create_future()
            self._waiting.append(turn)
            await turn
        else:
            self._taken = True
            loop.call_soon(self._turn)

    def _turn(self) -> None:
        """Let the next one through, in the round after this."""
        while self._waiting:
            turn = self._waiting.popleft()
            # Whoever hung up while waiting takes nobody's place.
            if not turn.done():
                turn.set_result(None)
                turn.get_loop().call_soon(self._turn)
                return
        self._taken = False
