"""Performs what a model asks for: actions through the agent's port, and calls of tools.

Only known action types are read. A block that cannot be read is reported and skipped:
no text of a model may stop its agent.
"""

from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from itertools import islice
from typing import Any, NamedTuple

import msgspec

from saniwa.agent import describe
from saniwa.agent.definition import ActionSettings
from saniwa.agent.journal import (
    JournalWriter,
    PendingIteration,
    build_exchange,
    join_rest,
    list_cut_answers,
)
from saniwa.agent.layer_contracts import ActionResult, QueryOptions, QueryResult
from saniwa.agent.loop.flow_runner import LoopParts
from saniwa.agent.loop.prompt_variables import shorten_value
from saniwa.agent.port import AgentPort, AgentSubmission
from saniwa.agent.reply_extraction import extract_object, find_block_texts, parse_json
from saniwa.core.decoder_warming import warm_decoders
from saniwa.core.errors import LoopError
from saniwa.core.text import quote_value
from saniwa.models.oracle import ToolCall, ToolOutput, Usage
from saniwa.process.ruling import EventAcceptance, Ruling
from saniwa.turn.record import Turn
from saniwa.world.actions import get_action_type

PORT_ACTIONS = ("speak", "submit")
"""The types of actions that the agent's port performs; they need no handler."""
MOST_BLOCKS = 20
"""The most blocks that are read from one answer."""
MOST_ARTIFACTS = 50
"""The most artifacts of one event."""
MOST_REPEATS = 5
"""How often the same submission may be refused before the agent is stopped."""
MOST_RESTS = 2
"""How often the rest of an answer that was cut off is asked for."""
LONGEST_SUMMARY_TEXT = 300
"""The most characters of each text of an action in a summary."""


class DetectedActions(NamedTuple):
    """The actions in an answer, and what could not be read."""

    actions: tuple[dict[str, Any], ...]
    """The actions, in order."""
    errors: tuple[str, ...] = ()
    """Why blocks were skipped."""

    @property
    def summaries(self) -> tuple[dict[str, Any], ...]:
        """The actions for a summary: long texts are cut.

        The answer has them in full.
        """
        longest = LONGEST_SUMMARY_TEXT
        return tuple(
            {key: shorten_value(value, longest, 4 * longest) for key, value in action.items()}
            for action in self.actions
        )


class SubmissionCounter:
    """Counts how often the same submission was refused while its run did not change.

    Two submissions are the same if event, payload and evidence are equal and they were
    refused with the same code at the same revision. An accepted event, or one from
    another party, restarts the count.
    """

    def __init__(self, refused: Mapping[str, int] | None = None) -> None:
        self.refused = dict(refused or {})
        """How often, by a digest of the submission."""

    def count_result(self, action: dict[str, Any], result: ActionResult, revision: object) -> int:
        """Count a result; return how often this submission was refused so far."""
        if result.success:
            self.refused.clear()
            return 0
        submission = (action, result.code, revision)
        content = msgspec.json.encode(submission, order="deterministic")
        digest = sha256(content).hexdigest()[:16]
        self.refused[digest] = self.refused.get(digest, 0) + 1
        return self.refused[digest]


def detect_actions(text: str, actions: ActionSettings, *, speaks: bool) -> DetectedActions:
    """Find the actions in an answer; for a character, all of it is speech."""
    if speaks:
        return DetectedActions(({"type": "speak", "content": text},))
    if not actions.enabled:
        return DetectedActions(())
    # A model that was given a schema answers with the object alone.
    sole_action = _check_action_type(extract_object(text), actions.all_types)
    if isinstance(sole_action, dict):
        return DetectedActions((sole_action,))
    return _detect_in_blocks(text, actions)


def _detect_in_blocks(text: str, actions: ActionSettings) -> DetectedActions:
    found: list[dict[str, Any]] = []
    errors: list[str] = []
    written = find_block_texts(text, actions.output_format)
    for number, block in enumerate(islice(written, MOST_BLOCKS + 1)):
        if number == MOST_BLOCKS:
            errors.append(f"only the first {MOST_BLOCKS} action blocks were read")
            break
        parsed = parse_json(block)
        read = _check_action_type(parsed.value if parsed is not None else None, actions.all_types)
        if isinstance(read, str):
            errors.append(f"action block {number + 1}: {read}")
        else:
            found.append(read)
    if not found and not errors:
        errors.append(f"no block of {actions.output_format!r} was found")
    return DetectedActions(tuple(found), tuple(errors))


def _check_action_type(action: Any, types: Sequence[str]) -> dict[str, Any] | str:
    if not isinstance(action, dict):
        return "it is not a JSON object"
    if action.get("type") not in types:
        return f"its type {quote_value(action.get('type'))} is not one of {', '.join(types)}"
    return action


async def perform_action(
    action: dict[str, Any], port: AgentPort, attempt: str, *, calls: int = 1
) -> tuple[ActionResult, ...]:
    """Perform an action; return one result for each verdict, or one for a ruling.

    `calls` are the model calls of the turn besides those that it causes.

    Raises:
        LoopError: `FLOOR_UNFIT` if the port does not support it.
        StoreError: It could not be stored.
    """
    if action["type"] == "speak":
        words = action.get("content")
        if not isinstance(words, str):
            return (_make_unreadable_result("speak", "its 'content' is not text"),)
        return to_turn_results(await port.speak(words, attempt, calls=calls))
    try:
        fields = {key: value for key, value in action.items() if key != "type"}
        handed = msgspec.convert(fields, AgentSubmission)
    except msgspec.ValidationError as problem:
        return (_make_unreadable_result("submit", str(problem)),)
    if len(handed.artifacts) > MOST_ARTIFACTS:
        return (_make_unreadable_result("submit", f"it has more than {MOST_ARTIFACTS} artifacts"),)
    return (to_ruling_result(await port.submit(handed, attempt)),)


def to_turn_results(turn: Turn) -> tuple[ActionResult, ...]:
    """Convert a turn to results: what was allowed, refused, or not understood."""
    details = {"turn": turn.number}
    results = [
        ActionResult(
            type=get_action_type(action),
            success=verdict.success,
            code="" if verdict.success else str(verdict.reason_code),
            message="" if verdict.success else verdict.message,
            details=details,
        )
        for action, verdict in zip(turn.normalized_actions, turn.validation_results, strict=True)
    ]
    unclear: list[tuple[str, str]] = [
        (rejection.code, rejection.message) for rejection in turn.rejections
    ]
    if turn.clarification is not None:
        unclear.append((turn.clarification.code, turn.clarification.question))
    results += [
        ActionResult(type="speak", success=False, code=code, message=message, details=details)
        for code, message in unclear
    ]
    return tuple(results)


def to_ruling_result(ruling: Ruling) -> ActionResult:
    """Convert a ruling to a result."""
    if isinstance(ruling, EventAcceptance):
        return ActionResult(
            type="submit",
            success=True,
            message=f"the run is now in {ruling.to_state!r}",
            details={"event_id": ruling.event_id, "revision": ruling.new_revision},
        )
    every = [lack.current_status for lack in ruling.missing_guards]
    every += [f"{each.path}: {each.message}" for each in ruling.validation_errors]
    lacks = [each for each in every if each not in ruling.message]
    return ActionResult(
        type="submit",
        success=False,
        code=ruling.code,
        message="; ".join([ruling.message, *lacks]),
        details={"hint": ruling.hint} if ruling.hint else {},
    )


def _make_unreadable_result(type: str, why: str) -> ActionResult:
    return ActionResult(type=type, success=False, code="unreadable", message=why)


warm_decoders(AgentSubmission)


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
        if self._pending.answer is not None:
            return self._pending.answer
        toolbox = self._parts.toolbox
        offers = await toolbox.open() if toolbox is not None else ()
        while True:
            # What is to follow a schema is whole, or asked for anew.
            may_go_on = options.schema is None and len(list_cut_answers(rounds)) < MOST_RESTS
            asked = msgspec.structs.replace(
                options,
                tools=offers,
                exchange=build_exchange(rounds, outputs),
                awaits_rest=may_go_on,
            )
            response = await self._parts.bridge.query(prompt, asked)
            # Written before it is used, so that it is never asked for again.
            answer = msgspec.to_builtins(response)
            self._writer.write_entry("queryExecuted", lasting=True, response=answer)
            if not (response.calls or response.goes_on):
                return join_rest(rounds, response)
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
