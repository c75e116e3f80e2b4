"""Goes through a flow: checks what a step brought, and walks on from it.

`walk` says where a check leads; here the checks are asked, gateways decided, and
escalations told.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from saniwa.agent.contract import QueryResult, StepCase, StepCheckResult
from saniwa.agent.flow import AgentStep
from saniwa.agent.journal.scribe import Scribe
from saniwa.agent.looping import trouble
from saniwa.agent.looping.answer import Form
from saniwa.agent.looping.parts import LoopParts
from saniwa.agent.oracle import Usage
from saniwa.agent.progress import ActionResult
from saniwa.agent.walking.position import Notice, Position, Walked
from saniwa.agent.walking.route import route_of
from saniwa.agent.walking.walk import Failure, Walk, aborted, begin
from saniwa.core.address import shown


class Brought(NamedTuple):
    """What an iteration has brought so far."""

    response: QueryResult
    """What the model said."""
    results: tuple[ActionResult, ...] = ()
    """What came of what it did."""


class Walker:
    """One agent on its way through its flow."""

    def __init__(
        self, parts: LoopParts, scribe: Scribe, known: Callable[[], Mapping[str, str]]
    ) -> None:
        """A walker at the first step; `known` gives the variables of the moment."""
        definition = parts.definition
        self._walk = Walk(definition.flow)
        self._parts = parts
        self._scribe = scribe
        self._known = known
        self._forms = {
            step.id: Form(step.id, step.schema)
            for step in definition.flow.steps.values()
            if step.schema is not None
        }
        self.position: Position = begin(definition.flow)
        self.checks = 0
        """Step checks asked so far."""
        self.asking = Usage()
        """What asking for them cost, since somebody looked."""
        self.undelivered: Walked | None = None
        """An escalation that could not be told yet, and where it leads."""

    @property
    def step(self) -> AgentStep:
        """Where the flow stands."""
        return self._walk.step(self.position)

    def outputs(self, step: str, text: str) -> dict[str, Any]:
        """What an answer puts out, as variables; nothing for a step of free words."""
        form = self._forms.get(step)
        return {} if form is None else form.outputs(text)

    async def ran(self, brought: Brought) -> bool | None:
        """The step has run: check it and go on; what its check said, if it has one.

        Raises:
            LoopError: The walk ends here.
        """
        self.position = self._walk.ran(self.position)
        return await self._judge(self.step, brought)

    async def settle(self, brought: Brought, facts: Mapping[str, Any]) -> None:
        """Go on over everything that asks no question: gateways, steps of steps.

        Raises:
            LoopError: The walk ends here.
        """
        while not self.position.complete:
            step = self.step
            if step.sub_steps and self.position.subs_done:
                await self._judge(step, brought)
            elif step.sub_steps and step.prompt is None:
                self.position = self._walk.into_subs(self.position)
            elif step.type != "gateway":
                return
            elif step.check is not None:
                await self._judge(step, brought)
            else:
                target = route_of(step, {**self._known(), **facts})
                self.position = self._walk.to(self.position, target)

    async def _judge(self, step: AgentStep, brought: Brought) -> bool | None:
        unfit = self._unfit(step, brought.response)
        if unfit is not None:
            await self._go(self._walk.failed(self.position, unfit))
            return False
        if step.sub_steps and not self.position.subs_done:
            self.position = self._walk.into_subs(self.position)
            return None
        if step.check is None:
            await self._go(self._walk.passed(self.position))
            return None
        checked = await self._checked(step, brought)
        if checked.passed:
            await self._go(self._walk.passed(self.position))
        else:
            await self._go(self._walk.failed(self.position, checked.reason))
        return checked.passed

    def _unfit(self, step: AgentStep, response: QueryResult) -> Failure | None:
        """Why an answer is none, whatever a check would say; None where it is one."""
        if step.prompt is None or self.position.subs_done:
            return None
        if not response.is_whole and (step.check or not self._parts.definition.speaks):
            limit = self._parts.definition.asking.max_tokens
            return trouble.not_whole(response, limit)
        form = self._forms.get(step.id)
        if form is not None:
            misfit = form.misfit(response.text)
            return Failure(misfit) if misfit else None
        # Done without an answer is not done; but a character may be silent.
        blank = not response.text.strip() and not self._parts.definition.speaks
        if blank and step.check is None:
            return Failure("the answer is empty")
        return None

    async def _checked(self, step: AgentStep, brought: Brought) -> StepCheckResult:
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
        self._scribe.note(
            "stepChecked",
            step=step.id,
            passed=checked.passed,
            reason=checked.reason,
            **asked,
        )
        return checked

    async def deliver(self) -> None:
        """Tell what could not be told before, and go on from it.

        Raises:
            LoopError: It cannot be told now either; or the walk ends here.
        """
        if self.undelivered is not None:
            await self._go(self.undelivered)

    async def _go(self, walked: Walked) -> None:
        # Until it is told, it is kept as untold: a resume tells it before anything else.
        self.undelivered = walked if walked.notice is not None else None
        if walked.notice is not None:
            await self._escalate(walked.notice)
        self.undelivered = None
        self.position = walked.position

    async def _escalate(self, notice: Notice) -> None:
        escalation = notice.escalation
        told = {
            "agent": self._parts.definition.name,
            "step": notice.step,
            "reason": notice.reason,
            "to": shown(escalation.escalate_to),
            "how": escalation.notification_method,
            "returnFlow": escalation.return_flow,
        }
        self._scribe.note("escalated", lasting=True, **told)
        if escalation.notification_method == "webhook":
            await self._parts.notifier.notify(escalation.escalate_to, told)
        outside = escalation.notification_method != "in_agent"
        if outside and escalation.return_flow == "abort":
            self.undelivered = None
            raise aborted(notice.step)
