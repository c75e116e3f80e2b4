"""Judges one action by a rulebook and the laws of the world."""

from saniwa.rulebook.book import Craft, Rulebook, RuleCheck
from saniwa.rulebook.predicates import ActionCase, make_case
from saniwa.rulebook.refusal_messages import translate_law
from saniwa.rulebook.verdict import Verdict
from saniwa.world.actions import ACTIONS, Action
from saniwa.world.effects import Effect
from saniwa.world.laws import BrokenLaw, find_illegible_text, find_law_broken_by
from saniwa.world.model import World

_ALLOWED: dict[type[Action], Verdict] = {
    cls: Verdict(success=True, reason_code="OK", message="", check=name)
    for name, cls in ACTIONS.items()
}


def judge(action: Action, world: World, book: Rulebook) -> Verdict:
    """Say whether `action` may happen in `world`, and if not, why.

    Pure and total: the same three arguments always give the same verdict, and no world,
    however broken, makes this raise. The first check that fails gives the reason; the
    laws of the world are checked after the book. The verdict on an allowed craft
    contains its effects.
    """
    case = make_case(action, world)
    for check in book.find_checks(action):
        if not check.test(case):
            return _refuse(check, case)
    craft = book.find_craft(action)
    effects = craft.compute_effects(case) if craft is not None else ()
    law = find_law_broken_by(action, effects, world) or find_illegible_text(action, world)
    if law is not None:
        return _refuse_by_law(law, world)
    return _ALLOWED[type(action)] if craft is None else _allow_craft(craft, effects)


def is_allowed(action: Action, world: World, book: Rulebook) -> bool:
    """Whether `judge` would allow the action; builds no verdict."""
    case = make_case(action, world)
    for check in book.find_checks(action):
        if not check.test(case):
            return False
    craft = book.find_craft(action)
    effects = craft.compute_effects(case) if craft is not None else ()
    law = find_law_broken_by(action, effects, world) or find_illegible_text(action, world)
    return law is None


def _allow_craft(craft: Craft, effects: tuple[Effect, ...]) -> Verdict:
    name = craft.manner.name
    return Verdict(success=True, reason_code="OK", message="", check=name, effects=effects)


def _refuse(check: RuleCheck, case: ActionCase) -> Verdict:
    return Verdict(
        success=False,
        reason_code=check.reason,
        message=check.message.render(case),
        check=check.name,
        fail_reason=check.word,
        hint=check.hint.render(case) if check.hint else "",
    )


def _refuse_by_law(law: BrokenLaw, world: World) -> Verdict:
    return Verdict(
        success=False,
        reason_code=law.reason,
        message=translate_law(law, world.language),
        check=f"law.{law.law}",
    )
