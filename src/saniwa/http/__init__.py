"""The HTTP API and the web server: requests in, JSON and the built page out.

`app.operations` is the table of everything that can be requested; routes and the OpenAPI
document are made from it. Needs the extra `serve`.
`make_web_app` makes all of it for an ASGI server of your own.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from saniwa.core.errors import ProtocolError
from saniwa.core.extras import require_packages
from saniwa.http.server_settings import ServerSettings

if TYPE_CHECKING:
    from starlette.types import ASGIApp


def make_web_app(
    store: str = ".saniwa/saniwa.sqlite",
    *,
    registry: str = "",
    stories: str = "stories",
    scenarios: str = "scenarios",
    gate: str = "",
    results: str = "results",
    settings: ServerSettings | None = None,
) -> "ASGIApp":
    """Create the application that `saniwa serve` serves: the HTTP API and the page.

    Any ASGI server runs it. The server must listen at the address in `settings`: at another
    one than this machine's own, users have to sign in.

    Args:
        store: The run store: a file, `memory:`, or a PostgreSQL address.
        registry: The registry of scenarios; empty for the default.
        stories: The folder of your stories.
        scenarios: The folder of your scenarios.
        gate: The gate's folder, or `memory:`; empty for the default.
        results: The folder of experiments.
        settings: Host names and limits; by default for this machine alone.

    Raises:
        ProtocolError: `EXTRA_MISSING`.
        StoreError: The store cannot be opened.
    """
    require_packages(
        "starlette", "uvicorn", extra="serve", what="the web app needs", kind=ProtocolError
    )
    from saniwa.app.workspace import Workspace, WorkspacePlaces
    from saniwa.http.server import ServeOptions, build_served_app

    places = WorkspacePlaces(
        store=store,
        registry=registry,
        stories=stories,
        scenarios=scenarios,
        gate=gate,
        results=results,
    )
    # The server's key is beside the store, as `saniwa serve` has it.
    is_file = store != "memory:" and "://" not in store
    folder = Path(store).parent if is_file else Path(".saniwa")
    serving = ServeOptions(settings=settings or ServerSettings(), folder=folder)
    return build_served_app(Workspace(places), serving)
