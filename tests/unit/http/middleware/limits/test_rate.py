import asyncio
from pathlib import Path

from msgspec.structs import replace

from saniwa.http.server_settings import LOCAL_LIMITS as NEAR_LIMITS
from saniwa.http.server_settings import PAGE_FILE_FACTOR, AllowedRate, RequestLimits, ServerSettings
from saniwa.http.server_settings import PUBLIC_LIMITS as FAR_LIMITS
from tests.unit.http.middleware.guarded_requests import (
    FAR,
    SECRET,
    GuardedServer,
    ask_app,
    make_scope,
)

ABOUT = "/api/v1/"
TIGHT = RequestLimits(rate=AllowedRate(each_second=1, at_once=3))


def make_tight_server(folder: Path) -> GuardedServer:
    """A server with a limit of three requests at once."""
    return GuardedServer(folder, replace(FAR, limits=TIGHT))


def test_a_burst_of_requests_has_to_wait(tmp_path: Path) -> None:
    """After a burst, requests get 429 with the time to wait."""
    here = make_tight_server(tmp_path)
    answers = [here.ask(path=ABOUT) for _ in range(4)]
    here.watch.seconds += 1

    assert [200, 200, 200, 429] == [answer.status for answer in answers]
    assert ("TOO_MANY_REQUESTS", ["1"]) == (
        answers[3].code,
        answers[3].list_header_values("retry-after"),
    )
    assert 200 == here.ask(path=ABOUT).status


def test_strangers_are_counted_before_they_are_refused(tmp_path: Path) -> None:
    """Refused anonymous requests count towards the limit."""
    here = make_tight_server(tmp_path)

    assert [401, 401, 401, 429] == [here.ask().status for _ in range(4)]


def test_each_is_counted_alone(tmp_path: Path) -> None:
    """Each address and each person has its own limit."""
    here = make_tight_server(tmp_path)
    for _ in range(4):
        here.ask(path=ABOUT, client="192.0.2.1")
    known = [here.ask(client="192.0.2.1", authorization=f"Bearer ann:{SECRET}")]

    assert 200 == here.ask(path=ABOUT, client="192.0.2.2").status
    assert [200] == [answer.status for answer in known]


def test_one_household_is_counted_as_one(tmp_path: Path) -> None:
    """All addresses of an IPv6 /64 network share a limit."""
    here = make_tight_server(tmp_path)
    same = [here.ask(path=ABOUT, client=f"2001:db8::{n}").status for n in range(1, 5)]

    assert [200, 200, 200, 429] == same
    assert 200 == here.ask(path=ABOUT, client="2001:db8:0:1::1").status


def test_requests_without_an_address_share_a_limit(tmp_path: Path) -> None:
    """Requests without an address share a limit."""
    here = make_tight_server(tmp_path)
    asked = make_scope(path=ABOUT, host=here.host) | {"client": None}

    async def ask_four_times() -> list[int]:
        return [(await ask_app(here.app, dict(asked))).status for _ in range(4)]

    assert [200, 200, 200, 429] == asyncio.run(ask_four_times())


def test_files_of_a_page_may_come_together(tmp_path: Path) -> None:
    """The limit for page files is higher, and separate."""
    here = make_tight_server(tmp_path)
    statuses = [here.ask(path="/assets/x.js").status for _ in range(3 * PAGE_FILE_FACTOR + 1)]

    assert [200] * 3 * PAGE_FILE_FACTOR + [429] == statuses
    assert 200 == here.ask(path=ABOUT).status


def test_this_machine_has_more_room() -> None:
    """The default limits depend on whether the server is local, and can be set."""
    assert NEAR_LIMITS == ServerSettings().effective_limits
    assert FAR_LIMITS == ServerSettings(host="0.0.0.0").effective_limits
    assert TIGHT == ServerSettings(limits=TIGHT).effective_limits
    assert [FAR_LIMITS] * 3 == [
        ServerSettings(hosts=("garden.example",)).effective_limits,
        ServerSettings(https=True).effective_limits,
        ServerSettings(proxy="127.0.0.1").effective_limits,
    ]
    assert NEAR_LIMITS.rate.each_second > FAR_LIMITS.rate.each_second
