"""Which of the many admissible actions are worth listing for a player."""

from saniwa.world.action import Action, Take, Use
from saniwa.world.model import World


def is_worth_suggesting(action: Action, world: World) -> bool:
    """Whether a player would miss the action in a list of what can be done.

    Not worth it are a second spelling of the same deed and a use without effect.
    """
    match action:
        case Take(source_id=source):
            return source is None
        case Use(target_id=target, manner=""):
            thing = world.entities.get(target)
            return thing is not None and "use" in thing.attributes
        case _:
            return True
