"""The guard answers every request, and an unknown caller reaches nothing."""

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saniwa.http.request_scope import SCOPE_CALLER
from tests.unit.http.middleware.guarded_requests import (
    FAR,
    NEAR,
    BodyPieces,
    GuardedServer,
    InnerApp,
    ask_app,
)

NAMES = [
    "host",
    "cookie",
    "origin",
    "authorization",
    "sec-fetch-site",
    "sec-fetch-mode",
    "sec-fetch-dest",
    "content-length",
    "transfer-encoding",
    "x-saniwa-csrf",
    "x-forwarded-for",
    "forwarded",
    "if-match",
]
USUAL = (
    "localhost:8000",
    "garden.example",
    "http://localhost:8000",
    "same-origin",
    "cross-site",
    "navigate",
    "document",
    "Bearer ",
    "0",
    "null",
)
VALUES = st.sampled_from(USUAL).map(str.encode) | st.binary(max_size=60)
HEADERS = st.lists(
    st.tuples(st.sampled_from(NAMES).map(str.encode), VALUES)
    | st.tuples(st.binary(min_size=1, max_size=12).map(bytes.lower), VALUES),
    max_size=8,
)
PATHS = st.sampled_from(
    ["/", "/api", "/api/v1/", "/api/v1/runs", "/api/v1/sign-in", "/api/v1/r/live"]
) | st.text(max_size=40).map(lambda text: "/" + text)
METHODS = st.sampled_from(["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"]) | st.text(
    "ABCDEFG", min_size=1, max_size=9
)
STATUSES = {200, 400, 401, 403, 408, 413, 421, 429}
HOST = (b"host", b"garden.example")


@pytest.fixture(scope="module")
def guarded_servers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, GuardedServer]:
    """A server that listens on this machine only, and one that listens on the network."""
    return {
        "near": GuardedServer(tmp_path_factory.mktemp("near"), NEAR),
        "far": GuardedServer(tmp_path_factory.mktemp("far"), FAR),
    }


def reach_app(garden: GuardedServer, asked: dict[str, Any]) -> tuple[int, list[Any]]:
    """The status of the answer, and the requests that reached the app."""
    garden.watch.seconds += 100
    inside = InnerApp()
    answer = asyncio.run(ask_app(garden.open_app(inside), asked, BodyPieces([b"", b""])))
    return answer.status, inside.scopes


SCOPES = st.fixed_dictionaries(
    {
        "type": st.just("http"),
        "method": METHODS,
        "path": PATHS,
        "headers": st.one_of(HEADERS, HEADERS.map(lambda h: [HOST, *h])),
        "client": st.none() | st.tuples(st.text(max_size=12), st.just(1)),
        "server": st.none() | st.just(("127.0.0.1", 8000)),
    }
)


@given(asked=SCOPES, name=st.sampled_from(["near", "far"]))
def test_whatever_is_asked_is_answered(
    guarded_servers: dict[str, GuardedServer], asked: dict[str, Any], name: str
) -> None:
    """No header, path or method breaks a middleware layer."""
    status, scopes = reach_app(guarded_servers[name], asked)

    assert status in STATUSES
    assert (status == 200) == bool(scopes)


@given(asked=SCOPES)
def test_an_unknown_caller_reaches_nothing(
    guarded_servers: dict[str, GuardedServer], asked: dict[str, Any]
) -> None:
    """A remote caller without a credential reaches only the entry and sign-in operations."""
    _, scopes = reach_app(guarded_servers["far"], asked)
    operations = [
        (each["method"], each["path"])
        for each in scopes
        if each["path"] == "/api" or each["path"].startswith("/api/")
    ]

    assert all("nothing" == each[SCOPE_CALLER].by for each in scopes)
    assert set(operations) <= {
        ("GET", "/api/v1/"),
        ("HEAD", "/api/v1/"),
        ("GET", "/api/v1"),
        ("HEAD", "/api/v1"),
        ("POST", "/api/v1/sign-in"),
        ("POST", "/api/v1/sign-out"),
    }
