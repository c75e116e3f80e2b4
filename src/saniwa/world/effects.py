"""Effects of crafts and of answers on a world: a closed list.

A book writes those of crafts by roles, a scenario those of answers in its topics. Only
`world.apply` turns them into changes.
"""

from typing import Any, Final

import msgspec

from saniwa.world.model import Entity, Id

SETTABLE: Final[dict[str, type]] = {
    "edible": bool,
    "takeable": bool,
    "hidden": bool,
    "description": str,
    "state": list,
}
"""The fields of an entity that an effect may set, and their types."""

FIXED: Final = (
    frozenset({*Entity.__struct_fields__, *Entity.__struct_encode_fields__, "type"})
    - SETTABLE.keys()
)
"""The names that no effect may set: what a thing is, where, and whether it is open."""


class _EffectRecord(msgspec.Struct, frozen=True, kw_only=True, rename="camel", tag_field="kind"):
    """The field `kind` distinguishes effects."""


class _EntityEffect(_EffectRecord, frozen=True):
    """What the effects on one entity share."""

    entity_id: Id
    """The entity."""


class SetEffect(_EntityEffect, frozen=True, tag="set"):
    """Some facts about an entity change."""

    facts: dict[str, Any]
    """The new facts by name; an attribute of the author is removed if it is null."""


class RemoveEffect(_EntityEffect, frozen=True, tag="remove"):
    """A thing stops existing."""


class BringEffect(_EntityEffect, frozen=True, tag="bring"):
    """A thing moves into the actor's hands, wherever it was."""


class DismissEffect(_EntityEffect, frozen=True, tag="dismiss"):
    """A thing goes off stage, with everything in or on it."""


class FlagEffect(_EffectRecord, frozen=True, tag="flag"):
    """A flag of the world is set."""

    name: str
    """The flag."""
    value: bool = True
    """Its new value."""


class ReplyEffect(_EntityEffect, frozen=True, tag="reply"):
    """A character without a player answers in the author's words."""

    part: str
    """Which part of the dialogue: `greeting`, `no_answer`, `refusal` or `topics.ID`."""
    content: str = ""
    """The words; empty if the author wrote none, and a gesture is the answer."""


Effect = SetEffect | RemoveEffect | BringEffect | DismissEffect | FlagEffect | ReplyEffect
"""What comes of an allowed action besides what its type does; a closed union."""
