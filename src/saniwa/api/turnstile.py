"""One request at a time, so that answers go out between them.

Most requests are done in one go, and the loop does all that came at once before it sends
anything: the first of two hundred would be answered after the last was done. Here one is let
through in each round of the loop, in the order they came.
"""

import asyncio
from collections import deque
from weakref import WeakKeyDictionary

_Line = deque["asyncio.Future[None]"]


class Turnstile:
    """Lets one through in each round of the loop."""

    def __init__(self) -> None:
        """Nobody is here."""
        # By loop, as one app may be served by several: one cannot wake another's.
        self._lines = WeakKeyDictionary[asyncio.AbstractEventLoop, _Line]()

    async def passed(self) -> None:
        """Come back when it is one's turn; at once if nobody else came in this round."""
        loop = asyncio.get_running_loop()
        line = self._lines.get(loop)
        if line is None:
            self._lines[loop] = _Line()
            loop.call_soon(self._turn, loop)
        else:
            turn = loop.create_future()
            line.append(turn)
            await turn

    def _turn(self, loop: asyncio.AbstractEventLoop) -> None:
        """Let the next one through, in the round after this."""
        line = self._lines[loop]
        while line:
            turn = line.popleft()
            # Whoever hung up while waiting takes nobody's place.
            if not turn.done():
                turn.set_result(None)
                loop.call_soon(self._turn, loop)
                return
        del self._lines[loop]
