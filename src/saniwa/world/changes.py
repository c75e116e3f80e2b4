"""What happened in the world, one small record each.

A change says what was so before and what is so after, so that a reader of the trace
needs no other source.
"""

from typing import Any

import msgspec

from saniwa.world.model import Entity, Id


class _ChangeRecord(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", tag_field="kind"
):
    """Changes are told apart by `kind`."""


class MoveChange(_ChangeRecord, frozen=True, tag="moved"):
    """An entity is somewhere else now."""

    entity_id: Id
    """What moved."""
    before: Id | None
    """Where it was: a location, a holder, or None for off stage."""
    after: Id | None
    """Where it is."""


class FieldChange(_ChangeRecord, frozen=True, tag="altered"):
    """One field of an entity has another value now."""

    entity_id: Id
    """What changed."""
    field: str
    """Which of its fields."""
    before: Any
    """The value it had."""
    after: Any
    """The value it has."""


class CreationChange(_ChangeRecord, frozen=True, tag="created"):
    """An entity exists that did not."""

    entity: Entity
    """All of it."""


class RemovalChange(_ChangeRecord, frozen=True, tag="removed"):
    """An entity no longer exists."""

    entity: Entity
    """All of it, as it was."""


class FlagChange(_ChangeRecord, frozen=True, tag="flagged"):
    """A flag of the world has another value now."""

    name: str
    """Which flag."""
    before: bool | None
    """The value it had; None if it was never set."""
    after: bool
    """The value it has."""


class SpeechChange(_ChangeRecord, frozen=True, tag="said"):
    """Somebody said something aloud; the world itself is as it was."""

    actor_id: Id
    """Who spoke."""
    content: str
    """The words."""


class TurnChange(_ChangeRecord, frozen=True, tag="passed"):
    """A turn has passed."""

    before: int
    """Turns passed until now."""
    after: int
    """Turns passed from now on."""


Change = (
    MoveChange
    | FieldChange
    | CreationChange
    | RemovalChange
    | FlagChange
    | SpeechChange
    | TurnChange
)
