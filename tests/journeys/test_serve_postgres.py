"""Several servers on one PostgreSQL serve the same runs."""

import asyncio
from collections.abc import Iterator

import psycopg
import pytest

from tests.fakes.coroutine_tests import run_coroutine
from tests.fakes.player_crowd import (
    DOOR,
    ISLAND,
    CrowdConnection,
    CrowdPlayer,
    ask,
    make_crowd,
    play,
)
from tests.fakes.servers import ServeProcess

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def ports(tmp_path_factory: pytest.TempPathFactory, postgres_url: str) -> Iterator[tuple[int, int]]:
    """Two servers, each in its own folder, on one empty database."""
    with psycopg.connect(postgres_url) as database:
        database.execute("DROP SCHEMA public CASCADE")
        database.execute("CREATE SCHEMA public")
    one, other = (
        ServeProcess(tmp_path_factory.mktemp("server"), "--store", postgres_url) for _ in "12"
    )
    with one, other:
        yield one.port, other.port


@run_coroutine
async def test_players_hop_from_server_to_server(ports: tuple[int, int]) -> None:
    """Players who change the server before each turn continue the same run without repetition."""
    players = make_crowd(12, *ports)
    await play(players, turns=8, rest=0.0, hop=True)
    seen = []
    for port in ports:
        for each in players:
            told = await ask(port, "GET", f"/runs/{each.run}/moment")
            seen.append((told.body["revision"], each.revision))

    assert [8] * 12 == [each.acknowledged for each in players]
    assert [(own, own) for _, own in seen] == seen


@pytest.mark.parametrize("what", [DOOR, ISLAND], ids=["scenario", "story"])
@run_coroutine
async def test_a_request_sent_to_both_at_once_is_done_once(
    ports: tuple[int, int], what: dict[str, str]
) -> None:
    """A request that is sent to both servers at once is done once, with one answer."""
    first, second = (CrowdPlayer(CrowdConnection(port), "both", what) for port in ports)
    first.name = f"both-{'-'.join(what)}"
    await play([first], turns=0, rest=0.0)
    second.name, second.run = first.name, first.run
    doing = "words" if what is DOOR else "steps"
    body = {"text": "look"} if what is DOOR else None
    for number in range(3):
        first.revision = second.revision = first.revision
        told = await asyncio.gather(
            *(_repeat_request(each, doing, body, f"k{number}") for each in (first, second))
        )

        assert told[0] == told[1]
        assert first.revision + 1 == told[0]["revision"]
        first.revision = second.revision = told[0]["revision"]


async def _repeat_request(
    player: CrowdPlayer, doing: str, body: object, key: str
) -> dict[str, int]:
    """Send a request until it is accepted, as a client does after a conflict."""
    for _ in range(20):
        told = await ask(
            player.wire.port,
            "POST",
            f"/runs/{player.run}/{doing}",
            body,
            If_Match=f'"{player.revision}"',
            Idempotency_Key=key,
        )
        if told.status == 200:
            body_told: dict[str, int] = told.body
            return body_told
        assert told.body["code"] == "REVISION_CONFLICT", told
    raise AssertionError("the request was never answered")
