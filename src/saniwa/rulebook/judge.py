"""Weighing one action."""

from saniwa.rulebook.book import Check, Rulebook
from saniwa.rulebook.case import Case, case_of
from saniwa.rulebook.laws import spoken
from saniwa.rulebook.verdict import Verdict
from saniwa.world.action import ACTIONS, Action
from saniwa.world.law import Broken, broken_law
from saniwa.world.model import World

_ALLOWED: dict[type[Action], Verdict] = {
    cls: Verdict(success=True, reason_code="OK", message="", check=name)
    for name, cls in ACTIONS.items()
}


def judge(action: Action, world: World, book: Rulebook) -> Verdict:
    """Say whether `action` may happen in `world`, and if not, why.

    Pure and total: the same three always give the same verdict, and no world, however
    broken, makes this raise. The first check that fails gives the reason; the laws of
    the world are weighed after the book.
    """
    case = case_of(action, world)
    for check in book.checks[type(action)]:
        if not check.test(case):
            return _refused(check, case)
    law = broken_law(action, world)
    return _ALLOWED[type(action)] if law is None else _unlawful(law, world)


def allows(action: Action, world: World, book: Rulebook) -> bool:
    """Whether `judge` would let the action pass; makes no verdict."""
    case = case_of(action, world)
    for check in book.checks[type(action)]:
        if not check.test(case):
            return False
    return broken_law(action, world) is None


def _refused(check: Check, case: Case) -> Verdict:
    return Verdict(
        success=False,
        reason_code=check.reason,
        message=check.message.spoken(case),
        check=check.name,
        fail_reason=check.word,
        hint=check.hint.spoken(case) if check.hint else "",
    )


def _unlawful(law: Broken, world: World) -> Verdict:
    return Verdict(
        success=False,
        reason_code=law.reason,
        message=spoken(law, world.language),
        check=f"law.{law.law}",
    )
