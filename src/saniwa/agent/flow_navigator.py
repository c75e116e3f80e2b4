"""Moves through an agent's flow: from the result of a step's check to the next step.

Pure: a position goes in, a position comes out. Loops are allowed and counted: a step
that runs too often in a row, or is entered too often in all, ends the flow with an
error. Exhausted retries never count as reaching the end.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
from msgspec.structs import replace

from saniwa.agent import describe
from saniwa.agent.definition import (
    AgentFlow,
    AgentStep,
    Escalation,
    GatewayRoute,
    RetryPolicy,
    ReturnFlow,
    StepTransition,
)
from saniwa.core.errors import LoopError
from saniwa.core.text import quote_value

Count = Annotated[int, msgspec.Meta(ge=0)]
"""A count; never negative."""


class _Record(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """Records are written in camelCase."""


class FlowFrame(_Record, frozen=True):
    """A step to return to: one whose sub-steps run, or one that escalated."""

    kind: Literal["subSteps", "escalation"]
    """Which of the two."""
    step: str
    """The step to return to."""
    index: Count = 0
    """The index of the current sub-step; from 0."""
    return_flow: ReturnFlow = "resume"
    """What follows an escalation."""
    retries: Count = 0
    """Retries so far of the step to return to."""


class FlowPosition(_Record, frozen=True):
    """The current position in a flow."""

    step: str
    """The step that runs next, or is running."""
    retries: Count = 0
    """Retries so far, after failed checks."""
    runs: Count = 0
    """Runs so far in this visit."""
    in_a_row: Count = 1
    """Runs in a row, not counting retries, including the coming run."""
    visits: dict[str, Count] = {}
    """How often each step was entered."""
    frames: tuple[FlowFrame, ...] = ()
    """Where to return to, the innermost last."""
    subs_done: bool = False
    """Whether the sub-steps of this step have run, so that only its check remains."""
    complete: bool = False
    """Whether the flow is complete."""


class EscalationNotice(_Record, frozen=True):
    """An escalation that has to be announced."""

    step: str
    """The step that could not be done."""
    escalation: Escalation
    """How it is announced, and to whom."""
    reason: str
    """Why it could not be done."""


class FlowMove(_Record, frozen=True):
    """One move in the flow: the new position, and an escalation to announce."""

    position: FlowPosition
    """The new position."""
    notice: EscalationNotice | None = None
    """The escalation to announce, if any."""


def choose_route(step: AgentStep, known: Mapping[str, Any]) -> str:
    """Return the step the gateway leads to; empty for the end of the flow.

    Raises:
        LoopError: `ROUTE_MISSING` if no route matches.
    """
    for route in step.routes:
        if _matches_route(route, known):
            return "" if route.complete else route.next
    if step.next or step.complete:
        return "" if step.complete else step.next
    asked = sorted({route.variable for route in step.routes if route.variable})
    raise describe(
        "ROUTE_MISSING",
        step=step.id,
        asked={n: quote_value(known[n]) if n in known else None for n in asked},
    ).to_error(LoopError)


def _matches_route(route: GatewayRoute, known: Mapping[str, Any]) -> bool:
    if not route.variable:
        return True
    if route.variable not in known:
        return False
    value = known[route.variable]
    if route.contains:
        return isinstance(value, str) and route.contains in value
    if route.equals is msgspec.UNSET:
        return True
    # Variables are texts: 3 and "3", true and "true" mean the same to an author.
    return bool(value == route.equals) or to_variable_text(value) == to_variable_text(route.equals)


def to_variable_text(value: Any) -> str:
    """Convert a value to a variable's text: strings unchanged, the rest as JSON."""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def start_flow(flow: AgentFlow) -> FlowPosition:
    """Return the position before the first step."""
    return FlowPosition(step=flow.entry_step, visits={flow.entry_step: 1})


class StepFailure(NamedTuple):
    """Why a step has not done its work."""

    reason: str
    """In one sentence."""
    code: str = "RETRIES_EXHAUSTED"
    """The error's code, if the flow ends here."""
    hint: str = (
        "change its prompt or its check, or set onExhausted to 'fallback' "
        "or 'skip', or add an escalation"
    )
    """The error's hint, if the flow ends here."""

    @property
    def may_retry(self) -> bool:
        """Whether the same question may get a better answer."""
        return self.code == "RETRIES_EXHAUSTED"


class FlowNavigator:
    """Computes the moves in one flow."""

    def __init__(self, flow: AgentFlow) -> None:
        self.flow = flow

    def get_step(self, position: FlowPosition) -> AgentStep:
        """The current step."""
        return self.flow.steps[position.step]

    def count_run(self, position: FlowPosition) -> FlowPosition:
        """Count one more run of the step."""
        return replace(position, runs=position.runs + 1)

    def enter_sub_steps(self, position: FlowPosition) -> FlowPosition:
        """Enter the first sub-step; the step's own prompt has run, or it has none."""
        frame = FlowFrame(kind="subSteps", step=position.step, retries=position.retries)
        inside = replace(position, frames=(*position.frames, frame))
        return self._enter_step(inside, self.get_step(position).sub_steps[0])

    def pass_step(self, position: FlowPosition) -> FlowMove:
        """Move on from a step that passed its check, or has none."""
        step = self.get_step(position)
        if position.runs < step.min_iterations and step.prompt is not None:
            return FlowMove(position=self._stay_at_step(position))
        onward = step.check.on_pass if step.check else StepTransition()
        if onward.is_empty:
            onward = StepTransition(next=step.next, complete=step.complete)
        if onward.is_empty:
            return self._finish_frame(position)
        return self._take_transition(position, onward, StepFailure(""))

    def fail_step(self, position: FlowPosition, failure: StepFailure | str) -> FlowMove:
        """Move on from a step whose check failed or whose answer is unusable."""
        if isinstance(failure, str):
            failure = StepFailure(failure)
        step = self.get_step(position)
        onward = step.check.on_fail if step.check else StepTransition()
        if onward.is_empty:
            onward = StepTransition(retry=RetryPolicy())
        return self._take_transition(position, onward, failure)

    def go_to(self, position: FlowPosition, target: str) -> FlowPosition:
        """Follow a gateway's route to a step.

        An empty target is the end of the flow.
        """
        if target:
            return self._enter_step(position, target)
        return self._take_transition(
            position, StepTransition(complete=True), StepFailure("")
        ).position

    def _take_transition(
        self, position: FlowPosition, onward: StepTransition, failure: StepFailure
    ) -> FlowMove:
        if onward.complete and position.frames:
            # Inside a sub-step or an escalation, only that is complete: the step to
            # return to decides what follows.
            return self._finish_frame(position)
        if onward.complete:
            return FlowMove(position=replace(position, complete=True))
        if onward.next:
            return FlowMove(position=self._enter_step(position, onward.next))
        if onward.escalate:
            return self._escalate(position, failure)
        assert onward.retry is not None, "a transition that is not empty says something"
        return self._retry_step(position, onward.retry, failure)

    def _retry_step(
        self, position: FlowPosition, policy: RetryPolicy, failure: StepFailure
    ) -> FlowMove:
        if failure.may_retry and position.retries < policy.max_retries:
            # The same prompt again. A retry does not count as a loop.
            return FlowMove(
                position=replace(position, retries=position.retries + 1, subs_done=False)
            )
        step = self.get_step(position)
        if step.escalation is not None:
            return self._escalate(position, failure)
        if policy.on_exhausted == "fallback":
            if not policy.fallback_step:
                why = f"{failure.reason}; it has no 'fallbackStep'"
                raise _make_exhausted_error(step, position, failure._replace(reason=why))
            return FlowMove(position=self._enter_step(position, policy.fallback_step))
        if policy.on_exhausted == "skip":
            return self._skip_step(position, failure)
        return self._fail_for_good(position, failure)

    def _skip_step(self, position: FlowPosition, failure: StepFailure) -> FlowMove:
        step = self.get_step(position)
        onward = step.check.on_pass if step.check else StepTransition()
        target = onward.next or step.next
        if target:
            return FlowMove(position=self._enter_step(position, target))
        if position.frames:
            return self._finish_frame(position)
        # Skipping the last step would count as an end that was never reached.
        why = f"{failure.reason}; it has no 'next' step to skip to"
        raise _make_exhausted_error(step, position, failure._replace(reason=why))

    def _fail_for_good(self, position: FlowPosition, failure: StepFailure) -> FlowMove:
        """Fail the step, and with it the step it is a part of."""
        step = self.get_step(position)
        if not position.frames or position.frames[-1].kind == "escalation":
            raise _make_exhausted_error(step, position, failure)
        frame, outer = position.frames[-1], position.frames[:-1]
        parent = replace(
            position, step=frame.step, frames=outer, retries=frame.retries, runs=0, subs_done=False
        )
        parent_step = self.get_step(parent)
        onward = parent_step.check.on_fail if parent_step.check else StepTransition()
        if not onward.is_empty:
            return self._take_transition(parent, onward, failure)
        if parent_step.escalation is not None:
            return self._escalate(parent, failure)
        why = f"its sub-step {step.id!r} failed: {failure.reason}"
        return self._fail_for_good(parent, failure._replace(reason=why))

    def _finish_frame(self, position: FlowPosition) -> FlowMove:
        """Leave a step that is done and names no next step.

        It returns to the outer step, or stays if there is none.
        """
        if not position.frames:
            return FlowMove(position=self._stay_at_step(position))
        frame, outer = position.frames[-1], position.frames[:-1]
        if frame.kind == "escalation":
            back = replace(position, frames=outer)
            return FlowMove(
                position=self._return_from_escalation(back, frame.step, frame.return_flow)
            )
        parts = self.flow.steps[frame.step].sub_steps
        if frame.index + 1 < len(parts):
            later = replace(frame, index=frame.index + 1)
            inside = replace(position, frames=(*outer, later))
            return FlowMove(position=self._enter_step(inside, parts[frame.index + 1]))
        resumed = replace(
            position,
            step=frame.step,
            frames=outer,
            retries=frame.retries,
            runs=max(1, self.flow.steps[frame.step].min_iterations),
            subs_done=True,
        )
        return FlowMove(position=resumed)

    def _escalate(self, position: FlowPosition, failure: StepFailure) -> FlowMove:
        step = self.get_step(position)
        escalation = step.escalation
        if escalation is None:
            why = f"{failure.reason}; it has no 'escalation'"
            raise _make_exhausted_error(step, position, failure._replace(reason=why))
        notice = EscalationNotice(step=step.id, escalation=escalation, reason=failure.reason)
        if escalation.notification_method == "in_agent":
            frame = FlowFrame(kind="escalation", step=step.id, return_flow=escalation.return_flow)
            inside = replace(position, frames=(*position.frames, frame))
            onward = self._enter_step(inside, escalation.escalate_to)
            return FlowMove(position=onward, notice=notice)
        if escalation.return_flow == "abort":
            # It must be announced before the agent ends, so the caller ends it.
            return FlowMove(position=position, notice=notice)
        onward = self._return_from_escalation(position, step.id, escalation.return_flow)
        return FlowMove(position=onward, notice=notice)

    def _return_from_escalation(
        self, position: FlowPosition, step: str, flow: ReturnFlow
    ) -> FlowPosition:
        match flow:
            case "resume":
                return self._enter_step(position, step)
            case "restart":
                return self._enter_step(replace(position, frames=()), self.flow.entry_step)
            case "abort":
                raise make_abort_error(step)

    def _stay_at_step(self, position: FlowPosition) -> FlowPosition:
        """Run the same step once more, in the same visit."""
        again = replace(position, in_a_row=position.in_a_row + 1, retries=0, subs_done=False)
        self._check_repeat_limit(again)
        return again

    def _enter_step(self, position: FlowPosition, target: str) -> FlowPosition:
        same = target == position.step
        visits = dict(position.visits)
        visits[target] = visits.get(target, 0) + 1
        entered = replace(
            position,
            step=target,
            retries=0,
            runs=0,
            subs_done=False,
            in_a_row=position.in_a_row + 1 if same else 1,
            visits=visits,
        )
        self._check_repeat_limit(entered)
        if visits[target] > self.flow.visit_limit:
            raise _make_loop_error(target, f"was entered {visits[target]} times")
        return entered

    def _check_repeat_limit(self, position: FlowPosition) -> None:
        step = self.get_step(position)
        limit = step.max_iterations or self.flow.step_loop_limit
        if position.in_a_row > limit:
            raise _make_loop_error(step.id, f"would run {position.in_a_row} times in a row")


def make_abort_error(step: str) -> LoopError:
    """Return the error that ends an agent whose escalation aborts it."""
    return describe("AGENT_ESCALATED", step=step).to_error(LoopError)


def _make_exhausted_error(
    step: AgentStep, position: FlowPosition, failure: StepFailure
) -> LoopError:
    times = f"failed {position.retries + 1} times" if failure.may_retry else "failed"
    return LoopError(
        failure.code,
        f"step {step.id!r} {times}: {failure.reason}",
        hint=failure.hint,
        details={"step": step.id, "retries": position.retries, "reason": failure.reason},
    )


def _make_loop_error(step: str, how: str) -> LoopError:
    return describe("STEP_LOOP_LIMIT", step=step, how=how).to_error(LoopError)
