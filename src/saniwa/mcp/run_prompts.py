"""Prompts: texts a person picks in a client, about the runs of a gate."""

import mcp_types as wire

from saniwa.core.errors import ProtocolError
from saniwa.core.suggestions import suggest_nearest
from saniwa.mcp.gate_tools import GateTools
from saniwa.mcp.tool import read_tool_texts


class RunPrompts:
    """The prompts of one gate; `tools.toml` has their words."""

    def __init__(self, tools: GateTools) -> None:
        """Use the runs that the gate's tools find."""
        self._tools = tools
        self._texts = read_tool_texts()["prompts"]

    def list_prompts(self) -> list[wire.Prompt]:
        """Return all prompts; each may name a run."""
        about = read_tool_texts()["arguments"]["run_id"]
        named = wire.PromptArgument(name="run_id", description=about, required=False)
        return [
            wire.Prompt(
                name=name, title=text["title"], description=text["description"], arguments=[named]
            )
            for name, text in self._texts.items()
        ]

    def render(self, name: str, arguments: dict[str, str]) -> wire.GetPromptResult:
        """Return a prompt with the present state of its run.

        Raises:
            ProtocolError: `INVALID_PAYLOAD`: there is no such prompt or argument.
            StoreError: `RUN_NOT_FOUND`; the log is damaged.
        """
        text = self._texts.get(name)
        if text is None or set(arguments) - {"run_id"}:
            hint = suggest_nearest(name, self._texts) or f"there are: {', '.join(self._texts)}"
            message = f"there is no prompt {name!r} with such arguments"
            raise ProtocolError("INVALID_PAYLOAD", message, hint=f"{hint}; each takes run_id")
        state = self._tools.describe_run(arguments.get("run_id", ""))
        content = wire.TextContent(text=text["text"].format(state=state))
        return wire.GetPromptResult(
            description=text["description"],
            messages=[wire.PromptMessage(role="user", content=content)],
        )
