"""Every action that may happen now.

Exact for any book: each field's candidates come from what the book itself demands of
it, or from everything there is, and every combination left is weighed like any claim.
Not listed are actions that need words of one's own: `speak`, `describe`, and the
introduction of something new.
"""

from saniwa.rulebook.book import Rulebook
from saniwa.rulebook.case import Case, case_of
from saniwa.rulebook.load import default_book
from saniwa.world.action import Action
from saniwa.world.effect_law import broken_by
from saniwa.world.model import Id, World


def admissible(
    world: World, actor: Id, book: Rulebook | None = None
) -> tuple[Action, ...]:
    """Every action of the actor that `judge` allows now, by type, craft and then fields.

    Judged by the shipped `default` book where none is given. A field left out comes
    before any that is given. Complete for every world whose `contents` are in step with
    its entities' places.
    """
    book = book or default_book()
    case = Case(world, actor, "")
    return tuple(
        action
        for plan in book.plans
        for action in plan.found(case)
        if _lawful(action, world, book)
    )


def _lawful(action: Action, world: World, book: Rulebook) -> bool:
    craft = book.craft_of(action)
    effects = craft.effects(case_of(action, world)) if craft is not None else ()
    return broken_by(action, effects, world) is None
