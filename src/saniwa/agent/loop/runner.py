"""Goes through a flow: checks what a step brought, and walks on from it.

`walk` says where a check leads; here the checks are asked, gateways decided, and
escalations told.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from saniwa.agent.completion.handlers import ResumableCompletion
from saniwa.agent.contract import (
    PromptResolver,
    QueryResult,
    SdkBridge,
    StepCase,
    StepChecker,
    StepCheckResult,
)
from saniwa.agent.definition import AgentDefinition, AgentStep
from saniwa.agent.flow import (
    EscalationNotice,
    FlowMove,
    FlowNavigator,
    FlowPosition,
    StepFailure,
    choose_route,
    make_abort_error,
    start_flow,
)
from saniwa.agent.journal import EventEmitter, JournalWriter
from saniwa.agent.loop import errors
from saniwa.agent.loop.variables import AnswerSchema
from saniwa.agent.port import AgentPort
from saniwa.agent.progress import ActionResult
from saniwa.core.clock import Clock
from saniwa.core.redaction import redact_address
from saniwa.models.oracle import OracleMessage, Usage
from saniwa.models.ports import AgentJournal, EscalationNotifier


class ResumableBridge(SdkBridge, Protocol):
    """A bridge that is held open, and can take up a conversation again."""

    def restore(self, conversation_id: str, messages: Iterable[OracleMessage]) -> None:
        """Take up a conversation as a journal has it."""
        ...

    async def close(self) -> None:
        """Let go of everything; more than once is no mistake."""
        ...


class PromptWarnings:
    """What a prompt lacks, gathered until the loop writes it down; each thing once."""

    def __init__(self) -> None:
        self._told: set[tuple[str, str]] = set()
        self._new: list[tuple[str, str]] = []

    def add(self, code: str, message: str) -> None:
        """Note a warning, unless it was noted before."""
        if (code, message) not in self._told:
            self._told.add((code, message))
            self._new.append((code, message))

    def take_new(self) -> list[tuple[str, str]]:
        """Those that came since the last time, in order."""
        new, self._new = self._new, []
        return new


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopParts:
    """What a loop works with."""

    definition: AgentDefinition
    """The agent."""
    bridge: ResumableBridge
    """Its way to a model."""
    resolver: PromptResolver
    """Its prompts."""
    warnings: PromptWarnings
    """What they lack."""
    completion: ResumableCompletion
    """What says that it is done."""
    checkers: Mapping[str, StepChecker]
    """For each step that has a check, what checks it."""
    floor: AgentPort
    """Where it stands."""
    journal: AgentJournal
    """Where it is written down."""
    notifier: EscalationNotifier
    """Who is told outside."""
    bell: EventEmitter
    """Who listens inside."""
    clock: Clock
    """When it is."""
    arguments: Mapping[str, str]
    """What its user said, by parameter."""
    name: str
    """What this playing of the agent is called."""
    max_iterations: int
    """Where it is stopped, done or not."""
    about: Mapping[str, Any]
    """What its journal says of it, for whoever takes it up again."""


class IterationOutcome(NamedTuple):
    """What an iteration has brought so far."""

    response: QueryResult
    """What the model said."""
    results: tuple[ActionResult, ...] = ()
    """What came of what it did."""


class FlowRunner:
    """One agent on its way through its flow."""

    def __init__(
        self,
        parts: LoopParts,
        scribe: JournalWriter,
        known: Callable[[], Mapping[str, str]],
    ) -> None:
        """A walker at the first step; `known` gives the variables of the moment."""
        definition = parts.definition
        self._walk = FlowNavigator(definition.flow)
        self._parts = parts
        self._scribe = scribe
        self._known = known
        self._forms = {
            step.id: AnswerSchema(step.id, step.schema)
            for step in definition.flow.steps.values()
            if step.schema is not None
        }
        self.position: FlowPosition = start_flow(definition.flow)
        self.checks = 0
        """Step checks asked so far."""
        self.asking = Usage()
        """What asking for them cost, since somebody looked."""
        self.undelivered: FlowMove | None = None
        """An escalation that could not be told yet, and where it leads."""

    @property
    def current_step(self) -> AgentStep:
        """Where the flow stands."""
        return self._walk.get_step(self.position)

    def extract_outputs(self, step: str, text: str) -> dict[str, Any]:
        """What an answer puts out, as variables; nothing for a step of free words."""
        form = self._forms.get(step)
        return {} if form is None else form.extract_outputs(text)

    async def finish_step(self, brought: IterationOutcome) -> bool | None:
        """The step has run: check it and go on; what its check said, if it has one.

        Raises:
            LoopError: The walk ends here.
        """
        self.position = self._walk.count_run(self.position)
        return await self._judge_step(self.current_step, brought)

    async def pass_silent_steps(
        self, brought: IterationOutcome, facts: Mapping[str, Any]
    ) -> None:
        """Go on over everything that asks no question: gateways, steps of steps.

        Raises:
            LoopError: The walk ends here.
        """
        while not self.position.complete:
            step = self.current_step
            if step.sub_steps and self.position.subs_done:
                await self._judge_step(step, brought)
            elif step.sub_steps and step.prompt is None:
                self.position = self._walk.enter_sub_steps(self.position)
            elif step.type != "gateway":
                return
            elif step.check is not None:
                await self._judge_step(step, brought)
            else:
                target = choose_route(step, {**self._known(), **facts})
                self.position = self._walk.go_to(self.position, target)

    async def _judge_step(
        self, step: AgentStep, brought: IterationOutcome
    ) -> bool | None:
        unfit = self._find_answer_failure(step, brought.response)
        if unfit is not None:
            await self._follow_move(self._walk.fail_step(self.position, unfit))
            return False
        if step.sub_steps and not self.position.subs_done:
            self.position = self._walk.enter_sub_steps(self.position)
            return None
        if step.check is None:
            await self._follow_move(self._walk.pass_step(self.position))
            return None
        checked = await self._run_check(step, brought)
        if checked.passed:
            await self._follow_move(self._walk.pass_step(self.position))
        else:
            await self._follow_move(self._walk.fail_step(self.position, checked.reason))
        return checked.passed

    def _find_answer_failure(
        self, step: AgentStep, response: QueryResult
    ) -> StepFailure | None:
        """Why an answer is none, whatever a check would say; None where it is one."""
        if step.prompt is None or self.position.subs_done:
            return None
        if not response.is_whole and (step.check or not self._parts.definition.speaks):
            limit = self._parts.definition.asking.max_tokens
            return errors.make_partial_answer_failure(response, limit)
        form = self._forms.get(step.id)
        if form is not None:
            misfit = form.find_mismatch(response.text)
            return StepFailure(misfit) if misfit else None
        # Done without an answer is not done; but a character may be silent.
        blank = not response.text.strip() and not self._parts.definition.speaks
        if blank and step.check is None:
            return StepFailure("the answer is empty")
        return None

    async def _run_check(
        self, step: AgentStep, brought: IterationOutcome
    ) -> StepCheckResult:
        assert step.check is not None, "only a step with a check is checked"
        case = StepCase(
            type=step.check.type,
            response=brought.response,
            action_results=brought.results,
            variables=self._known(),
        )
        checked = await self._parts.checkers[step.id].check(case)
        self.checks += 1
        self.asking += checked.usage
        asked: dict[str, Any] = {}
        if checked.key:
            asked = {"key": checked.key, "answer": checked.answer}
        self._scribe.write_entry(
            "stepChecked",
            step=step.id,
            passed=checked.passed,
            reason=checked.reason,
            **asked,
        )
        return checked

    async def deliver_notice(self) -> None:
        """Tell what could not be told before, and go on from it.

        Raises:
            LoopError: It cannot be told now either; or the walk ends here.
        """
        if self.undelivered is not None:
            await self._follow_move(self.undelivered)

    async def _follow_move(self, walked: FlowMove) -> None:
        # Until it is told, it is kept as untold: a resume tells it before anything else.
        self.undelivered = walked if walked.notice is not None else None
        if walked.notice is not None:
            await self._notify_escalation(walked.notice)
        self.undelivered = None
        self.position = walked.position

    async def _notify_escalation(self, notice: EscalationNotice) -> None:
        escalation = notice.escalation
        told = {
            "agent": self._parts.definition.name,
            "step": notice.step,
            "reason": notice.reason,
            "to": redact_address(escalation.escalate_to),
            "how": escalation.notification_method,
            "returnFlow": escalation.return_flow,
        }
        self._scribe.write_entry("escalated", lasting=True, **told)
        if escalation.notification_method == "webhook":
            await self._parts.notifier.notify(escalation.escalate_to, told)
        outside = escalation.notification_method != "in_agent"
        if outside and escalation.return_flow == "abort":
            self.undelivered = None
            raise make_abort_error(notice.step)
