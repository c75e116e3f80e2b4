"""Nobody asks so often that others have to wait."""

from saniwa.api.guard.address import household
from saniwa.api.guard.asgi import (
    CALLER,
    App,
    Receive,
    Scope,
    Send,
    is_api,
    turn_away,
)
from saniwa.api.guard.caller import LOCAL
from saniwa.api.guard.limits.buckets import Buckets, Seconds
from saniwa.api.guard.settings import FILES, Limits, Rate
from saniwa.core.patience import too_many


class RateLimit:
    """Counts requests by visitor, and by address for whoever did not sign in."""

    def __init__(self, app: App, limits: Limits, seconds: Seconds) -> None:
        """Stand before an app."""
        self._app = app
        rate = limits.rate
        many = Rate(each_second=rate.each_second * FILES, at_once=rate.at_once * FILES)
        self._answers = Buckets(rate, limits.remembered, seconds)
        self._files = Buckets(many, limits.remembered, seconds)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 429 to whoever asks too often."""
        buckets = self._answers if is_api(scope) else self._files
        wait = buckets.take(counted_as(scope))
        if wait:
            problem = too_many("requests come faster than they are answered", wait)
            await turn_away(scope, send, problem, 429)
            return
        await self._app(scope, receive, send)


def counted_as(scope: Scope) -> str:
    """Whose bucket it is; an address never looks like a name, which has no blanks."""
    name: str = scope.get(CALLER, LOCAL).name
    return f"visitor {name}" if name else household(scope)
