"""Weighing one action."""

from saniwa.rulebook.book import Rulebook
from saniwa.rulebook.verdict import Verdict
from saniwa.world.action import Action, type_of
from saniwa.world.law import broken_law
from saniwa.world.model import World


def judge(action: Action, world: World, book: Rulebook) -> Verdict:
    """Say whether `action` may happen in `world`, and if not, why."""
    law = broken_law(action, world)
    if law is not None:
        return Verdict(
            success=False,
            reason_code=law.reason,
            message=law.message,
            check=f"law.{law.law}",
        )
    return Verdict(
        success=True, reason_code="OK", message="", check=f"{book.id}.{type_of(action)}"
    )
