"""What the gate's tools give, under the published names."""

from typing import Any, Literal

import msgspec

from saniwa.core.ready import ready
from saniwa.process.record import Note, Record
from saniwa.process.weighing.review import Review
from saniwa.process.weighing.view import RunState, Sendable

TimeProblem = str | msgspec.UnsetType


class State(RunState, frozen=True, kw_only=True):
    """Where a run stands."""

    time_problem: TimeProblem = msgspec.UNSET
    """Why transitions whose time has come were not taken; mostly not there."""


class Shown(Review, frozen=True, kw_only=True):
    """A run as it is shown to somebody who decides."""

    time_problem: TimeProblem = msgspec.UNSET
    """As for `State`."""


class Events(msgspec.Struct, frozen=True, kw_only=True):
    """What can be sent now."""

    events: tuple[Sendable, ...]
    """In the order of the definition."""
    time_problem: TimeProblem = msgspec.UNSET
    """As for `State`."""


class ProcessLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One process in a list."""

    process_id: str
    """What create_run takes."""
    name: str = ""
    """Its name for people."""
    description: str = ""
    """Its author's words."""
    initial_state: str = ""
    """Where a run begins."""
    problem: str = ""
    """Why no run of it can begin; then nothing else is told."""


class Processes(msgspec.Struct, frozen=True, kw_only=True):
    """The processes a run can be begun of."""

    processes: tuple[ProcessLine, ...]
    """By their ids."""


class Way(msgspec.Struct, frozen=True, kw_only=True):
    """From a state to a state; the gate's choice."""

    from_state: str
    """Before."""
    to_state: str
    """Afterwards."""


class Passed(msgspec.Struct, frozen=True, kw_only=True):
    """What an accepted event came to."""

    event_id: str
    """The event's own id."""
    accepted: Literal[True]
    """It stands in the log."""
    transition: Way
    """Where it led."""
    new_revision: int
    """What the next event must expect."""
    new_state_prompt: str = ""
    """What is to be done now."""
    replayed: bool = False
    """Whether it stood there before this request."""


class Emitted(msgspec.Struct, frozen=True, kw_only=True):
    """The event was accepted."""

    success: Literal[True]
    """It was."""
    result: Passed
    """What it came to."""


class Begun(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A run that has begun."""

    run_id: str
    """Its id; name it from now on."""
    process_id: str
    """Its process."""
    process_version: str
    """The edition it stands on."""
    initial_state: str
    """The state it stands in."""
    revision: int
    """What the first event must expect."""
    current_state_prompt: str = ""
    """What is to be done there."""


class RunLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One run in a list."""

    run_id: str
    """Its id."""
    process_id: str = ""
    """Its process."""
    current_state: str = ""
    """Where it stands."""
    revision: int = 0
    """What the next event must expect."""
    created_at: str = ""
    """When it began."""
    updated_at: str = ""
    """When the last event was."""
    problem: str = ""
    """Why it cannot be told where it stands; then nothing else is."""


class Runs(msgspec.Struct, frozen=True, kw_only=True):
    """Runs, the newest first."""

    runs: tuple[RunLine, ...]
    """As many as were asked for."""
    more: bool
    """Whether there are older ones."""


class History(msgspec.Struct, frozen=True, kw_only=True):
    """What happened in a run, the oldest first."""

    run_id: str
    """The run."""
    entries: tuple[Record | Note, ...]
    """As they are kept; as many as were asked for."""
    more: bool
    """Whether there are later ones; ask again after the last revision."""


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """Something that is not as it should be."""

    code: str
    """Upper-case words, explained in the documentation."""
    severity: str
    """`error`, `warning` or `note`."""
    message: str
    """What."""
    file: str
    """In which file; empty if there is none."""
    line: int
    """In which line; 0 if there is none."""
    column: int
    """At which letter of it; 0 if there is none."""
    path: str
    """In which part of it; empty if there is none."""
    hint: str
    """What to do."""
    details: dict[str, Any]
    """The values involved."""


class Verified(msgspec.Struct, frozen=True, kw_only=True):
    """What reading a run again has shown."""

    run_id: str
    """The run."""
    passed: bool
    """Whether everything is as it was written."""
    findings: tuple[Fault, ...]
    """What is not."""


ready(RunLine, Fault)
