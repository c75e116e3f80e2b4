"""What stands outside of the guard: the journal, and telemetry where somebody wants it."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from typing import TextIO

from saniwa.api.guard.asgi import App
from saniwa.api.guard.guarded import Guarded
from saniwa.api.journal import Journal
from saniwa.api.line import Form, writer
from saniwa.api.telemetry.wanted import wanted
from saniwa.wiring.garden.garden import Garden


@contextmanager
def outside(
    app: Guarded, garden: Garden, form: Form, stream: TextIO, *, telemetry: bool = False
) -> Iterator[App]:
    """The app with everything that is told about it; ends what it began.

    Raises:
        ProtocolError: `EXTRA_MISSING` if telemetry is wanted and cannot be had.
    """
    with _telling(app, garden, telemetry) as watched:
        yield Journal(
            watched,
            writer(form, stream),
            clock=garden.clock,
            ids=garden.ids,
            seconds=time.monotonic,
        )


@contextmanager
def _telling(app: Guarded, garden: Garden, telemetry: bool) -> Iterator[App]:
    if not wanted(telemetry, os.environ):
        yield app
        return
    from saniwa.api.telemetry.start import start

    told = start(version("saniwa"))
    try:
        yield told.watching(
            app, streams=lambda: app.streams.open, runs=lambda: garden.held
        )
    finally:
        told.close()
