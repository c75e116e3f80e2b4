"""A tool: its port, what decides whether a call may run, and the results of calls.

A tool reports what went wrong as a failed output: no call of a model stops its agent.

By the results a gate knows what a tool has made. They come from the agent's journal and
from nothing that a model says. Only what a tool itself has produced counts: a file that
the agent wrote, and what it read again, do not. Nor does what a recording says, for
nothing was run.
"""

from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any, Literal, NamedTuple, Protocol

import msgspec

from saniwa.core.text import truncate
from saniwa.models.oracle import ToolCall, ToolOffer, ToolOutput
from saniwa.process.tool_permissions import ToolPermission

ToolEffect = Literal["read", "edit", "execute"]
"""What a call may change: nothing, files of the workspace, or anything."""
CallOutcome = Literal["done", "not_done", "unknown"]
"""Whether an interrupted call has run."""
LONGEST_OUTPUT = 20_000
"""The maximum number of characters of a result that a model receives."""


class AgentTool(Protocol):
    """Something an agent can do besides writing."""

    @property
    def offer(self) -> ToolOffer:
        """Its name, description and arguments."""

    @property
    def effect(self) -> ToolEffect:
        """What a call may change."""

    def prepare(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return a note for the journal before a call; it changes nothing.

        Raises:
            ToolCallError: The call cannot run.
        """

    async def run(self, arguments: Mapping[str, Any]) -> ToolOutput:
        """Run a call. Pre: the arguments fit the schema of the offer.

        Raises:
            ToolCallError: It did not succeed.
        """

    def find_outcome(self, arguments: Mapping[str, Any], note: Mapping[str, Any]) -> CallOutcome:
        """Say whether a call that was interrupted has run; `note` is from `prepare`."""


class ToolCallError(Exception):
    """Why a call did not succeed, in one sentence for the model."""


class ApprovalRequest(NamedTuple):
    """A question to a person about a call."""

    call: ToolCall
    """The call."""
    reason: str
    """Why a person is asked."""
    may_have_run: bool = False
    """Whether the call was interrupted, so that it may have run already."""
    attempt: str = ""
    """The call, as the journal names it."""


class ApprovalDecision(NamedTuple):
    """A person's answer about a call."""

    answer: Literal["run", "skip"]
    """Whether to run it; an interrupted call is run once more, or counts as done."""
    reason: str = ""
    """What the person says about it."""
    by: str = ""
    """The person, where a door knows who it is."""


class ToolApprover(Protocol):
    """Asks a person about a call."""

    async def decide(self, request: ApprovalRequest) -> ApprovalDecision | None:
        """Return the decision; None if no person can be asked here."""


class NullApprover:
    """An approver without a person."""

    async def decide(self, request: ApprovalRequest) -> ApprovalDecision | None:  # noqa: ARG002 - there is no person
        """Return None: no person can be asked."""
        return None


def decide_permission(mode: str, effect: ToolEffect, state: ToolPermission) -> ToolPermission:
    """Decide about a call: the gate's state first, then the agent's permission mode.

    A state's `allowed` list limits and never grants. Without a mode, everything but
    reading needs a person.
    """
    if state.answer in ("deny", "ask"):
        return state
    if effect == "read" or mode == "bypassPermissions":
        return ToolPermission("allow")
    if mode == "plan":
        return ToolPermission("deny", "the permission mode is 'plan', which allows no changes")
    if effect == "edit" and mode == "acceptEdits":
        return ToolPermission("allow")
    return ToolPermission("ask", "it changes something")


def cut_output(text: str) -> str:
    """Cut a long result, and say so."""
    rest = len(text) - LONGEST_OUTPUT
    cut = f"{truncate(text, LONGEST_OUTPUT)}\n[{rest} more characters are not shown]"
    return cut if rest > 0 else text


class ReadingTool:
    """The part that tools share which change nothing: an interrupted call runs again."""

    effect: ToolEffect = "read"

    def prepare(self, arguments: Mapping[str, Any]) -> dict[str, Any]:  # noqa: ARG002 - nothing changes
        """Return an empty note."""
        return {}

    def find_outcome(self, arguments: Mapping[str, Any], note: Mapping[str, Any]) -> CallOutcome:  # noqa: ARG002 - nothing changes
        """Say that it has not run: running it again changes nothing."""
        return "not_done"


def make_schema(required: tuple[str, ...] = (), **properties: tuple[str, str]) -> dict[str, Any]:
    """Make the schema of arguments from a type and a description each."""
    fields = {
        name: {"type": type, "description": description}
        for name, (type, description) in properties.items()
    }
    schema: dict[str, Any] = {"type": "object", "properties": fields, "additionalProperties": False}
    return schema | ({"required": list(required)} if required else {})


RUN_TOOL_NAMES = ("get_state", "get_history", "read_evidence")
"""The tools for an agent's own run."""
WORLD_TOOL_NAMES = ("view", "admissible", "preview")
"""The tools for runs of scenarios."""


class CallResult(NamedTuple):
    """What one call has produced."""

    call: str
    """The call, as the journal names it."""
    tool: str
    """The tool."""
    text: str
    """What it produced."""
    run: str
    """The run of a gate at which the agent worked then; empty if at none."""
    is_replayed: bool
    """Whether it comes from a recording."""
    sandbox: str
    """The restrictions that the system enforced while it ran; empty for a tool that runs no
    program."""

    def find_fault(self, hash: str, run_id: str) -> str:
        """Say why it is not evidence of these bytes for a run; empty if it is."""
        if self.is_replayed:
            return "comes from a recording"
        if sha256(self.text.encode()).hexdigest() != hash:
            return "had a different result"
        return "" if self.run == run_id else "belongs to another run"


class CallResults:
    """The results of one agent, in the order of its calls."""

    def __init__(self, entries: Iterable[Mapping[str, Any]] = ()) -> None:
        """Begin with the entries of a journal."""
        self.place = ""
        """The journal's file, from the project; empty if it is outside."""
        self._results = dict[str, CallResult]()
        self._started = dict[str, Mapping[str, Any]]()
        self._run = ""
        self._is_replay = False
        for entry in entries:
            self.add_entry(entry)

    def add_entry(self, entry: Mapping[str, Any]) -> None:
        """Take the result from an entry of the journal, if it has one."""
        if entry["event"] == "initialized":
            about = entry.get("about", {})
            self._run = str(about.get("run", ""))
            self._is_replay = bool(about.get("model", {}).get("replay"))
        elif entry["event"] == "toolStarted":
            self._started[str(entry["attempt"])] = entry
        elif entry["event"] == "toolFinished":
            call, tool = str(entry["attempt"]), str(entry["tool"])
            made = msgspec.convert(entry["output"], ToolOutput).result
            started = self._started.get(call)
            # Each call is in the journal before it runs, and its result is written once.
            if made is None or started is None or started["tool"] != tool or call in self._results:
                return
            sandbox = str(started.get("note", {}).get("sandbox", ""))
            self._results[call] = CallResult(call, tool, made, self._run, self._is_replay, sandbox)

    def find_result(self, named: str) -> CallResult | None:
        """Return the result of a call, or the newest one of a tool."""
        if named in self._results:
            return self._results[named]
        newest = reversed(self._results.values())
        return next((each for each in newest if each.tool == named), None)

    def get_result(self, call: str) -> CallResult | None:
        """Return the result of a call; None if it has none."""
        return self._results.get(call)

    def has_result(self, call: str, hash: str, run_id: str) -> bool:
        """Whether a call made content with this SHA-256 while the agent worked at a run."""
        made = self._results.get(call)
        return made is not None and not made.find_fault(hash, run_id)
