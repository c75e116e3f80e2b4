"""What a craft does to a world: a closed list of effects, each about what there is.

A book writes them by roles; the rulebook says which count and whom they are about, and
`world.apply` alone makes changes of them.
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
"""The fields of an entity that an effect may set, and what each holds."""

FIXED: Final = (
    frozenset({*Entity.__struct_fields__, *Entity.__struct_encode_fields__, "type"})
    - SETTABLE.keys()
)
"""The names that no effect may set: what a thing is, where, and how it stands."""


class _EffectRecord(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", tag_field="kind"
):
    """Effects are told apart by `kind`."""


class SetEffect(_EffectRecord, frozen=True, kw_only=True, tag="set"):
    """Some facts about an entity are otherwise now."""

    entity_id: Id
    """Whom or what they are about."""
    facts: dict[str, Any]
    """The new facts by name; one of the author's own is forgotten where it is null."""


class RemoveEffect(_EffectRecord, frozen=True, kw_only=True, tag="remove"):
    """A thing no longer exists."""

    entity_id: Id
    """The thing."""


class BringEffect(_EffectRecord, frozen=True, kw_only=True, tag="bring"):
    """A thing is in the actor's hands now, wherever it was."""

    entity_id: Id
    """The thing."""


class DismissEffect(_EffectRecord, frozen=True, kw_only=True, tag="dismiss"):
    """A thing is off stage now, with all that is in or on it."""

    entity_id: Id
    """The thing."""


class FlagEffect(_EffectRecord, frozen=True, kw_only=True, tag="flag"):
    """A flag of the world is set."""

    name: str
    """Which flag."""
    value: bool = True
    """To what."""


Effect = SetEffect | RemoveEffect | BringEffect | DismissEffect | FlagEffect
