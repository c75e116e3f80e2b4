"""A rulebook, read and ready to judge by."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from saniwa.rulebook.condition import Condition
from saniwa.rulebook.message import Message
from saniwa.rulebook.plan import Plan
from saniwa.rulebook.predicate import Test
from saniwa.rulebook.verdict import ReasonCode
from saniwa.world.action import Action

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
    """How to find everything it allows, in order of action type."""
