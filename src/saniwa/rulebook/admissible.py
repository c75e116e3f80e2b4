"""Every action that may happen now.

Exact for any book: each field's candidates come from what the book itself demands of
it, or from everything there is, and every combination left is weighed like any claim.
Not listed are actions that need words of one's own: `speak`, `describe`, and the
introduction of something new.
"""

from saniwa.rulebook.book import Rulebook
from saniwa.rulebook.case import ActionCase, make_case
from saniwa.rulebook.loader import get_default_rulebook
from saniwa.world.actions import Action
from saniwa.world.laws import find_law_broken_by
from saniwa.world.model import Id, World


def find_admissible_actions(
    world: World, actor: Id, book: Rulebook | None = None
) -> tuple[Action, ...]:
    """Every action of the actor that `judge` allows now, by type, craft and then fields.

    Judged by the shipped `default` book where none is given. A field left out comes
    before any that is given. Complete for every world whose `contents` are in step with
    its entities' places.
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
    effects = (
        craft.compute_effects(make_case(action, world)) if craft is not None else ()
    )
    return find_law_broken_by(action, effects, world) is None
