import asyncio
from pathlib import Path
from typing import Any

import pytest

from saniwa.core.errors import ProcessError
from saniwa.http.asgi import SCOPE_CALLER
from saniwa.http.auth.authenticator import RENEWAL_MINUTES, TOKEN_HOURS
from saniwa.http.auth.caller import ANONYMOUS_CALLER, LOCAL_CALLER, Caller
from tests.unit.http.middleware.asking import FAR, NEAR, SECRET, Garden, scope

PAGE = "/"


@pytest.fixture
def garden(tmp_path: Path) -> Garden:
    """A garden beyond this machine."""
    return Garden(tmp_path, FAR)


def caller(garden: Garden, **headers: Any) -> Caller:
    """Who asks for a page, which anybody may."""
    assert 200 == garden.ask(path=PAGE, **headers).status
    found: Caller = garden.inside.scopes[-1][SCOPE_CALLER]
    return found


def test_who_signs_in_is_known_by_the_badge(garden: Garden) -> None:
    """A name and its secret are asked for once."""
    cookie, csrf = garden.signed_in()
    found = caller(garden, cookie=cookie)

    assert ("ann", "reviewer", True) == (found.name, found.visitor.role, found.visitor.person)
    assert csrf == found.csrf != ""
    assert (False, "badge") == (found.stale, found.by)


def test_a_badge_survives_a_restart(garden: Garden) -> None:
    """Nobody signs in again because the server did not stay."""
    cookie, csrf = garden.signed_in()
    garden.app = garden.opened()

    assert csrf == caller(garden, cookie=cookie).csrf


def test_a_badge_ends(garden: Garden) -> None:
    """After its hours a badge is stale, and whoever shows it a stranger."""
    cookie, _ = garden.signed_in()
    garden.watch.seconds += TOKEN_HOURS * 3_600
    found = caller(garden, cookie=cookie)

    assert (True, "", "nothing") == (found.stale, found.name, found.by)


def test_a_badge_that_is_used_is_renewed_until_its_end(garden: Garden) -> None:
    """Who goes on stays signed in for all its hours, with the same word beside it."""
    cookie, csrf = garden.signed_in()
    words = set[str]()
    for _ in range(TOKEN_HOURS - 1):
        garden.watch.seconds += 3_600
        answer = garden.ask(path=PAGE, cookie=cookie)
        (given,) = answer.header("set-cookie")
        cookie = given.partition(";")[0]
        words.add(garden.inside.scopes[-1][SCOPE_CALLER].csrf)
    garden.watch.seconds += 3_600

    assert {csrf} == words
    assert caller(garden, cookie=cookie).stale


def test_a_badge_is_not_renewed_with_every_request(garden: Garden) -> None:
    """Only where the last time is some minutes ago."""
    cookie, _ = garden.signed_in()
    garden.watch.seconds += 60 * RENEWAL_MINUTES - 1
    before = garden.ask(path=PAGE, cookie=cookie).header("set-cookie")
    garden.watch.seconds += 1

    assert [] == before
    assert 1 == len(garden.ask(path=PAGE, cookie=cookie).header("set-cookie"))


def test_a_badge_that_is_not_used_ends_sooner(garden: Garden) -> None:
    """Somebody who left a browser open is signed out after two hours."""
    cookie, _ = garden.signed_in()
    garden.watch.seconds += 2 * 3_600

    assert caller(garden, cookie=cookie).stale


def test_who_signs_out_everywhere_is_out_everywhere(garden: Garden) -> None:
    """Every badge so far ends, also a renewed one; a new one counts."""
    here, _ = garden.signed_in()
    there, _ = garden.signed_in()
    other, _ = garden.signed_in("bot")
    asyncio.run(garden.app.authenticator.sign_out_everywhere("ann"))
    garden.watch.seconds += 1
    fresh, _ = garden.signed_in()

    assert [True, True, False, False] == [
        caller(garden, cookie=each).stale for each in (here, there, other, fresh)
    ]


def test_another_secret_ends_every_badge_so_far(garden: Garden) -> None:
    """Who changes their secret goes on with a new badge, and nobody with an old one."""
    old, _ = garden.signed_in()
    change = garden.app.authenticator.change_secret
    entered = asyncio.run(change(scope("POST"), "ann", SECRET, "another secret"))
    new = entered.cookie[1].decode().partition(";")[0]

    assert [True, False] == [caller(garden, cookie=each).stale for each in (old, new)]


def test_a_wrong_secret_changes_none(garden: Garden) -> None:
    """A badge alone is not enough to take a name over."""
    change = garden.app.authenticator.change_secret
    with pytest.raises(ProcessError, match="CREDENTIAL_REFUSED"):
        asyncio.run(change(scope("POST"), "ann", "a wrong secret", "another secret"))

    assert garden.people.authenticate(f"ann:{SECRET}").name == "ann"


def test_a_badge_ends_with_its_person(garden: Garden) -> None:
    """Who is removed is out with the very next request."""
    cookie, _ = garden.signed_in("bot")
    before = caller(garden, cookie=cookie).stale
    garden.people.remove("bot", by=f"ann:{SECRET}")
    gone = caller(garden, cookie=cookie).stale
    garden.people.add("bot", "human", "another secret", at="", by=f"ann:{SECRET}")

    assert [False, True, True] == [before, gone, caller(garden, cookie=cookie).stale]


def test_who_signs_out_is_out(garden: Garden) -> None:
    """A badge that was given back counts nowhere, not even after a restart."""
    kept, _ = garden.signed_in()
    stolen, _ = garden.signed_in()
    asked = scope("POST", cookie=stolen)
    name, value = asyncio.run(garden.app.authenticator.sign_out(asked))
    garden.app = garden.opened()

    assert caller(garden, cookie=stolen).stale
    assert not caller(garden, cookie=kept).stale
    assert (b"set-cookie", True) == (name, b"=; Max-Age=0" in value)


def test_two_badges_at_once_are_none(garden: Garden) -> None:
    """Nobody slips a badge of theirs under somebody else's."""
    one, other = garden.signed_in()[0], garden.signed_in("bot")[0]

    assert caller(garden, cookie=f"{one}; {other}").stale


def test_a_token_is_a_name_and_a_secret(garden: Garden) -> None:
    """A program brings its credential with each request."""
    found = caller(garden, authorization=f"Bearer ann:{SECRET}")

    assert ("ann", "token", "") == (found.name, found.by, found.csrf)
    assert caller(garden, authorization=f"bearer  ann:{SECRET} ").name == "ann"


def test_a_token_counts_before_a_badge(garden: Garden) -> None:
    """What a program says itself is meant; a badge may have come along."""
    cookie, _ = garden.signed_in("bot")

    found = caller(garden, cookie=cookie, authorization=f"Bearer ann:{SECRET}")

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
def test_a_wrong_token_goes_no_further(garden: Garden, said: str | list[str]) -> None:
    """Who says a name is not let in as somebody else instead."""
    answer = garden.ask(path=PAGE, authorization=said)

    assert (401, "CREDENTIAL_REFUSED") == (answer.status, answer.code)
    assert ['Bearer realm="saniwa"'] == answer.header("www-authenticate")
    assert [] == garden.inside.scopes


def test_names_come_in_any_script(garden: Garden) -> None:
    """A token is read as UTF-8."""
    garden.people.add("庭師", "human", SECRET, at="", by=f"ann:{SECRET}")

    assert "庭師" == caller(garden, authorization=f"Bearer 庭師:{SECRET}").name


def test_a_name_with_a_colon_is_nobodys(garden: Garden) -> None:
    """No name smuggles a part of the secret."""
    garden.people.add("col", "human", "one:and another", at="", by=f"ann:{SECRET}")
    authenticator = garden.app.authenticator
    with pytest.raises(ProcessError, match="CREDENTIAL_REFUSED"):
        asyncio.run(authenticator.sign_in(scope(), "col:one", "and another"))

    entered = asyncio.run(authenticator.sign_in(scope(), "col", "one:and another"))
    assert "col" == entered.caller.name


def test_without_anything_nearness_decides(tmp_path: Path, garden: Garden) -> None:
    """At this machine one need not sign in; elsewhere one is a stranger."""
    (tmp_path / "near").mkdir()
    near = Garden(tmp_path / "near", NEAR)

    assert [LOCAL_CALLER, ANONYMOUS_CALLER] == [caller(near), caller(garden)]


def test_people_that_cannot_be_read_let_nobody_in(garden: Garden) -> None:
    """A spoilt file is no empty one, and where it lies is not told."""
    cookie, _ = garden.signed_in()
    garden.people.path.write_text("{", encoding="utf-8")
    answer = garden.ask(path=PAGE, cookie=cookie)

    assert (503, "STORE_UNREADABLE") == (answer.status, answer.code)
    assert str(garden.folder).encode() not in answer.body
