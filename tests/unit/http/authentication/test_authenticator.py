import asyncio
from pathlib import Path
from typing import Any

import pytest

from saniwa.app.caller import ANONYMOUS_CALLER, LOCAL_CALLER, Caller
from saniwa.core.errors import ProcessError
from saniwa.http.authenticator import RENEWAL_MINUTES, TOKEN_HOURS
from saniwa.http.request_scope import SCOPE_CALLER
from tests.unit.http.middleware.guarded_requests import FAR, NEAR, SECRET, GuardedServer, make_scope

PAGE = "/"


@pytest.fixture
def guarded_server(tmp_path: Path) -> GuardedServer:
    """A server that listens on the network."""
    return GuardedServer(tmp_path, FAR)


def find_caller(garden: GuardedServer, **headers: Any) -> Caller:
    """The caller of a request for a page, which is open to everyone."""
    assert 200 == garden.ask(path=PAGE, **headers).status
    found: Caller = garden.inside.scopes[-1][SCOPE_CALLER]
    return found


def test_a_person_who_signs_in_is_known_by_the_token(guarded_server: GuardedServer) -> None:
    """A person who has signed in is recognised by the session token."""
    cookie, csrf = guarded_server.sign_in()
    found = find_caller(guarded_server, cookie=cookie)

    assert ("ann", "reviewer", True) == (found.name, found.visitor.role, found.visitor.person)
    assert csrf == found.csrf != ""
    assert (False, "badge") == (found.stale, found.by)


def test_a_session_survives_a_restart(guarded_server: GuardedServer) -> None:
    """A session survives a restart of the server."""
    cookie, csrf = guarded_server.sign_in()
    guarded_server.app = guarded_server.open_app()

    assert csrf == find_caller(guarded_server, cookie=cookie).csrf


def test_a_session_token_expires(guarded_server: GuardedServer) -> None:
    """A token expires after its hours, and its caller is then anonymous."""
    cookie, _ = guarded_server.sign_in()
    guarded_server.watch.seconds += TOKEN_HOURS * 3_600
    found = find_caller(guarded_server, cookie=cookie)

    assert (True, "", "nothing") == (found.stale, found.name, found.by)


def test_a_used_session_is_renewed_until_its_end(guarded_server: GuardedServer) -> None:
    """A used session is renewed with the same CSRF token, until its maximum age."""
    cookie, csrf = guarded_server.sign_in()
    words = set[str]()
    for _ in range(TOKEN_HOURS - 1):
        guarded_server.watch.seconds += 3_600
        answer = guarded_server.ask(path=PAGE, cookie=cookie)
        (given,) = answer.list_header_values("set-cookie")
        cookie = given.partition(";")[0]
        words.add(guarded_server.inside.scopes[-1][SCOPE_CALLER].csrf)
    guarded_server.watch.seconds += 3_600

    assert {csrf} == words
    assert find_caller(guarded_server, cookie=cookie).stale


def test_a_session_is_not_renewed_with_every_request(guarded_server: GuardedServer) -> None:
    """A session is renewed only some minutes after the last renewal."""
    cookie, _ = guarded_server.sign_in()
    guarded_server.watch.seconds += 60 * RENEWAL_MINUTES - 1
    before = guarded_server.ask(path=PAGE, cookie=cookie).list_header_values("set-cookie")
    guarded_server.watch.seconds += 1

    assert [] == before
    assert 1 == len(guarded_server.ask(path=PAGE, cookie=cookie).list_header_values("set-cookie"))


def test_an_unused_session_ends_sooner(guarded_server: GuardedServer) -> None:
    """An unused session ends after two hours."""
    cookie, _ = guarded_server.sign_in()
    guarded_server.watch.seconds += 2 * 3_600

    assert find_caller(guarded_server, cookie=cookie).stale


def test_signing_out_everywhere_ends_all_sessions(guarded_server: GuardedServer) -> None:
    """Signing out everywhere ends all sessions so far, also renewed ones."""
    here, _ = guarded_server.sign_in()
    there, _ = guarded_server.sign_in()
    other, _ = guarded_server.sign_in("bot")
    asyncio.run(guarded_server.app.authenticator.sign_out_everywhere("ann"))
    guarded_server.watch.seconds += 1
    fresh, _ = guarded_server.sign_in()

    assert [True, True, False, False] == [
        find_caller(guarded_server, cookie=each).stale for each in (here, there, other, fresh)
    ]


def test_another_secret_ends_every_session_so_far(guarded_server: GuardedServer) -> None:
    """Changing the secret ends all sessions so far, except for a new one."""
    old, _ = guarded_server.sign_in()
    change = guarded_server.app.authenticator.change_secret
    entered = asyncio.run(change(make_scope("POST"), "ann", SECRET, "another secret"))
    new = entered.cookie[1].decode().partition(";")[0]

    assert [True, False] == [find_caller(guarded_server, cookie=each).stale for each in (old, new)]


def test_a_wrong_secret_changes_none(guarded_server: GuardedServer) -> None:
    """Changing the secret needs the current secret."""
    change = guarded_server.app.authenticator.change_secret
    with pytest.raises(ProcessError, match="CREDENTIAL_REFUSED"):
        asyncio.run(change(make_scope("POST"), "ann", "a wrong secret", "another secret"))

    assert guarded_server.people.authenticate(f"ann:{SECRET}").name == "ann"


def test_a_session_ends_with_its_person(guarded_server: GuardedServer) -> None:
    """Removing a person ends their sessions at once."""
    cookie, _ = guarded_server.sign_in("bot")
    before = find_caller(guarded_server, cookie=cookie).stale
    guarded_server.people.remove("bot", by=f"ann:{SECRET}")
    gone = find_caller(guarded_server, cookie=cookie).stale
    guarded_server.people.add("bot", "human", "another secret", at="", by=f"ann:{SECRET}")

    assert [False, True, True] == [before, gone, find_caller(guarded_server, cookie=cookie).stale]


def test_a_token_that_was_signed_out_is_refused(guarded_server: GuardedServer) -> None:
    """A token that was signed out is refused, also after a restart."""
    kept, _ = guarded_server.sign_in()
    stolen, _ = guarded_server.sign_in()
    asked = make_scope("POST", cookie=stolen)
    name, value = asyncio.run(guarded_server.app.authenticator.sign_out(asked))
    guarded_server.app = guarded_server.open_app()

    assert find_caller(guarded_server, cookie=stolen).stale
    assert not find_caller(guarded_server, cookie=kept).stale
    assert (b"set-cookie", True) == (name, b"=; Max-Age=0" in value)


def test_two_session_tokens_at_once_are_none(guarded_server: GuardedServer) -> None:
    """Two session tokens in one request are refused."""
    one, other = guarded_server.sign_in()[0], guarded_server.sign_in("bot")[0]

    assert find_caller(guarded_server, cookie=f"{one}; {other}").stale


def test_a_token_is_a_name_and_a_secret(guarded_server: GuardedServer) -> None:
    """A program sends its name and secret with each request."""
    found = find_caller(guarded_server, authorization=f"Bearer ann:{SECRET}")

    assert ("ann", "token", "") == (found.name, found.by, found.csrf)
    assert find_caller(guarded_server, authorization=f"bearer  ann:{SECRET} ").name == "ann"


def test_a_token_counts_before_a_session(guarded_server: GuardedServer) -> None:
    """A bearer token takes precedence over a session."""
    cookie, _ = guarded_server.sign_in("bot")

    found = find_caller(guarded_server, cookie=cookie, authorization=f"Bearer ann:{SECRET}")

    assert ("ann", "token") == (found.name, found.by)


@pytest.mark.parametrize(
    "said",
    [
        "",
        "Bearer",
        "Bearer ann",
        "Basic YW5uOmZvdXI=",
        f"Basic ann:{SECRET}",
        f"ann:{SECRET}",
        f"Bearer ann:{SECRET.upper()}",
        "Bearer \xff\xfe",
        [f"Bearer ann:{SECRET}", f"Bearer ann:{SECRET}"],
    ],
)
def test_a_wrong_token_goes_no_further(
    guarded_server: GuardedServer, said: str | list[str]
) -> None:
    """A wrong bearer token is refused, and does not fall back to another caller."""
    answer = guarded_server.ask(path=PAGE, authorization=said)

    assert (401, "CREDENTIAL_REFUSED") == (answer.status, answer.code)
    assert ['Bearer realm="saniwa"'] == answer.list_header_values("www-authenticate")
    assert [] == guarded_server.inside.scopes


def test_names_come_in_any_script(guarded_server: GuardedServer) -> None:
    """A token is read as UTF-8, so that names may be in any script."""
    guarded_server.people.add("庭師", "human", SECRET, at="", by=f"ann:{SECRET}")

    assert "庭師" == find_caller(guarded_server, authorization=f"Bearer 庭師:{SECRET}").name


def test_a_name_with_a_colon_belongs_to_no_person(guarded_server: GuardedServer) -> None:
    """The name ends at the first colon, so that a name cannot contain part of the secret."""
    guarded_server.people.add("col", "human", "one:and another", at="", by=f"ann:{SECRET}")
    authenticator = guarded_server.app.authenticator
    with pytest.raises(ProcessError, match="CREDENTIAL_REFUSED"):
        asyncio.run(authenticator.sign_in(make_scope(), "col:one", "and another"))

    entered = asyncio.run(authenticator.sign_in(make_scope(), "col", "one:and another"))
    assert "col" == entered.caller.name


def test_without_anything_nearness_decides(tmp_path: Path, guarded_server: GuardedServer) -> None:
    """Without credentials, a local caller is trusted and a remote one is anonymous."""
    (tmp_path / "near").mkdir()
    near = GuardedServer(tmp_path / "near", NEAR)

    assert [LOCAL_CALLER, ANONYMOUS_CALLER] == [find_caller(near), find_caller(guarded_server)]


def test_an_unreadable_people_file_admits_no_visitor(guarded_server: GuardedServer) -> None:
    """If the people file cannot be read, every visitor is refused, and its path is not shown."""
    cookie, _ = guarded_server.sign_in()
    guarded_server.people.path.write_text("{", encoding="utf-8")
    answer = guarded_server.ask(path=PAGE, cookie=cookie)

    assert (503, "STORE_UNREADABLE") == (answer.status, answer.code)
    assert str(guarded_server.folder).encode() not in answer.body
