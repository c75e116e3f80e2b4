"""A process as plain data: what may happen in which state, by whom, on which evidence.

The field names on the wire are the published ones; `reading` accepts them in camelCase
too. A definition never changes: a run keeps the one it began under, by its hash.
"""

import hashlib
from collections.abc import Mapping
from typing import Any, Literal

import msgspec
import orjson

from saniwa.core.warm_decoders import warm_decoders

CREATED = "created"
"""The event of a run's first row."""
MIGRATED = "migrated"
"""The event of the row that moves a run to another definition."""
TIMEOUT = "timeout"
"""The event of a transition that time fires, where its author gave it no name."""
APPROVE = "approve"
REJECT = "reject"
OVERRIDE = "override_guard"
DECISIONS = frozenset({APPROVE, REJECT, OVERRIDE})
"""Events for people alone, whatever a definition says."""
WILDCARD = "*"
"""Stands for every role, or every event."""

Schema = dict[str, Any] | bool
"""A JSON Schema as its author wrote it."""


class _DefinitionPart(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A piece of a definition."""


class WriteArtifactHook(
    _DefinitionPart, frozen=True, kw_only=True, tag_field="type", tag="write_artifact"
):
    """Put an artifact into the run."""

    artifact_type: str
    """Its kind."""
    content: Any
    """What it says."""


class SetVariableHook(
    _DefinitionPart, frozen=True, kw_only=True, tag_field="type", tag="set_variable"
):
    """Give a variable of the run a value."""

    variable: str
    """Its name."""
    value: Any
    """Its value from then on."""


class NotifyHook(
    _DefinitionPart, frozen=True, kw_only=True, tag_field="type", tag="notify"
):
    """Tell somebody that a state was entered or left."""

    via: Literal["log", "webhook"] = "log"
    """Into the run's history, or to an address."""
    url: str = ""
    """The address, for a webhook."""
    message: str = ""
    """What to say."""


Hook = WriteArtifactHook | SetVariableHook | NotifyHook
"""All that can happen on entering or leaving a state."""


class ToolPermissions(_DefinitionPart, frozen=True, kw_only=True):
    """Which tools an agent may use in a state; names as the agent's host has them."""

    allowed: tuple[str, ...] | None = None
    """No other tool is allowed; an empty list allows none. None states nothing."""
    ask: tuple[str, ...] = ()
    """A person is asked first."""
    denied: tuple[str, ...] = ()
    """Never; stronger than the other two."""


class StateDefinition(_DefinitionPart, frozen=True, kw_only=True):
    """A state that means something to the work."""

    name: str
    """What it is called in the log."""
    description: str = ""
    """For people."""
    prompt: str = ""
    """What an agent is told to do here."""
    required_artifacts: tuple[str, ...] = ()
    """Kinds that must be there before the state is left."""
    is_final: bool = False
    """Whether nothing comes after it."""
    on_enter: tuple[Hook, ...] = ()
    """What happens on entering."""
    on_exit: tuple[Hook, ...] = ()
    """What happens on leaving."""
    tool_permissions: ToolPermissions | None = None
    """Which tools an agent may use here."""


class EventDefinition(_DefinitionPart, frozen=True, kw_only=True):
    """An input: mostly evidence handed in, an approval, a rejection."""

    name: str
    """What it is called in the log."""
    description: str = ""
    """For people."""
    payload_schema: Schema | None = None
    """What its payload must look like."""
    allowed_roles: tuple[str, ...] = ()
    """Who may send it; `*` for everybody."""


class TransitionDefinition(_DefinitionPart, frozen=True, kw_only=True):
    """From a state, by an event or by time, to a state."""

    source: str = msgspec.field(name="from")
    """The state it leaves."""
    event: str
    """What sets it off."""
    to: str
    """The state it enters."""
    guard: str = ""
    """The condition it needs, by name."""
    allowed_roles: tuple[str, ...] | None = None
    """Who may take it, where not everybody who may send the event."""
    description: str = ""
    """For people."""
    after: int = 0
    """Milliseconds in the state after which time takes it; 0 where time does not."""


class ArtifactGuard(
    _DefinitionPart, frozen=True, kw_only=True, tag_field="type", tag="artifact"
):
    """Evidence of a kind must be there."""

    artifact_type: str
    """The kind."""
    condition: Literal["exists", "count", "has_fields"]
    """Whether one is enough, several are needed, or it must say certain things."""
    min_count: int = 1
    """How many, for `count` and `has_fields`."""
    required_fields: tuple[str, ...] = ()
    """What each must say, for `has_fields`; dots lead inwards."""
    fresh: bool = False
    """Whether only evidence counts that was handed in since the state was entered."""
    description: str = ""
    """For people."""


class VariableGuard(
    _DefinitionPart, frozen=True, kw_only=True, tag_field="type", tag="context"
):
    """A variable of the run must be as the author says."""

    variable: str
    """Its name."""
    condition: Literal["equals", "not_equals", "in", "not_in", "exists", "not_exists"]
    """How it is compared."""
    value: Any = None
    """What with."""
    description: str = ""
    """For people."""


class AllGuard(_DefinitionPart, frozen=True, kw_only=True, tag_field="type", tag="all"):
    """Every one of some guards must hold."""

    guards: tuple[str, ...]
    """Their names."""
    description: str = ""
    """For people."""


class AnyGuard(_DefinitionPart, frozen=True, kw_only=True, tag_field="type", tag="any"):
    """One of some guards must hold."""

    guards: tuple[str, ...]
    """Their names."""
    description: str = ""
    """For people."""


class NotGuard(_DefinitionPart, frozen=True, kw_only=True, tag_field="type", tag="not"):
    """A guard must not hold."""

    guard: str
    """Its name."""
    description: str = ""
    """For people."""


Guard = ArtifactGuard | VariableGuard | AllGuard | AnyGuard | NotGuard
"""All the conditions there are."""


class ArtifactDefinition(_DefinitionPart, frozen=True, kw_only=True):
    """A kind of evidence."""

    type: str
    """The kind's name; files are recognised by it."""
    description: str = ""
    """For people."""
    required_in_states: tuple[str, ...] = ()
    """States that are not left without it."""
    required_for_transitions: tuple[str, ...] = ()
    """Transitions that need it: an event's name, or `from->to`."""
    schema: Schema | None = None
    """What it must look like."""
    forms: tuple[Literal["path", "inline", "url"], ...] = ()
    """How it may be handed in; in every way where none is named."""
    lookup: Literal["", "scenario_check", "run_log", "run_replay"] = ""
    """What the gate looks up itself before it accepts one; empty for nothing."""


class RoleDefinition(_DefinitionPart, frozen=True, kw_only=True):
    """Somebody's part in a process."""

    name: str
    """What the role is called."""
    description: str = ""
    """For people."""
    allowed_events: tuple[str, ...] = ()
    """What it may send; `*` for everything."""
    can_approve: bool = False
    """Whether it may send `approve`."""
    can_reject: bool = False
    """Whether it may send `reject`."""


class Process(_DefinitionPart, frozen=True, kw_only=True):
    """A whole definition."""

    process_id: str
    """What it is found by."""
    version: str
    """Its author's word for this edition."""
    name: str
    """For people."""
    description: str = ""
    """For people."""
    initial_state: str
    """Where a run begins."""
    initial_variables: dict[str, Any] = msgspec.field(
        name="initial_context", default_factory=dict
    )
    """What a run's variables are at first."""
    variables_schema: Schema | None = msgspec.field(name="context_schema", default=None)
    """What they must always look like."""
    states: tuple[StateDefinition, ...]
    """In the author's order."""
    events: tuple[EventDefinition, ...] = ()
    """In the author's order."""
    transitions: tuple[TransitionDefinition, ...] = ()
    """In the author's order, which decides between two that both could be taken."""
    guards: Mapping[str, Guard] = {}
    """By name."""
    artifacts: tuple[ArtifactDefinition, ...] = ()
    """In the author's order."""
    roles: tuple[RoleDefinition, ...] = ()
    """In the author's order; where there are none, the three standard ones."""


STANDARD_ROLES = (
    RoleDefinition(
        name="agent",
        description="hands in evidence and works",
        allowed_events=(WILDCARD,),
    ),
    RoleDefinition(
        name="human",
        description="decides, and asks for approval",
        allowed_events=(WILDCARD,),
    ),
    RoleDefinition(
        name="reviewer",
        description="approves and rejects",
        allowed_events=(WILDCARD,),
        can_approve=True,
        can_reject=True,
    ),
)
"""The roles of a process that names none."""
PERSON_ROLES = frozenset({"human", "reviewer"})
"""Standard roles that only a person can have."""


def list_roles(process: Process) -> tuple[RoleDefinition, ...]:
    """The roles of a process: its own, or the standard ones where it names none."""
    return process.roles or STANDARD_ROLES


def is_person_role(role: RoleDefinition) -> bool:
    """Whether only a person may have the role: no agent's door ever opens with it."""
    return (
        role.name in PERSON_ROLES
        or role.can_approve
        or role.can_reject
        or not DECISIONS.isdisjoint(role.allowed_events)
    )


def encode_process(process: Process) -> bytes:
    """The definition as bytes, one text for every way of writing it down.

    Lists keep their order: it decides between transitions.
    """
    return orjson.dumps(msgspec.to_builtins(process), option=orjson.OPT_SORT_KEYS)


def decode_process(content: bytes) -> Process:
    """The definition in some bytes of ours.

    Raises:
        msgspec.DecodeError: They are no definition.
    """
    try:
        return msgspec.json.decode(content, type=Process)
    except (UnicodeDecodeError, RecursionError) as problem:
        raise msgspec.DecodeError(str(problem)) from problem


def hash_process(process: Process) -> str:
    """What tells this definition from every other: SHA-256, in hex."""
    return hashlib.sha256(encode_process(process)).hexdigest()


warm_decoders(Process)
