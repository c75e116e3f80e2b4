"""The tools with which an agent reads its own run of a process."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol

import msgspec

from saniwa.agent.port import AgentView
from saniwa.agent.tools.tool import LONGEST_OUTPUT, ReadingTool, ToolCallError, make_schema
from saniwa.core.text import quote_value
from saniwa.models.oracle import ToolOffer, ToolOutput


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
