"""Asks a model until it answers: runs the tools it calls, and tells it their results."""

from collections.abc import Callable
from typing import Any

import msgspec

from saniwa.agent import describe
from saniwa.agent.contract import QueryOptions, QueryResult
from saniwa.agent.journal import JournalWriter, PendingIteration, build_exchange
from saniwa.agent.loop.flow_runner import LoopParts
from saniwa.agent.progress import ActionResult
from saniwa.core.errors import LoopError
from saniwa.models.oracle import ToolCall, ToolOutput, Usage


class ToolUser:
    """The tool calls of one iteration."""

    def __init__(
        self,
        parts: LoopParts,
        writer: JournalWriter,
        iteration: int,
        spend: Callable[[Usage], Usage],
        pending: PendingIteration | None = None,
    ) -> None:
        """Continue where a journal ends, if an iteration was interrupted.

        `spend` adds to what the agent has cost, and returns the sum.
        """
        self._parts = parts
        self._writer = writer
        self._prefix = f"{parts.name}:{iteration}:tool"
        self._spend = spend
        self._pending = pending or PendingIteration(iteration=iteration)
        self._count = 0
        self.used: list[str] = []
        """The tools that were called, in order."""

    async def ask(self, prompt: str, options: QueryOptions) -> QueryResult:
        """Return the model's answer, after all tools that it calls before it.

        Raises:
            LoopError: A call needs a person, may have run, or is one too many.
            SdkBridgeError: The model did not answer.
        """
        rounds = list(self._pending.rounds)
        outputs = list[ToolOutput]()
        for response in rounds:
            self._spend(response.usage)
            outputs += await self._perform_all(response)
        if self._pending.response is not None:
            return self._pending.response
        toolbox = self._parts.toolbox
        offers = await toolbox.open() if toolbox is not None else ()
        while True:
            asked = msgspec.structs.replace(
                options, tools=offers, exchange=build_exchange(rounds, outputs)
            )
            response = await self._parts.bridge.query(prompt, asked)
            # Written before it is used, so that it is never asked for again.
            answer = msgspec.to_builtins(response)
            self._writer.write_entry("queryExecuted", lasting=True, response=answer)
            if not response.calls:
                return response
            self._spend(response.usage)
            rounds.append(response)
            outputs += await self._perform_all(response)

    async def _perform_all(self, response: QueryResult) -> list[ToolOutput]:
        # One at a time, in order: a call may depend on what the one before it has done.
        return [await self.perform(call) for call in response.calls]

    async def perform(self, call: ToolCall) -> ToolOutput:
        """Run one call, unless the journal has its result.

        Raises:
            LoopError: It needs a person, may have run, or is one too many.
        """
        toolbox = self._parts.toolbox
        if toolbox is None:
            raise describe("FLOOR_UNFIT/perform", name=call.name).to_error(LoopError)
        most = self._parts.definition.limits.max_tool_calls
        if self._spend(Usage(tool_calls=1)).tool_calls > most:
            raise describe("BUDGET_SPENT", what="tool calls", ceiling=most).to_error(LoopError)
        self._count += 1
        self.used.append(call.name)
        attempt = f"{self._prefix}-{self._count}"
        return await toolbox.perform(
            call, attempt, self._pending.tool_calls, self._writer.write_entry
        )

    async def handle_action(self, action: dict[str, Any], tool: str) -> ActionResult:
        """Perform an action with the tool that handles its type.

        Raises:
            LoopError: As `perform` does.
        """
        arguments = {key: value for key, value in action.items() if key != "type"}
        output = await self.perform(ToolCall(id="action", name=tool, arguments=arguments))
        return ActionResult(
            type=str(action["type"]),
            success=not output.failed,
            code="failed" if output.failed else "",
            message=output.text,
            details=output.details,
        )
