import pytest

from saniwa.app.caller import (
    ANONYMOUS_CALLER,
    LOCAL_CALLER,
    Caller,
    Permission,
    check_permission,
    make_caller,
)
from saniwa.core.errors import ProcessError
from saniwa.process.submission import Visitor
from saniwa.store.gate.people import GatePerson

ANN = GatePerson(name="ann", role="reviewer", salt="", hash="5ec2e7", added_at="")
BOT = GatePerson(name="bot", role="agent", salt="", hash="5ec2e7", added_at="")


@pytest.mark.parametrize(
    ("caller", "may"),
    [
        (ANONYMOUS_CALLER, set()),
        (LOCAL_CALLER, {"look", "play", "change"}),
        (make_caller(BOT, "token"), {"look", "play"}),
        (make_caller(BOT, "badge"), {"look", "play"}),
        (make_caller(ANN, "token"), {"look", "play", "change"}),
    ],
)
def test_what_a_caller_may_do_follows_from_who_they_are(caller: Caller, may: set[str]) -> None:
    """Anonymous callers may do nothing, agents may read, people and local callers may change."""
    assert may == caller.permissions


def test_only_a_person_is_one_at_the_gate() -> None:
    """Only a registered person's credential makes a person at the gate."""
    assert Visitor("reviewer", person=True, name="ann") == make_caller(ANN, "token").visitor
    assert Visitor("agent", name="bot") == make_caller(BOT, "token").visitor
    assert Visitor("agent") == LOCAL_CALLER.visitor == ANONYMOUS_CALLER.visitor
    assert [ANN, None, None] == [
        each.person for each in (make_caller(ANN, "badge"), make_caller(BOT, "badge"), LOCAL_CALLER)
    ]


@pytest.mark.parametrize(
    ("caller", "need", "code"),
    [
        (ANONYMOUS_CALLER, "look", "SIGN_IN_NEEDED"),
        (ANONYMOUS_CALLER, "change", "SIGN_IN_NEEDED"),
        (make_caller(BOT, "token"), "change", "FORBIDDEN"),
    ],
)
def test_a_caller_without_permission_learns_what_would_help(
    caller: Caller, need: Permission, code: str
) -> None:
    """Without the permission, an anonymous caller gets another error than one who signed in."""
    with pytest.raises(ProcessError) as stopped:
        check_permission(caller, need)

    assert code == stopped.value.code


def test_nothing_secret_is_shown_of_a_caller() -> None:
    """The `repr` of a caller has no secret and no CSRF token."""
    shown = repr(make_caller(ANN, "badge", csrf="b3s1de"))

    assert "ann" in shown
    assert "5ec2e7" not in shown
    assert "b3s1de" not in shown
