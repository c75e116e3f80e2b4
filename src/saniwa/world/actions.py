"""Actions: one actor's typed claims on the world. A closed union; there is no other.

On the wire every action has `type` and `actorId`, and no field that its type does not list.
"""

from typing import Any, ClassVar, Literal, get_args

import msgspec

from saniwa.world.model import Id

Relation = Literal["", "in", "on"]
"""How a thing is put somewhere: into a container, or onto a supporter."""


class _ActionRecord(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    omit_defaults=True,
    rename="camel",
    tag_field="type",
):
    """What all actions share."""

    actor_id: Id
    """The character that acts."""

    roles: ClassVar[tuple[str, ...]] = ()
    """The fields that name something in the world, in wire order."""

    def list_involved(self) -> tuple[Id, ...]:
        """List what these fields name: everything the action is done to or with."""
        parts = (getattr(self, role) for role in self.roles)
        return tuple(part for part in parts if part is not None)


class Move(_ActionRecord, frozen=True, tag="move"):
    """Go to a neighbouring place."""

    target_id: Id
    """The place to go to."""
    roles = ("target_id",)


class Take(_ActionRecord, frozen=True, tag="take"):
    """Pick something up."""

    target_id: Id
    """The thing."""
    source_id: Id | None = None
    """What it is in or on, if the speaker said so."""
    roles = ("target_id", "source_id")


class Drop(_ActionRecord, frozen=True, tag="drop"):
    """Put something held down where one stands."""

    target_id: Id
    """The thing."""
    roles = ("target_id",)


class Put(_ActionRecord, frozen=True, tag="put"):
    """Put something into a container or onto a supporter."""

    target_id: Id
    """The thing."""
    destination_id: Id
    """The container or supporter."""
    relation: Relation = ""
    """Whether the speaker said `in` or `on`; empty if it does not matter."""
    roles = ("target_id", "destination_id")


class Give(_ActionRecord, frozen=True, tag="give"):
    """Hand something to a character."""

    target_id: Id
    """The thing."""
    recipient_id: Id
    """Who receives it."""
    roles = ("target_id", "recipient_id")


class Open(_ActionRecord, frozen=True, tag="open"):
    """Open a door or container."""

    target_id: Id
    """The door or container."""
    roles = ("target_id",)


class Close(_ActionRecord, frozen=True, tag="close"):
    """Close a door or container."""

    target_id: Id
    """The door or container."""
    roles = ("target_id",)


class Lock(_ActionRecord, frozen=True, tag="lock"):
    """Lock a door or container."""

    target_id: Id
    """The door or container."""
    tool_id: Id | None = None
    """The key."""
    roles = ("target_id", "tool_id")


class Unlock(_ActionRecord, frozen=True, tag="unlock"):
    """Unlock a door or container."""

    target_id: Id
    """The door or container."""
    tool_id: Id | None = None
    """The key."""
    roles = ("target_id", "tool_id")


class Use(_ActionRecord, frozen=True, tag="use"):
    """Use something, perhaps with a tool."""

    target_id: Id
    """What is used, or what the tool is used on."""
    tool_id: Id | None = None
    """What it is used with."""
    manner: str = ""
    """The craft it is done by, such as `slice`; empty for plain use."""
    roles = ("target_id", "tool_id")


class Eat(_ActionRecord, frozen=True, tag="eat"):
    """Eat or drink something up."""

    target_id: Id
    """The thing."""
    roles = ("target_id",)


class Search(_ActionRecord, frozen=True, tag="search"):
    """Look for what is hidden in a place or thing."""

    target_id: Id
    """The place or thing."""
    roles = ("target_id",)


class Inspect(_ActionRecord, frozen=True, tag="inspect"):
    """Look closely at something."""

    target_id: Id
    """The place, person or thing."""
    roles = ("target_id",)


class Look(_ActionRecord, frozen=True, tag="look"):
    """Look around."""


class Wait(_ActionRecord, frozen=True, tag="wait"):
    """Let a moment pass."""


class Speak(_ActionRecord, frozen=True, tag="speak"):
    """Say something aloud."""

    content: str
    """The words."""


class Describe(_ActionRecord, frozen=True, tag="describe"):
    """Set what one sees on looking closely; never place or state."""

    target_id: Id
    """The character or thing."""
    content: str
    """The new description."""
    roles = ("target_id",)


class Introduce(_ActionRecord, frozen=True, tag="introduce"):
    """Create an entity, or bring one that is off stage into the scene."""

    target_id: Id | None = None
    """The entity to bring in; or the id for a new one."""
    metadata: dict[str, Any] | None = None
    """For a new one: `name`, and optionally `kind`, `description`, `aliases`."""
    roles = ("target_id",)


Action = (
    Move
    | Take
    | Drop
    | Put
    | Give
    | Open
    | Close
    | Lock
    | Unlock
    | Use
    | Eat
    | Search
    | Inspect
    | Look
    | Wait
    | Speak
    | Describe
    | Introduce
)

ACTIONS: dict[str, type[Action]] = {str(cls.__struct_config__.tag): cls for cls in get_args(Action)}
"""Every action class by its wire name."""


def get_action_type(action: Action) -> str:
    """Return the action's wire name, such as `take`."""
    return str(action.__struct_config__.tag)
