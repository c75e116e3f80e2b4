"""The port of a tool, what decides whether a call may run, and tools for the agent's run.

A tool reports what went wrong as a failed output: no call of a model stops its agent.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal, NamedTuple, Protocol

import msgspec

from saniwa.agent.port import AgentView
from saniwa.core.text import quote_value, truncate
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


class RunReader(Protocol):
    """What an agent may read of its own run at a gate."""

    def view(self) -> AgentView:
        """Return the run's state, what is missing, and what may be sent."""

    def read_history(self) -> list[dict[str, Any]]:
        """Return the events of the run, oldest first."""

    def list_evidence(self) -> list[str]:
        """Return the names of all evidence."""

    def read_evidence(self, place: str) -> str | None:
        """Return a piece of evidence as text; None if there is none."""


class RunTool(ReadingTool):
    """A tool that answers a question about a run."""

    def __init__(
        self,
        offer: ToolOffer,
        answer: Callable[[Mapping[str, Any]], str | Awaitable[str]],
        *,
        is_result: bool = False,
    ) -> None:
        """Answer with a function; with `is_result`, no word of it is the agent's own."""
        self.offer = offer
        self._answer = answer
        self._result_from = 0 if is_result else None

    async def run(self, arguments: Mapping[str, Any]) -> ToolOutput:
        """Return the answer.

        Raises:
            ToolCallError: There is no answer.
        """
        answer = self._answer(arguments)
        text = answer if isinstance(answer, str) else await answer
        return ToolOutput(text=text, result_from=self._result_from)


def make_run_tools(run: RunReader) -> tuple[RunTool, ...]:
    """Make the tools for an agent's own run."""
    state = ToolOffer(
        name="get_state",
        description="The state of your run: what it asks for, what is missing, what you may send.",
        parameters=make_schema(),
    )
    history = ToolOffer(
        name="get_history",
        description="The events of your run so far, one JSON object per line.",
        parameters=make_schema(),
    )
    evidence = ToolOffer(
        name="read_evidence",
        description="Read a piece of evidence of your run; without a name, list all of them.",
        parameters=make_schema(
            name=("string", "The name of the piece, as the list has it"),
            offset=("integer", "The character to begin with; from 0"),
        ),
    )
    return (
        RunTool(state, lambda _: _render_state(run.view())),
        RunTool(history, lambda _: "\n".join(map(_render_json, run.read_history()))),
        RunTool(evidence, lambda arguments: _read_evidence(run, arguments)),
    )


def _render_state(view: AgentView) -> str:
    return "\n\n".join(f"{name}:\n{text}" for name, text in sorted(view.variables.items()) if text)


def _render_json(value: Any) -> str:
    return msgspec.json.encode(value, order="deterministic").decode()


def _read_evidence(run: RunReader, arguments: Mapping[str, Any]) -> str:
    name, start = arguments.get("name"), max(arguments.get("offset", 0), 0)
    if not name:
        return "\n".join(run.list_evidence()) or "there is no evidence yet"
    text = run.read_evidence(name)
    if text is None:
        raise ToolCallError(f"there is no evidence {quote_value(name)} that is text")
    part = text[start : start + LONGEST_OUTPUT - 100]
    rest = len(text) - start - len(part)
    return part + (f"\n[{rest} more characters: offset {start + len(part)}]" if rest > 0 else "")
