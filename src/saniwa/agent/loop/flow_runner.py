"""Runs an agent's flow: checks the outcome of a step, and moves on from it.

`agent.flow_navigator` computes where a check leads; this module runs the checks, decides gateways
and delivers escalations.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Protocol

from saniwa.agent import flow_navigator, layer_contracts
from saniwa.agent.completion_conditions import ResumableCompletion
from saniwa.agent.definition import AgentDefinition, AgentStep
from saniwa.agent.journal import EventEmitter, JournalWriter
from saniwa.agent.layer_contracts import ActionResult
from saniwa.agent.loop.prompt_variables import AnswerSchema
from saniwa.agent.port import AgentPort
from saniwa.agent.tools.toolbox import Toolbox
from saniwa.core.clock import Clock
from saniwa.core.redaction import redact_address
from saniwa.models.oracle import OracleMessage, Usage, describe_finish
from saniwa.models.recording import AgentJournal

_PARTIAL_ANSWERS: Final[dict[str, dict[str, str]]] = {
    "refused": {
        "code": "MODEL_REFUSED",
        "hint": "rephrase the prompt, use another model, or add onFail or an escalation",
    },
    "filtered": {
        "code": "MODEL_FILTERED",
        "hint": "remove the words that the provider filters, use another "
        "provider, or add onFail or an escalation",
    },
    "length": {"hint": "raise model.maxTokens, or request a shorter answer"},
}
"""How a step fails whose answer may not be acted on, by how the answer ended."""


class ResumableBridge(layer_contracts.SdkBridge, Protocol):
    """A bridge that can be closed, and can restore a conversation."""

    def restore(self, conversation_id: str, messages: Iterable[OracleMessage]) -> None:
        """Restore a conversation from a journal."""

    async def close(self) -> None:
        """Release all resources. May be called more than once."""


class PromptWarnings:
    """Collects warnings about prompts until the loop writes them; each one once."""

    def __init__(self) -> None:
        self._seen: set[tuple[str, str]] = set()
        self._new: list[tuple[str, str]] = []

    def add(self, code: str, message: str) -> None:
        """Add a warning, unless it was added before."""
        if (code, message) not in self._seen:
            self._seen.add((code, message))
            self._new.append((code, message))

    def take_new(self) -> list[tuple[str, str]]:
        """Return the warnings since the last call, in order."""
        new, self._new = self._new, []
        return new


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopParts:
    """The parts that a loop works with."""

    definition: AgentDefinition
    """The agent."""
    bridge: ResumableBridge
    """Its bridge to a model."""
    resolver: layer_contracts.PromptResolver
    """Its prompts."""
    warnings: PromptWarnings
    """Warnings about its prompts."""
    completion: ResumableCompletion
    """Decides whether it is done."""
    checkers: Mapping[str, layer_contracts.StepChecker]
    """The checker of each step that has a check."""
    port: AgentPort
    """Where it acts."""
    journal: AgentJournal
    """Where its entries are stored."""
    notifier: layer_contracts.EscalationNotifier
    """Delivers escalations to outside addresses."""
    events: EventEmitter
    """Notifies listeners in this process."""
    clock: Clock
    """The clock for its entries."""
    arguments: Mapping[str, str]
    """The user's arguments, by parameter."""
    name: str
    """The name of this run of the agent."""
    max_iterations: int
    """The hard limit, done or not."""
    about: Mapping[str, Any]
    """What its journal records about it, for a later resume."""
    toolbox: Toolbox | None = None
    """Its tools; None where it has none."""


class IterationOutcome(NamedTuple):
    """The outcome of an iteration so far."""

    response: layer_contracts.QueryResult
    """The model's answer."""
    results: tuple[ActionResult, ...] = ()
    """The results of its actions."""


class FlowRunner:
    """Moves one agent through its flow."""

    def __init__(
        self, parts: LoopParts, scribe: JournalWriter, known: Callable[[], Mapping[str, str]]
    ) -> None:
        """Start at the first step; `known` returns the current variables."""
        definition = parts.definition
        self._navigator = flow_navigator.FlowNavigator(definition.flow)
        self._parts = parts
        self._writer = scribe
        self._get_variables = known
        self._schemas = {
            step.id: AnswerSchema(step.id, step.schema)
            for step in definition.flow.steps.values()
            if step.schema is not None
        }
        self.position: flow_navigator.FlowPosition = flow_navigator.start_flow(definition.flow)
        self.checks = 0
        """Step checks done so far."""
        self.asking = Usage()
        """What these checks cost since the loop last took the amount."""
        self.undelivered: flow_navigator.FlowMove | None = None
        """An escalation that could not be delivered yet, and where it leads."""

    @property
    def current_step(self) -> AgentStep:
        """The current step."""
        return self._navigator.get_step(self.position)

    def extract_outputs(self, step: str, text: str) -> dict[str, Any]:
        """Return an answer's outputs as variables.

        Empty for a step without a schema.
        """
        schema = self._schemas.get(step)
        return {} if schema is None else schema.extract_outputs(text)

    async def finish_step(self, outcome: IterationOutcome) -> bool | None:
        """Check a step that has run, and move on.

        Return the result of its check, if any.

        Raises:
            LoopError: The flow ends here.
        """
        self.position = self._navigator.count_run(self.position)
        return await self._judge_step(self.current_step, outcome)

    async def pass_silent_steps(self, outcome: IterationOutcome, facts: Mapping[str, Any]) -> None:
        """Move on over steps that ask no question: gateways, and steps of sub-steps.

        Raises:
            LoopError: The flow ends here.
        """
        while not self.position.complete:
            step = self.current_step
            if step.sub_steps and self.position.subs_done:
                await self._judge_step(step, outcome)
            elif step.sub_steps and step.prompt is None:
                self.position = self._navigator.enter_sub_steps(self.position)
            elif step.type != "gateway":
                return
            elif step.check is not None:
                await self._judge_step(step, outcome)
            else:
                target = flow_navigator.choose_route(step, {**self._get_variables(), **facts})
                self.position = self._navigator.go_to(self.position, target)

    async def _judge_step(self, step: AgentStep, outcome: IterationOutcome) -> bool | None:
        failure = self._find_answer_failure(step, outcome.response)
        if failure is not None:
            if outcome.response.is_whole:
                # How a cut, refused or filtered answer ended is reported already.
                self._writer.write_entry("warning", message=failure.reason)
            await self._follow_move(self._navigator.fail_step(self.position, failure))
            return False
        if step.sub_steps and not self.position.subs_done:
            self.position = self._navigator.enter_sub_steps(self.position)
            return None
        if step.check is None:
            await self._follow_move(self._navigator.pass_step(self.position))
            return None
        checked = await self._run_check(step, outcome)
        if checked.passed:
            await self._follow_move(self._navigator.pass_step(self.position))
        else:
            await self._follow_move(self._navigator.fail_step(self.position, checked.reason))
        return checked.passed

    def _find_answer_failure(
        self, step: AgentStep, response: layer_contracts.QueryResult
    ) -> flow_navigator.StepFailure | None:
        """Say why an answer is unusable, whatever its check says, or return None."""
        if step.prompt is None or self.position.subs_done:
            return None
        if not response.is_whole and (step.check or not self._parts.definition.speaks):
            limit = self._parts.definition.asking.max_tokens
            why = describe_finish(response.finish, response.reason, limit)
            return flow_navigator.StepFailure(why, **_PARTIAL_ANSWERS.get(response.finish, {}))
        schema = self._schemas.get(step.id)
        if schema is not None:
            mismatch = schema.find_mismatch(response.text)
            return flow_navigator.StepFailure(mismatch) if mismatch else None
        # A step without an answer is not done; but a character may be silent.
        is_blank = not response.text.strip() and not self._parts.definition.speaks
        if is_blank and step.check is None:
            return flow_navigator.StepFailure("the answer is empty")
        return None

    async def _run_check(
        self, step: AgentStep, outcome: IterationOutcome
    ) -> layer_contracts.StepCheckResult:
        assert step.check is not None, "only a step with a check is checked"
        case = layer_contracts.StepCase(
            type=step.check.type,
            response=outcome.response,
            action_results=outcome.results,
            variables=self._get_variables(),
        )
        checked = await self._parts.checkers[step.id].check(case)
        self.checks += 1
        self.asking += checked.usage
        exchange: dict[str, Any] = {}
        if checked.key:
            exchange = {"key": checked.key, "answer": checked.answer}
        self._writer.write_entry(
            "stepChecked", step=step.id, passed=checked.passed, reason=checked.reason, **exchange
        )
        return checked

    async def deliver_notice(self) -> None:
        """Deliver an escalation that could not be delivered before, and move on.

        Raises:
            LoopError: It cannot be delivered now either, or the flow ends here.
        """
        if self.undelivered is not None:
            await self._follow_move(self.undelivered)

    async def _follow_move(self, move: flow_navigator.FlowMove) -> None:
        # It counts as undelivered until it is delivered: a resume delivers it before
        # anything else.
        self.undelivered = move if move.notice is not None else None
        if move.notice is not None:
            await self._notify_escalation(move.notice)
        self.undelivered = None
        self.position = move.position

    async def _notify_escalation(self, notice: flow_navigator.EscalationNotice) -> None:
        escalation = notice.escalation
        message = {
            "agent": self._parts.definition.name,
            "step": notice.step,
            "reason": notice.reason,
            "to": redact_address(escalation.escalate_to),
            "how": escalation.notification_method,
            "returnFlow": escalation.return_flow,
        }
        self._writer.write_entry("escalated", lasting=True, **message)
        if escalation.notification_method == "webhook":
            await self._parts.notifier.notify(escalation.escalate_to, message)
        outside = escalation.notification_method != "in_agent"
        if outside and escalation.return_flow == "abort":
            self.undelivered = None
            raise flow_navigator.make_abort_error(notice.step)
