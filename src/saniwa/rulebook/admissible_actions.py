"""Lists all actions that a rulebook and the laws of the world allow.

The list is exact for any book: the candidates for each field come from the book's own
conditions, or are everything that exists, and every remaining combination is judged
like any claim. Actions that need free text are not listed: `speak`, `describe`, and
`introduce` for something new.
"""

from saniwa.rulebook.book import Rulebook
from saniwa.rulebook.loader import get_default_rulebook
from saniwa.rulebook.predicates import ActionCase, make_case
from saniwa.world.actions import Action
from saniwa.world.laws import find_law_broken_by
from saniwa.world.model import Id, World


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
