"""Actions: one actor's typed claims on the world. A closed union; there is no other.

On the wire every action has `type` and `actorId`, and no field that its type does not list.
"""

from collections.abc import Iterable
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
        parts = [getattr(self, role) for role in self.roles]
        return tuple([part for part in parts if part is not None])


class _TargetedRecord(_ActionRecord, frozen=True):
    """What the actions on one target share."""

    target_id: Id
    """The place, person or thing it is done to."""
    roles: ClassVar[tuple[str, ...]] = ("target_id",)
    """The fields that name something in the world, in wire order."""


class Move(_TargetedRecord, frozen=True, tag="move"):
    """Go to a neighbouring place."""


class Take(_TargetedRecord, frozen=True, tag="take"):
    """Pick something up."""

    source_id: Id | None = None
    """What it is in or on, if the speaker said so."""
    roles = ("target_id", "source_id")


class Drop(_TargetedRecord, frozen=True, tag="drop"):
    """Put down something held."""


class Put(_TargetedRecord, frozen=True, tag="put"):
    """Put something into a container or onto a supporter."""

    destination_id: Id
    """The container or supporter."""
    relation: Relation = ""
    """Whether the speaker said `in` or `on`; empty if it does not matter."""
    roles = ("target_id", "destination_id")


class Give(_TargetedRecord, frozen=True, tag="give"):
    """Hand something to a character."""

    recipient_id: Id
    """Who receives it."""
    roles = ("target_id", "recipient_id")


class Open(_TargetedRecord, frozen=True, tag="open"):
    """Open a door or container."""


class Close(_TargetedRecord, frozen=True, tag="close"):
    """Close a door or container."""


class Lock(_TargetedRecord, frozen=True, tag="lock"):
    """Lock a door or container."""

    tool_id: Id | None = None
    """The key."""
    roles = ("target_id", "tool_id")


class Unlock(_TargetedRecord, frozen=True, tag="unlock"):
    """Unlock a door or container."""

    tool_id: Id | None = None
    """The key."""
    roles = ("target_id", "tool_id")


class Use(_TargetedRecord, frozen=True, tag="use"):
    """Use something, perhaps with a tool."""

    tool_id: Id | None = None
    """What it is used with."""
    manner: str = ""
    """The craft it is done by, such as `slice`; empty for plain use."""
    roles = ("target_id", "tool_id")


class Eat(_TargetedRecord, frozen=True, tag="eat"):
    """Eat or drink something up."""


class Search(_TargetedRecord, frozen=True, tag="search"):
    """Look for what is hidden in a place or thing."""


class Inspect(_TargetedRecord, frozen=True, tag="inspect"):
    """Look closely at something."""


class Look(_ActionRecord, frozen=True, tag="look"):
    """Look around."""


class Wait(_ActionRecord, frozen=True, tag="wait"):
    """Let a moment pass."""


class Speak(_ActionRecord, frozen=True, tag="speak"):
    """Say something aloud."""

    content: str
    """The words; empty if only the person or the subject is known."""
    recipient_id: Id | None = None
    """Who is spoken to; None for everyone who is here."""
    about: str = ""
    """The subject: the id of a topic of theirs, else the speaker's words for it."""
    request: bool = False
    """Whether the words ask the recipient to do something."""
    roles = ("recipient_id",)


class Emote(_ActionRecord, frozen=True, tag="emote"):
    """Make a gesture, such as a nod. Always allowed; changes nothing and takes no time."""

    content: str
    """The gesture, in the speaker's words."""


class Describe(_TargetedRecord, frozen=True, tag="describe"):
    """Set the description of something; never its place or state."""

    content: str
    """The new description."""


class Introduce(_ActionRecord, frozen=True, tag="introduce"):
    """Create an entity, or bring one that is off stage into the scene."""

    target_id: Id | None = None
    """The entity to bring in; or the id for a new one."""
    metadata: dict[str, Any] | None = None
    """For a new one: `name`, and optionally `kind`, `description`, `aliases`, `takeable`,
    `edible`; any other keys become its attributes."""
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
    | Emote
)
"""One actor's typed claim on the world; a closed union."""

ACTIONS: dict[str, type[Action]] = {str(cls.__struct_config__.tag): cls for cls in get_args(Action)}
"""Every action class by its wire name."""


RULED_ACTIONS = tuple(name for name in ACTIONS if name != "emote")
"""The actions that a rulebook may have rules for: a gesture is always allowed."""


def takes_time(actions: Iterable[Action]) -> bool:
    """Whether the actions take a turn; gestures alone take none."""
    return any(not isinstance(action, Emote) for action in actions)


def get_action_type(action: Action) -> str:
    """Return the action's wire name, such as `take`."""
    return str(action.__struct_config__.tag)
