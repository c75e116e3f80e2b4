import asyncio
import gc
import signal
import sys
from pathlib import Path

import pytest

from saniwa.api.guard.asgi import Receive, Scope, Send
from saniwa.api.guard.settings import Settings
from saniwa.web.serving import TAKE_TURNS, Serving, bound, serve, served
from tests.fakes.gardens import garden_in


def test_no_request_opens_what_a_server_is_trusted_by(tmp_path: Path) -> None:
    """Its certificate, its key and the folder of its badges are kept from everybody."""
    garden = garden_in(tmp_path)
    files = (tmp_path / "garden.pem", tmp_path / "garden.key", tmp_path / "own")
    serving = Serving(
        settings=Settings(),
        certificate=str(files[0]),
        private_key=str(files[1]),
        folder=files[2],
    )
    served(garden, serving)

    assert [True] * 3 == [garden.kept.holds(each.resolve()) for each in files]


async def _nothing(scope: Scope, receive: Receive, send: Send) -> None:
    del scope
    await receive()
    await send({"type": "lifespan.startup.complete"})
    await receive()
    await send({"type": "lifespan.shutdown.complete"})


def test_threads_that_work_let_short_requests_pass() -> None:
    """While a server answers, they take turns ten times as often as they would."""
    serving, seen = Serving(settings=Settings()), list[float]()
    before = sys.getswitchinterval()

    def ready() -> None:
        seen.append(sys.getswitchinterval())
        signal.raise_signal(signal.SIGTERM)

    try:
        asyncio.run(serve(_nothing, serving, bound(serving), ready))
    finally:
        sys.setswitchinterval(before)

    assert [pytest.approx(TAKE_TURNS)] == seen


def test_what_a_server_is_made_of_is_not_searched_for_garbage() -> None:
    """While it answers; afterwards whoever started it is as they were."""
    serving, seen = Serving(settings=Settings()), list[int]()
    before = sys.getswitchinterval()

    def ready() -> None:
        seen.append(gc.get_freeze_count())
        signal.raise_signal(signal.SIGTERM)

    try:
        asyncio.run(serve(_nothing, serving, bound(serving), ready))
    finally:
        sys.setswitchinterval(before)

    assert seen[0] > 10_000
    assert 0 == gc.get_freeze_count()
