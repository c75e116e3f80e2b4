"""The layers in their order: the cheapest question first, and nobody is known too early."""

import time
from pathlib import Path

from saniwa.api.guard.asgi import App, Receive, Scope, Send
from saniwa.api.guard.badges.reception import Reception
from saniwa.api.guard.compression import Compression
from saniwa.api.guard.forwarded import ForwardedClient
from saniwa.api.guard.headers import Headers
from saniwa.api.guard.hosts import Hosts
from saniwa.api.guard.limits.body import BodyLimit, TakesText
from saniwa.api.guard.limits.buckets import Seconds
from saniwa.api.guard.limits.rate import RateLimit
from saniwa.api.guard.limits.streams import Streams
from saniwa.api.guard.origin import Origin
from saniwa.api.guard.rights import Rights
from saniwa.api.guard.settings import Settings
from saniwa.api.guard.visitors import Visitors
from saniwa.core.clock import Clock, SystemClock
from saniwa.store.gate.people.people import Chance, People, SystemChance


class Guarded:
    """An app behind all layers."""

    def __init__(
        self,
        app: App,
        settings: Settings,
        reception: Reception,
        seconds: Seconds,
        takes_text: TakesText = lambda _: True,
    ) -> None:
        """Put the layers around an app; the last named is met first."""
        limits = settings.bounds
        self.reception = reception
        """Where one signs in and out."""
        self.streams = Streams(app, limits)
        """How many live streams are open."""
        layers: App = BodyLimit(self.streams, limits, takes_text)
        layers = RateLimit(Rights(layers), limits, seconds)
        layers = Visitors(layers, reception)
        layers = Hosts(Origin(layers, settings), settings)
        layers = ForwardedClient(layers, settings)
        self._outermost = Compression(Headers(layers, https=settings.https))
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; other things a server says go to the app itself.

        A WebSocket is refused: no layer here knows how to look at one.
        """
        if scope["type"] == "http":
            await self._outermost(scope, receive, send)
        elif scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})


def guard(
    app: App,
    settings: Settings,
    *,
    people: Path,
    folder: Path,
    clock: Clock | None = None,
    seconds: Seconds = time.monotonic,
    chance: Chance | None = None,
    takes_text: TakesText = lambda _: True,
) -> Guarded:
    """Put an app behind all layers.

    Args:
        app: What answers whoever is let through.
        settings: Where the server stands.
        people: The file of the gate's people.
        folder: Where the key of the badges is kept, and who has signed out.
        clock: Tells when badges end.
        seconds: Goes only forward; what limits are counted by.
        chance: Makes keys and serials.
        takes_text: Says of a request whether its body may be large.

    Raises:
        StoreError: The key can be neither read nor made.
    """
    chance = chance or SystemChance()
    reception = Reception(
        People(people, chance),
        folder,
        settings,
        clock=clock or SystemClock(),
        seconds=seconds,
        chance=chance,
    )
    return Guarded(app, settings, reception, seconds, takes_text)
