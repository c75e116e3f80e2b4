"""A rulebook, read and ready to judge by."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from saniwa.rulebook.case import Case
from saniwa.rulebook.condition import Condition
from saniwa.rulebook.effects import Provision
from saniwa.rulebook.message import Message
from saniwa.rulebook.plan import Plan
from saniwa.rulebook.predicate import Test
from saniwa.rulebook.verdict import ReasonCode
from saniwa.world.action import Action, Use
from saniwa.world.effect import Effect
from saniwa.world.manner import Manner
from saniwa.world.model import World

EVERY = "*"
"""The action type of the rule that holds for every action and is weighed first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that must be so for an action to pass."""

    name: str
    """The rule and the check's id, such as `take.in_scope`."""
    condition: Condition
    """What must hold."""
    test: Test
    """The same, ready to be asked."""
    reason: ReasonCode
    """The code of a refusal by it."""
    word: str
    """The finer word for it, where the book has one."""
    message: Message
    """What a refusal says."""
    hint: Message | None
    """What a refusal adds as a word of help."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Craft:
    """A way of using things that a book teaches."""

    manner: Manner
    """Its name, and the words for it."""
    checks: tuple[Check, ...]
    """What it must pass, in order: those of `*`, then its own, none of plain `use`."""
    provisions: tuple[Provision, ...]
    """What comes of it, in order."""

    def effects(self, case: Case) -> tuple[Effect, ...]:
        """What comes of it here: all provisions whose condition holds beforehand."""
        return tuple(effect for one in self.provisions for effect in one.effects(case))


@dataclass(frozen=True, slots=True, kw_only=True)
class Rulebook:
    """Rules per action type."""

    id: str
    """Its name."""
    fingerprint: str
    """16 hex digits that differ when any verdict could differ."""
    document: dict[str, Any]
    """All layers as one document; reading it again gives an equal book."""
    checks: Mapping[type[Action], tuple[Check, ...]]
    """What each kind of action must pass, in order; those of `*` come first."""
    plans: tuple[Plan, ...]
    """How to find everything it allows, in order of action type and craft."""
    crafts: Mapping[str, Craft]
    """The crafts it teaches, by name, in the author's order."""
    untaught: tuple[Check, ...]
    """What a use in a manner that it does not teach must pass, and cannot."""

    def craft_of(self, action: Action) -> Craft | None:
        """The craft by which an action is done, if it is one and is taught."""
        if type(action) is Use and action.manner:
            return self.crafts.get(action.manner)
        return None

    def checks_of(self, action: Action) -> tuple[Check, ...]:
        """What an action must pass, in order."""
        if type(action) is Use and action.manner:
            craft = self.crafts.get(action.manner)
            return self.untaught if craft is None else craft.checks
        return self.checks[type(action)]


def taught(world: World, book: Rulebook) -> World:
    """The world with words for what the book teaches; nothing else in it is otherwise."""
    manners = tuple(craft.manner for craft in book.crafts.values())
    if manners == world.manners:
        return world
    return msgspec.structs.replace(world, manners=manners)
