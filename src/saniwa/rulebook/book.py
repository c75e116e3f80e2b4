"""A compiled rulebook: its checks, its crafts, and the plans that find allowed actions.

`loader` builds it from documents; `judge` applies it, and the laws of the world.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from saniwa.rulebook.action_search import SearchPlan
from saniwa.rulebook.conditions import Condition
from saniwa.rulebook.effects import ConditionalEffect
from saniwa.rulebook.predicates import ActionCase, Test
from saniwa.rulebook.verdict import ReasonCode, RefusalMessage
from saniwa.world.actions import Action, Use
from saniwa.world.effects import Effect
from saniwa.world.model import Manner, World

UNLISTED_ACTIONS: Final = ("describe", "emote", "speak")
"""Actions that need free text, so that they cannot be listed."""

EVERY_ACTION = "*"
"""The action type of the rule that applies to every action and is judged first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleCheck:
    """A condition that must be true for an action to pass."""

    name: str
    """The rule and the check's id, such as `take.in_scope`."""
    condition: Condition
    """What must hold."""
    test: Test
    """The condition as a function."""
    reason: ReasonCode
    """The code of its refusal."""
    word: str
    """The more specific word for the refusal, if the book has one."""
    message: RefusalMessage
    """The message of its refusal."""
    hint: RefusalMessage | None
    """A hint that the refusal adds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Craft:
    """A way of using things that a book defines."""

    manner: Manner
    """Its name, and the words for it."""
    checks: tuple[RuleCheck, ...]
    """Its checks in order: those of `*`, then its own, none of plain `use`."""
    provisions: tuple[ConditionalEffect, ...]
    """Its effects, in order."""

    def compute_effects(self, case: ActionCase) -> tuple[Effect, ...]:
        """Return the effects whose conditions hold before the action."""
        return tuple(effect for one in self.provisions for effect in one.compute_effects(case))


@dataclass(frozen=True, slots=True, kw_only=True)
class Rulebook:
    """Checks per action type, and crafts."""

    id: str
    """Its id."""
    fingerprint: str
    """The fingerprint: 16 hex digits that change whenever a verdict could change."""
    document: dict[str, Any]
    """All layers as one document; reading it again gives an equal book."""
    checks: Mapping[type[Action], tuple[RuleCheck, ...]]
    """The checks of each action type, in order; those of `*` come first."""
    plans: tuple[SearchPlan, ...]
    """How to find every allowed action, in order of action type and craft."""
    crafts: Mapping[str, Craft]
    """The crafts it defines, by name, in the author's order."""
    untaught: tuple[RuleCheck, ...]
    """The checks for a use in a manner that the book does not define; they always fail.
    """

    def find_craft(self, action: Action) -> Craft | None:
        """Return the craft of an action, or None if it has none or the book lacks it."""
        if type(action) is Use and action.manner:
            return self.crafts.get(action.manner)
        return None

    def find_checks(self, action: Action) -> tuple[RuleCheck, ...]:
        """Return the checks of an action, in order."""
        if type(action) is Use and action.manner:
            craft = self.crafts.get(action.manner)
            return self.untaught if craft is None else craft.checks
        return self.checks[type(action)]


def add_manners(world: World, book: Rulebook) -> World:
    """Return the world with the words for the book's crafts; nothing else changes."""
    manners = tuple(craft.manner for craft in book.crafts.values())
    if manners == world.manners:
        return world
    return msgspec.structs.replace(world, manners=manners)
