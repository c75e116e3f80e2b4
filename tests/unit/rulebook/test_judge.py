import msgspec

from saniwa.rulebook.judge import is_allowed, judge
from saniwa.rulebook.verdict import Verdict
from saniwa.world.actions import Eat, Introduce, Move, Open, Take, Wait
from saniwa.world.apply import apply_action
from saniwa.world.model import Id
from tests.fakes.books import DEFAULT, STRICT, build_book, make_rule
from tests.fakes.worlds import PLAYER, make_courtyard

OPEN = Open(actor_id=PLAYER, target_id=Id("gate"))
TAKE = Take(actor_id=PLAYER, target_id=Id("key"))


def test_a_locked_gate_opens_for_its_key_and_leads_on() -> None:
    """A locked gate is refused without its key, opens with it, and can then be passed."""
    before = make_courtyard()
    with_key = apply_action(TAKE, before).world
    opened = apply_action(OPEN, with_key).world
    through = Move(actor_id=PLAYER, target_id=Id("orchard"))

    assert "LOCKED" == judge(OPEN, before, DEFAULT).reason_code
    assert judge(OPEN, with_key, DEFAULT).success
    assert "LOCKED" == judge(OPEN, with_key, STRICT).reason_code
    assert "LOCKED" == judge(through, with_key, DEFAULT).reason_code
    assert judge(through, opened, DEFAULT).success


def test_a_refusal_says_everything_a_player_needs() -> None:
    """A refusal has a reason, a message, the check, and a finer reason."""
    assert Verdict(
        success=False,
        reason_code="LOCKED",
        message="The iron gate is locked.",
        check="open.key_held",
        fail_reason="target_locked",
    ) == judge(OPEN, make_courtyard(), DEFAULT)


def test_an_allowed_action_names_its_rule() -> None:
    """The verdict of an allowed action names only its rule."""
    assert Verdict(success=True, reason_code="OK", message="", check="take") == judge(
        TAKE, make_courtyard(), DEFAULT
    )


def test_the_first_failing_check_decides() -> None:
    """Checks run in order, those for every action first."""
    no = {"not": {"entityExists": "actor"}}
    book = build_book(make_rule("take", no, no), make_rule("*", "actorsTurn", no))

    assert not is_allowed(TAKE, make_courtyard(), book)
    assert "*.c1" == judge(TAKE, make_courtyard(), book).check
    assert "take.c0" == judge(TAKE, make_courtyard(), build_book(make_rule("take", no, no))).check


def test_a_code_is_no_finer_word() -> None:
    """A check that fails with one of the eight codes has no finer reason."""
    book = build_book(make_rule("take", {"held": "target"}))

    assert "" == judge(TAKE, make_courtyard(), book).fail_reason


def test_laws_hold_after_the_book() -> None:
    """The laws of the world are checked even if the book allows everything."""
    meal = Eat(actor_id=PLAYER, target_id=Id("bench"))
    nobody = Wait(actor_id=Id("ghost"))
    free = build_book()

    assert ("law.empty", False) == (
        judge(meal, make_courtyard(), free).check,
        is_allowed(meal, make_courtyard(), free),
    )
    assert "law.actor" == judge(nobody, make_courtyard(), free).check


def test_what_cannot_be_seen_is_refused_by_every_book() -> None:
    """Text with invisible characters is refused with a message about them, in Japanese too."""
    lamp = Introduce(actor_id=PLAYER, metadata={"name": "lamp\x1b"})
    japanese = msgspec.structs.replace(make_courtyard(), language="ja")

    assert ("law.legible", "INVALID_TARGET", False) == (
        judge(lamp, make_courtyard(), build_book()).check,
        judge(lamp, make_courtyard(), build_book()).reason_code,
        is_allowed(lamp, make_courtyard(), build_book()),
    )
    assert "文字" in judge(lamp, japanese, build_book()).message
