"""Live streams stay open, so they are counted while they are."""

from collections import Counter

from saniwa.api.guard.asgi import App, Receive, Scope, Send, is_api, turn_away
from saniwa.api.guard.limits.rate import counted_as
from saniwa.api.guard.settings import Limits
from saniwa.core.patience import too_many

ENDING = "/live"
"""How the path of a live stream ends."""
_AGAIN = 5.0


class Streams:
    """Lets only so many streams be open, for each visitor and for all."""

    def __init__(self, app: App, limits: Limits) -> None:
        """Stand before an app."""
        self._app = app
        self._most = limits.streams
        self._each = limits.streams_each
        self._open: Counter[str] = Counter()

    @property
    def open(self) -> int:
        """How many are open now."""
        return self._open.total()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 429 where one more is too many."""
        if not is_api(scope) or not scope["path"].endswith(ENDING):
            await self._app(scope, receive, send)
            return
        whose = counted_as(scope)
        if self._open[whose] >= self._each or self.open >= self._most:
            problem = too_many("too many live streams are open", _AGAIN)
            await turn_away(scope, send, problem, 429)
            return
        await self._counted(whose, scope, receive, send)

    async def _counted(
        self, whose: str, scope: Scope, receive: Receive, send: Send
    ) -> None:
        self._open[whose] += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._open[whose] -= 1
            if not self._open[whose]:
                del self._open[whose]
