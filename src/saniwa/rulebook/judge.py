"""Weighing one action."""

from saniwa.rulebook.book import Check, Craft, Rulebook
from saniwa.rulebook.case import Case, case_of
from saniwa.rulebook.laws import spoken
from saniwa.rulebook.verdict import Verdict
from saniwa.world.action import ACTIONS, Action
from saniwa.world.effect import Effect
from saniwa.world.effect_law import broken_by
from saniwa.world.law import Broken, illegible
from saniwa.world.model import World

_ALLOWED: dict[type[Action], Verdict] = {
    cls: Verdict(success=True, reason_code="OK", message="", check=name)
    for name, cls in ACTIONS.items()
}


def judge(action: Action, world: World, book: Rulebook) -> Verdict:
    """Say whether `action` may happen in `world`, and if not, why.

    Pure and total: the same three always give the same verdict, and no world, however
    broken, makes this raise. The first check that fails gives the reason; the laws of
    the world are weighed after the book. An allowed craft has its effects in the verdict.
    """
    case = case_of(action, world)
    for check in book.checks_of(action):
        if not check.test(case):
            return _refused(check, case)
    craft = book.craft_of(action)
    effects = craft.effects(case) if craft is not None else ()
    law = broken_by(action, effects, world) or illegible(action, world)
    if law is not None:
        return _unlawful(law, world)
    return _ALLOWED[type(action)] if craft is None else _crafted(craft, effects)


def allows(action: Action, world: World, book: Rulebook) -> bool:
    """Whether `judge` would let the action pass; makes no verdict."""
    case = case_of(action, world)
    for check in book.checks_of(action):
        if not check.test(case):
            return False
    craft = book.craft_of(action)
    effects = craft.effects(case) if craft is not None else ()
    law = broken_by(action, effects, world) or illegible(action, world)
    return law is None


def _crafted(craft: Craft, effects: tuple[Effect, ...]) -> Verdict:
    name = craft.manner.name
    return Verdict(
        success=True, reason_code="OK", message="", check=name, effects=effects
    )


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
