"""The port of a tool, and what decides whether a call may run.

A tool reports what went wrong as a failed output: no call of a model stops its agent.
"""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, Protocol

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
