"""Finds out who asks, and leaves it in the scope; a wrong token goes no further."""

from saniwa.api.guard.asgi import (
    CALLER,
    RECEPTION,
    VISITOR,
    App,
    Header,
    Message,
    Receive,
    Scope,
    Send,
    turn_away,
)
from saniwa.api.guard.badges.reception import Reception
from saniwa.core.errors import ProcessError, ProtocolError, StoreError


class Visitors:
    """Says of every request who asks."""

    def __init__(self, app: App, reception: Reception) -> None:
        """Stand before an app."""
        self._app = app
        self._reception = reception

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 401 to a wrong token, 429 to too many of them."""
        try:
            caller = await self._reception.caller(scope)
        except ProcessError as problem:
            await turn_away(scope, send, problem, 401)
        except ProtocolError as problem:
            await turn_away(scope, send, problem, 429)
        except StoreError as problem:
            await turn_away(scope, send, problem, 503)
        else:
            scope[CALLER] = caller
            scope[VISITOR] = caller.visitor
            scope[RECEPTION] = self._reception
            renewing = _renewing(caller.renewal, send) if caller.renewal else send
            await self._app(scope, receive, renewing)


def _renewing(renewal: Header, send: Send) -> Send:
    """Hands a renewed badge out, unless the answer itself gives or takes one."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = list(message.get("headers", ()))
            if all(name.lower() != b"set-cookie" for name, _ in given):
                given.append(renewal)
            message = {**message, "headers": given}
        await send(message)

    return sending
