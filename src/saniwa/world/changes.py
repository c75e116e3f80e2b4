"""Changes: what happened in the world, one small record each.

A change contains the value before and after, so that a reader of the trace needs no
other source.
"""

from typing import Any

import msgspec

from saniwa.world.model import Entity, Id


class _ChangeRecord(msgspec.Struct, frozen=True, kw_only=True, rename="camel", tag_field="kind"):
    """The field `kind` distinguishes changes."""


class MoveChange(_ChangeRecord, frozen=True, tag="moved"):
    """An entity is somewhere else now."""

    entity_id: Id
    """What moved."""
    before: Id | None
    """Where it was: a location, a holder, or None for off stage."""
    after: Id | None
    """Where it is now."""


class FieldChange(_ChangeRecord, frozen=True, tag="altered"):
    """One field of an entity has another value now."""

    entity_id: Id
    """The entity that changed."""
    field: str
    """Which of its fields."""
    before: Any
    """The value it had."""
    after: Any
    """The value it has now."""


class CreationChange(_ChangeRecord, frozen=True, tag="created"):
    """An entity exists that did not."""

    entity: Entity
    """The complete entity."""


class RemovalChange(_ChangeRecord, frozen=True, tag="removed"):
    """An entity no longer exists."""

    entity: Entity
    """The complete entity, as it was."""


class FlagChange(_ChangeRecord, frozen=True, tag="flagged"):
    """A flag of the world has another value now."""

    name: str
    """Which flag."""
    before: bool | None
    """The value it had; None if it was never set."""
    after: bool
    """The value it has now."""


class SpeechChange(_ChangeRecord, frozen=True, tag="said"):
    """A character said something aloud; the world itself is as it was."""

    actor_id: Id
    """Who spoke."""
    content: str
    """The words."""


class TurnChange(_ChangeRecord, frozen=True, tag="passed"):
    """A turn has passed."""

    before: int
    """The turns passed before."""
    after: int
    """The turns passed after."""


Change = (
    MoveChange
    | FieldChange
    | CreationChange
    | RemovalChange
    | FlagChange
    | SpeechChange
    | TurnChange
)
