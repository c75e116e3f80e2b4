import asyncio
import socket
from pathlib import Path

import pytest

from saniwa.api.guard.settings import Settings
from saniwa.core.errors import ProtocolError
from saniwa.web.serving import Serving, address_of, bound, serve, served
from tests.fakes.gardens import garden_in
from tests.fakes.looped import looped


@pytest.mark.parametrize(
    ("host", "names", "certificate", "shown"),
    [
        ("127.0.0.1", (), "", "http://localhost:"),
        ("127.0.0.1", ("garden.example",), "", "http://localhost:"),
        ("0.0.0.0", (), "", "http://localhost:"),
        ("0.0.0.0", ("garden.example", "other"), "a.pem", "https://garden.example:"),
    ],
)
def test_the_address_that_is_told_leads_here(
    host: str, names: tuple[str, ...], certificate: str, shown: str
) -> None:
    """Everywhere is no place to go to: a name that people use is told instead."""
    settings = Settings(host=host, hosts=names)
    serving = Serving(settings=settings, certificate=certificate)
    with bound(serving) as listening:
        port = listening.getsockname()[1]

        assert f"{shown}{port}/" == address_of(listening, serving)


def test_a_certificate_that_is_none_is_named(tmp_path: Path) -> None:
    """Before anybody listens: the file, and the options that name it."""
    file = tmp_path / "garden.pem"
    file.write_text("roses\n", encoding="utf-8")
    serving = Serving(settings=Settings(), certificate=str(file), folder=tmp_path)
    app = served(garden_in(tmp_path), serving)
    with (
        socket.socket() as listening,
        pytest.raises(ProtocolError, match="SYSTEM_ERROR") as seen,
    ):
        asyncio.run(serve(app, serving, listening))

    assert str(file) in seen.value.message
    assert "--certificate" in seen.value.hint


@looped
async def test_an_answer_is_sent_without_waiting_for_more() -> None:
    """Its head and its body go out at once, and not after the other side has nodded."""
    came = asyncio.get_running_loop().create_future()
    with bound(Serving(settings=Settings())) as listening:
        server = await asyncio.start_server(
            lambda _, writer: came.set_result(writer), sock=listening
        )
        _, asking = await asyncio.open_connection(*listening.getsockname())
        answering = await came
        accepted = answering.get_extra_info("socket")

        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        for each in (asking, answering, server):
            each.close()
