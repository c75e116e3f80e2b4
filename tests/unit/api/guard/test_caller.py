import pytest

from saniwa.api.guard.caller import LOCAL, NOBODY, Caller, Need, check_may, signed_in
from saniwa.core.errors import ProcessError
from saniwa.process.visitor import Visitor
from saniwa.store.gate.people.file import Person

ANN = Person(name="ann", role="reviewer", salt="", hash="5ec2e7", added_at="")
BOT = Person(name="bot", role="agent", salt="", hash="5ec2e7", added_at="")


@pytest.mark.parametrize(
    ("caller", "may"),
    [
        (NOBODY, set()),
        (LOCAL, {"look", "play", "change"}),
        (signed_in(BOT, "token"), {"look", "play"}),
        (signed_in(BOT, "badge"), {"look", "play"}),
        (signed_in(ANN, "token"), {"look", "play", "change"}),
    ],
)
def test_what_somebody_may_do_follows_from_who_they_are(
    caller: Caller, may: set[str]
) -> None:
    """Strangers nothing, agents no change, people and this machine everything."""
    assert may == caller.may


def test_only_a_person_is_one_at_the_gate() -> None:
    """An agent's credential, or a seat at this machine, makes nobody a person."""
    assert (
        Visitor("reviewer", person=True, name="ann") == signed_in(ANN, "token").visitor
    )
    assert Visitor("agent", name="bot") == signed_in(BOT, "token").visitor
    assert Visitor("agent") == LOCAL.visitor == NOBODY.visitor
    assert [ANN, None, None] == [
        each.person
        for each in (signed_in(ANN, "badge"), signed_in(BOT, "badge"), LOCAL)
    ]


@pytest.mark.parametrize(
    ("caller", "need", "code"),
    [
        (NOBODY, "look", "SIGN_IN_NEEDED"),
        (NOBODY, "change", "SIGN_IN_NEEDED"),
        (signed_in(BOT, "token"), "change", "FORBIDDEN"),
    ],
)
def test_who_may_not_is_told_what_would_help(
    caller: Caller, need: Need, code: str
) -> None:
    """Strangers are told to sign in; whoever has signed in is told that it is not theirs."""
    with pytest.raises(ProcessError) as stopped:
        check_may(caller, need)

    assert code == stopped.value.code


def test_nothing_secret_is_shown_of_a_caller() -> None:
    """What is written about somebody names neither their secret nor their word."""
    shown = repr(signed_in(ANN, "badge", csrf="b3s1de"))

    assert "ann" in shown
    assert "5ec2e7" not in shown
    assert "b3s1de" not in shown
