"""A process as plain data: what may happen in which state, by whom, on which evidence.

The field names on the wire are the published ones; `reader` accepts them in camelCase
too. A definition never changes: a run stays on the one it started with, by its hash.
"""

import hashlib
import re
from collections.abc import Mapping
from typing import Any, Literal

import msgspec
import orjson

from saniwa.core.decoder_warming import warm_decoders

CREATED = "created"
"""The event of a run's first row."""
MIGRATED = "migrated"
"""The event of the row that moves a run to another definition."""
TIMEOUT = "timeout"
"""The event of a timed transition to which its author gave no name."""
JOINED = "joined"
"""The event of a transition that waits for child runs and has no name."""
APPROVE = "approve"
REJECT = "reject"
OVERRIDE = "override_guard"
DECISIONS = frozenset({APPROVE, REJECT, OVERRIDE})
"""Events that only people may send, whatever a definition says."""
WILDCARD = "*"
"""Matches every role, or every event."""

Schema = dict[str, Any] | bool
"""A JSON Schema as its author wrote it."""


class _DefinitionPart(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A piece of a definition."""


class WriteArtifactHook(
    _DefinitionPart, frozen=True, kw_only=True, tag_field="type", tag="write_artifact"
):
    """Write an artifact into the run."""

    artifact_type: str
    """Its kind."""
    content: Any
    """What it says."""


class SetVariableHook(
    _DefinitionPart, frozen=True, kw_only=True, tag_field="type", tag="set_variable"
):
    """Set a variable of the run."""

    variable: str
    """Its name."""
    value: Any
    """The value to set."""


class NotifyHook(_DefinitionPart, frozen=True, kw_only=True, tag_field="type", tag="notify"):
    """Send a notification that a state was entered or left."""

    via: Literal["log", "webhook"] = "log"
    """To the run's history, or to a URL."""
    url: str = ""
    """The URL, for a webhook."""
    message: str = ""
    """The text to send."""


Hook = WriteArtifactHook | SetVariableHook | NotifyHook
"""Every kind of hook that can run on entering or leaving a state."""


class ToolPermissions(_DefinitionPart, frozen=True, kw_only=True):
    """Which tools an agent may use in a state; names as the agent's host has them."""

    allowed: tuple[str, ...] | None = None
    """No other tool is allowed; an empty list allows none. None means no rule."""
    ask: tuple[str, ...] = ()
    """These need a person's consent first."""
    denied: tuple[str, ...] = ()
    """Never allowed; overrides the other two."""


class ChildDefinition(_DefinitionPart, frozen=True, kw_only=True):
    """Runs of another process that the gate begins when a state is entered."""

    name: str
    """Their name in guards and lists."""
    process: str
    """The id of their process."""
    count: int = 1
    """How many are begun; not used with `each`."""
    each: str = ""
    """The variable with a list: one run is begun for each of its items."""
    item_variable: str = "item"
    """The variable of the child run that gets its item."""
    variables: dict[str, Any] = msgspec.field(name="context", default_factory=dict)
    """First values of their variables."""
    copied: tuple[str, ...] = msgspec.field(name="copy_context", default=())
    """Variables of this run that they get too."""


class LaneDefinition(_DefinitionPart, frozen=True, kw_only=True):
    """A part of the process that runs in parallel with others during a state.

    It has states and transitions of its own; events, guards, kinds of evidence and roles
    are those of the process.
    """

    name: str
    """Its name in guards and lists."""
    description: str = ""
    """For people."""
    initial_state: str = ""
    """The state it starts in; the first if empty."""
    states: tuple["StateDefinition", ...]
    """In the author's order."""
    transitions: tuple["TransitionDefinition", ...] = ()
    """In the author's order."""


class StateDefinition(_DefinitionPart, frozen=True, kw_only=True):
    """A state of the process."""

    name: str
    """Its name in the log."""
    description: str = ""
    """For people."""
    prompt: str = ""
    """The instructions an agent gets in this state."""
    required_artifacts: tuple[str, ...] = ()
    """Kinds that must be submitted before a run leaves the state."""
    is_final: bool = False
    """Whether the run ends here."""
    on_enter: tuple[Hook, ...] = ()
    """Hooks that run on entering."""
    on_exit: tuple[Hook, ...] = ()
    """Hooks that run on leaving."""
    tool_permissions: ToolPermissions | None = None
    """Which tools an agent may use here."""
    children: tuple[ChildDefinition, ...] = ()
    """Runs of other processes that begin here."""
    lanes: tuple[LaneDefinition, ...] = ()
    """Parts of this process that run side by side while the state lasts."""


class EventDefinition(_DefinitionPart, frozen=True, kw_only=True):
    """An input: usually submitted evidence, an approval or a rejection."""

    name: str
    """Its name in the log."""
    description: str = ""
    """For people."""
    payload_schema: Schema | None = None
    """The schema of its payload."""
    allowed_roles: tuple[str, ...] = ()
    """Who may send it; `*` for every role."""


class RetryDefinition(_DefinitionPart, frozen=True, kw_only=True):
    """How often a timed transition is tried again that was refused."""

    every: int
    """Milliseconds between two attempts."""
    times: int
    """How many attempts follow the first; then it is given up."""


class TransitionDefinition(_DefinitionPart, frozen=True, kw_only=True):
    """A transition from one state to another, by an event, by time or by child runs."""

    source: str = msgspec.field(name="from")
    """The state it leaves."""
    event: str
    """The event that triggers it."""
    to: str
    """The state it enters."""
    guard: str = ""
    """The name of the guard it needs."""
    allowed_roles: tuple[str, ...] | None = None
    """Who may take it; None for every role that may send the event."""
    description: str = ""
    """For people."""
    after: int = 0
    """Milliseconds in the state until it fires; 0 for a transition without a timer."""
    at: str = ""
    """The calendar time at which it fires: a moment, or a time of day with its zone."""
    retry: RetryDefinition | None = None
    """How often it is tried again if its guard does not hold; None for at every occasion."""
    when: Literal["", "children"] = ""
    """`children` if the gate takes it as soon as child runs let its guard hold."""

    @property
    def is_timed(self) -> bool:
        """Whether time takes it."""
        return bool(self.after or self.at)

    @property
    def is_automatic(self) -> bool:
        """Whether the gate takes it by itself; its event is never sent."""
        return bool(self.after or self.at or self.when)


class ArtifactGuard(_DefinitionPart, frozen=True, kw_only=True, tag_field="type", tag="artifact"):
    """Evidence of a kind must exist."""

    artifact_type: str
    """The kind."""
    condition: Literal["exists", "count", "has_fields"]
    """One is enough, several are needed, or each must have certain fields."""
    min_count: int = 1
    """How many, for `count` and `has_fields`."""
    required_fields: tuple[str, ...] = ()
    """The fields each must have, for `has_fields`; dots reach into mappings."""
    fresh: bool = False
    """Whether only evidence counts that was submitted since the state was entered."""
    made_by: Literal["", "gate", "tool", "agent", "person"] = ""
    """Who must have made it; empty for no rule."""
    description: str = ""
    """For people."""


class VariableGuard(_DefinitionPart, frozen=True, kw_only=True, tag_field="type", tag="context"):
    """A variable of the run must meet a condition."""

    variable: str
    """Its name."""
    condition: Literal["equals", "not_equals", "in", "not_in", "exists", "not_exists"]
    """How it is compared."""
    value: Any = None
    """The value it is compared with."""
    description: str = ""
    """For people."""


MOST_CHILDREN = 1_000
"""Most child runs that one entry of a state may begin under one name."""


class ChildrenGuard(_DefinitionPart, frozen=True, kw_only=True, tag_field="type", tag="children"):
    """Child runs must have ended; the gate looks at their logs itself."""

    names: tuple[str, ...] = ()
    """The children and lanes that count; empty for all that the state has begun."""
    condition: Literal["all", "any", "count"] = "all"
    """All of them, one of them, or so many of them."""
    min_count: int = 1
    """How many, for `count`."""
    ended_in: tuple[str, ...] = ()
    """The final states that count; empty for every final state."""
    keep_as: str = ""
    """The kind of evidence the result is kept as; empty for the guard's name."""
    description: str = ""
    """For people."""


class AllGuard(_DefinitionPart, frozen=True, kw_only=True, tag_field="type", tag="all"):
    """All of the named guards must hold."""

    guards: tuple[str, ...]
    """Their names."""
    description: str = ""
    """For people."""


class AnyGuard(_DefinitionPart, frozen=True, kw_only=True, tag_field="type", tag="any"):
    """At least one of the named guards must hold."""

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


class CheckGuard(_DefinitionPart, frozen=True, kw_only=True, tag_field="type", tag="check"):
    """The gate must find something out itself, when the event is sent.

    Which fields count depends on the kind; `docs/reference/process-format.md` has the
    table.
    """

    kind: Literal[
        "command",
        "scenario_check",
        "story_check",
        "run_log",
        "run_replay",
        "experiment_report",
        "json_schema",
        "file_hash",
        "same_subject",
    ]
    """What the gate does."""
    subject: str = ""
    """What it is done to: a scenario, a story, a run, a folder, a commit.

    `{context.NAME}` and `{artifact.KIND.FIELD}` are filled in.
    """
    command: tuple[str, ...] = ()
    """The program and its arguments; no shell reads them."""
    folder: str = ""
    """The folder of the project in which the command runs; empty for the project."""
    environment: dict[str, str] = {}
    """Variables for the command, in addition to the few that every command gets."""
    time_limit: int = 60_000
    """Milliseconds after which the command is killed, or an experiment given up."""
    output_limit: int = 20_000
    """Bytes of the command's output that are kept: its end."""
    exit_code: int = 0
    """The exit code the command must have."""
    files: tuple[str, ...] = ()
    """The files whose hashes are taken."""
    values: tuple[str, ...] = ()
    """What must agree: `{context.NAME}`, `{artifact.KIND.FIELD}`, `{check.GUARD.FIELD}`.

    `*` in a field is every item of a list. `{artifact.KIND}` is evidence whose text must
    name the common value.
    """
    artifact_type: str = ""
    """The kind of evidence that must fit the schema, or agree with an experiment."""
    schema: Schema | None = None
    """The schema that the report of the check, or the evidence, must fit."""
    keep_as: str = ""
    """The kind of evidence the result is kept as; empty for the guard's name."""
    accept_claims: bool = False
    """Whether an experiment counts whose models' answers no person has signed."""
    description: str = ""
    """For people."""


Guard = ArtifactGuard | VariableGuard | CheckGuard | ChildrenGuard | AllGuard | AnyGuard | NotGuard
"""Every kind of guard."""


class ArtifactDefinition(_DefinitionPart, frozen=True, kw_only=True):
    """A kind of evidence."""

    type: str
    """The kind's name; file names are matched against it."""
    description: str = ""
    """For people."""
    required_in_states: tuple[str, ...] = ()
    """States that a run cannot leave without it."""
    required_for_transitions: tuple[str, ...] = ()
    """Transitions that need it: an event's name, or `from->to`."""
    schema: Schema | None = None
    """The schema it must fit."""
    forms: tuple[Literal["path", "inline", "url"], ...] = ()
    """How it may be submitted; empty for every way."""
    lookup: Literal["", "scenario_check", "run_log", "run_replay"] = ""
    """What the gate looks up itself before it accepts one; empty for nothing."""


class RoleDefinition(_DefinitionPart, frozen=True, kw_only=True):
    """A role in a process."""

    name: str
    """What the role is called."""
    description: str = ""
    """For people."""
    allowed_events: tuple[str, ...] = ()
    """The events it may send; `*` for all."""
    can_approve: bool = False
    """Whether it may send `approve`."""
    can_reject: bool = False
    """Whether it may send `reject`."""


class Process(_DefinitionPart, frozen=True, kw_only=True):
    """A whole definition."""

    process_id: str
    """The id it is found by."""
    version: str
    """The author's name for this edition."""
    name: str
    """For people."""
    description: str = ""
    """For people."""
    initial_state: str
    """The state a run starts in."""
    initial_variables: dict[str, Any] = msgspec.field(name="initial_context", default_factory=dict)
    """A run's variables at its start."""
    variables_schema: Schema | None = msgspec.field(name="context_schema", default=None)
    """The schema the variables must always fit."""
    state_map: dict[str, str] = {}
    """States of earlier versions, and the states that took their place."""
    states: tuple[StateDefinition, ...]
    """In the author's order."""
    events: tuple[EventDefinition, ...] = ()
    """In the author's order."""
    transitions: tuple[TransitionDefinition, ...] = ()
    """In the author's order, which decides between two that are both possible."""
    guards: Mapping[str, Guard] = {}
    """By name."""
    artifacts: tuple[ArtifactDefinition, ...] = ()
    """In the author's order."""
    roles: tuple[RoleDefinition, ...] = ()
    """In the author's order; if empty, the three standard roles apply."""


STANDARD_ROLES = (
    RoleDefinition(
        name="agent", description="works and submits evidence", allowed_events=(WILDCARD,)
    ),
    RoleDefinition(
        name="human", description="decides and requests approval", allowed_events=(WILDCARD,)
    ),
    RoleDefinition(
        name="reviewer",
        description="approves and rejects",
        allowed_events=(WILDCARD,),
        can_approve=True,
        can_reject=True,
    ),
)
"""The roles of a process that defines none."""
PERSON_ROLES = frozenset({"human", "reviewer"})
"""Standard roles that only a person can have."""


def list_roles(process: Process) -> tuple[RoleDefinition, ...]:
    """List the roles of a process: its own, or the standard ones if it defines none."""
    return process.roles or STANDARD_ROLES


def is_person_role(role: RoleDefinition) -> bool:
    """Whether only a person may have the role; an agent can never act in it."""
    return (
        role.name in PERSON_ROLES
        or role.can_approve
        or role.can_reject
        or not DECISIONS.isdisjoint(role.allowed_events)
    )


def build_lane_process(process: Process, lane: LaneDefinition) -> Process:
    """Build the process that the run of a lane is on."""
    return Process(
        process_id=f"{process.process_id}/{lane.name}",
        version=process.version,
        name=f"{process.name}: {lane.name}",
        description=lane.description,
        initial_state=lane.initial_state or lane.states[0].name,
        variables_schema=process.variables_schema,
        states=lane.states,
        events=process.events,
        transitions=lane.transitions,
        guards=process.guards,
        artifacts=process.artifacts,
        roles=process.roles,
    )


def encode_process(process: Process) -> bytes:
    """Encode the definition as canonical bytes: one encoding per definition.

    Lists keep their order, because it decides between transitions.
    """
    return orjson.dumps(msgspec.to_builtins(process), option=orjson.OPT_SORT_KEYS)


def decode_process(content: bytes) -> Process:
    """Decode a definition that `encode_process` encoded.

    Raises:
        msgspec.DecodeError: The bytes are not a definition.
    """
    try:
        return msgspec.json.decode(content, type=Process)
    except (UnicodeDecodeError, RecursionError) as problem:
        raise msgspec.DecodeError(str(problem)) from problem


def hash_process(process: Process) -> str:
    """Compute the SHA-256, in hex, that identifies this definition."""
    return hashlib.sha256(encode_process(process)).hexdigest()


_find_placeholders = re.compile(r"\{(context|artifact)\.([^{}]{1,200})\}").findall
_match_value = re.compile(r"\{(context|artifact|check)\.([^{}]{1,200})\}").fullmatch

Placeholder = tuple[str, str, str]
"""What a check refers to: source, kind or variable or guard, field."""


def list_placeholders(guard: Guard) -> tuple[Placeholder, ...]:
    """List what a check's subject and values refer to."""
    if not isinstance(guard, CheckGuard):
        return ()
    found = [_split_name(source, name) for source, name in _find_placeholders(guard.subject)]
    return (*found, *filter(None, map(parse_value, guard.values)))


def parse_value(value: str) -> Placeholder | None:
    """Split one of the values that must agree; None if it refers to nothing."""
    found = _match_value(value)
    return None if found is None else _split_name(found[1], found[2])


def _split_name(source: str, name: str) -> Placeholder:
    kind, _, field = (name, "", "") if source == "context" else name.partition(".")
    return source, kind, field


warm_decoders(Process)
