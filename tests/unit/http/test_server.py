import asyncio
import gc
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.types import Receive, Scope, Send

from saniwa.http.server import (
    THREAD_SWITCH_SECONDS,
    ServeOptions,
    bind_socket,
    build_served_app,
    serve_app,
)
from saniwa.http.server_settings import ServerSettings
from tests.fakes.workspaces import make_workspace


@pytest.fixture(scope="module", autouse=True)
def _freeze_tests_again() -> Iterator[None]:
    """Freeze the objects of the tests again, because a server in this process unfreezes them."""
    yield
    gc.collect()
    gc.freeze()


def test_no_request_opens_what_a_server_is_trusted_by(tmp_path: Path) -> None:
    """The certificate, its key and the session key are protected paths."""
    garden = make_workspace(tmp_path)
    files = (tmp_path / "garden.pem", tmp_path / "garden.key", tmp_path / "own")
    serving = ServeOptions(
        settings=ServerSettings(),
        certificate=str(files[0]),
        private_key=str(files[1]),
        folder=files[2],
    )
    build_served_app(garden, serving)

    assert [True] * 3 == [garden.protected_paths.is_protected(each.resolve()) for each in files]


async def _complete_startup(scope: Scope, receive: Receive, send: Send) -> None:
    del scope
    await receive()
    await send({"type": "lifespan.startup.complete"})
    await receive()
    await send({"type": "lifespan.shutdown.complete"})


def test_threads_that_work_let_short_requests_pass() -> None:
    """While a server runs, the switch interval of threads is shorter."""
    serving, seen = ServeOptions(settings=ServerSettings()), list[float]()
    before = sys.getswitchinterval()

    def note_and_stop() -> None:
        seen.append(sys.getswitchinterval())
        signal.raise_signal(signal.SIGTERM)

    try:
        asyncio.run(serve_app(_complete_startup, serving, bind_socket(serving), note_and_stop))
    finally:
        sys.setswitchinterval(before)

    assert [pytest.approx(THREAD_SWITCH_SECONDS)] == seen


def test_what_a_server_is_made_of_is_not_searched_for_garbage() -> None:
    """While a server runs, its objects are excluded from garbage collection."""
    serving, seen = ServeOptions(settings=ServerSettings()), list[int]()
    before = sys.getswitchinterval()

    def note_and_stop() -> None:
        seen.append(gc.get_freeze_count())
        signal.raise_signal(signal.SIGTERM)

    try:
        asyncio.run(serve_app(_complete_startup, serving, bind_socket(serving), note_and_stop))
    finally:
        sys.setswitchinterval(before)

    assert seen[0] > 10_000
    assert 0 == gc.get_freeze_count()
