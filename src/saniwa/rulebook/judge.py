"""Judges actions by a rulebook and the laws of the world, and lists all that they allow.

The list is exact for any book: the candidates for each field come from the book's own
conditions, or are everything that exists, and every remaining combination is judged
like any claim. Actions that need free text are not listed: `speak`, `emote`,
`describe`, and `introduce` for something new.
"""

from saniwa.rulebook.book import Craft, Rulebook, RuleCheck
from saniwa.rulebook.loader import get_default_rulebook
from saniwa.rulebook.predicates import ActionCase, make_case
from saniwa.rulebook.verdict import Verdict, translate_law
from saniwa.world.actions import ACTIONS, Action
from saniwa.world.effects import Effect
from saniwa.world.model import Id, World
from saniwa.world.well_formedness_laws import BrokenLaw, find_illegible_text, find_law_broken_by

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


def find_admissible_actions(
    world: World, actor: Id, book: Rulebook | None = None
) -> tuple[Action, ...]:
    """List the actor's actions that `judge` allows now, by type, craft and fields.

    Uses the shipped `default` book if none is given. An omitted field sorts before any
    given one. Complete for every world whose `contents` agree with the places of its
    entities.
    """
    book = book or get_default_rulebook()
    case = ActionCase(world, actor, "")
    return tuple(
        action
        for plan in book.plans
        for action in plan.find_actions(case)
        if _is_lawful(action, world, book)
    )


def _is_lawful(action: Action, world: World, book: Rulebook) -> bool:
    craft = book.find_craft(action)
    effects = craft.compute_effects(make_case(action, world)) if craft is not None else ()
    return find_law_broken_by(action, effects, world) is None


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
