import asyncio
import socket
from pathlib import Path

import pytest

from saniwa.core.errors import ProtocolError
from saniwa.http.server import (
    ServeOptions,
    bind_socket,
    build_served_app,
    describe_other_port,
    find_browser_url,
    serve_app,
)
from saniwa.http.server_settings import ServerSettings
from tests.fakes.coroutine_tests import run_coroutine
from tests.fakes.workspaces import make_workspace


@pytest.mark.parametrize(
    ("host", "names", "certificate", "shown"),
    [
        ("127.0.0.1", (), "", "http://localhost:"),
        ("127.0.0.1", ("garden.example",), "", "http://localhost:"),
        ("0.0.0.0", (), "", "http://localhost:"),
        ("0.0.0.0", ("garden.example", "other"), "a.pem", "https://garden.example:"),
    ],
)
def test_the_address_that_is_reported_leads_here(
    host: str, names: tuple[str, ...], certificate: str, shown: str
) -> None:
    """The printed address can be opened; a wildcard is replaced by a usable name."""
    settings = ServerSettings(host=host, hosts=names)
    serving = ServeOptions(settings=settings, certificate=certificate)
    with bind_socket(serving) as listening:
        port = listening.getsockname()[1]

        assert f"{shown}{port}/" == find_browser_url(listening, serving)


def test_a_port_that_is_in_use_is_reported() -> None:
    """Where the usual port is in use, a note says so and which one is used instead."""
    settings = ServerSettings()
    with bind_socket(ServeOptions(settings=settings)) as first:
        first.listen()
        taken = first.getsockname()[1]
        serving = ServeOptions(settings=settings, port=taken)
        with bind_socket(serving) as second:
            used = second.getsockname()[1]

            assert taken != used
            assert (
                f"port {taken} is already in use; this server uses {used} (--port chooses one)"
                == describe_other_port(second, serving)
            )
            assert "" == describe_other_port(second, ServeOptions(settings=settings, port=used))


def test_a_certificate_that_is_invalid_is_named(tmp_path: Path) -> None:
    """An invalid certificate is refused with the file and the options, before listening."""
    file = tmp_path / "garden.pem"
    file.write_text("roses\n", encoding="utf-8")
    serving = ServeOptions(settings=ServerSettings(), certificate=str(file), folder=tmp_path)
    app = build_served_app(make_workspace(tmp_path), serving)
    with socket.socket() as listening, pytest.raises(ProtocolError, match="SYSTEM_ERROR") as seen:
        asyncio.run(serve_app(app, serving, listening))

    assert str(file) in seen.value.message
    assert "--certificate" in seen.value.hint


@run_coroutine
async def test_an_answer_is_sent_without_waiting_for_more() -> None:
    """Answers are sent without delay (TCP_NODELAY)."""
    came = asyncio.get_running_loop().create_future()
    with bind_socket(ServeOptions(settings=ServerSettings())) as listening:
        server = await asyncio.start_server(
            lambda _, writer: came.set_result(writer), sock=listening
        )
        _, asking = await asyncio.open_connection(*listening.getsockname())
        answering = await came
        accepted = answering.get_extra_info("socket")

        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        for each in (asking, answering, server):
            each.close()
