"""Walking a flow: from what a step's check said to the step that comes next.

Pure: a position goes in, a position comes out. Loops are allowed and counted; a step that
runs too often in a row, or is entered too often in all, ends the walk. Retries that are
used up are never an end reached.
"""

from typing import NamedTuple

from msgspec.structs import replace

from saniwa.agent.flow import (
    AgentStep,
    Flow,
    RetryPolicy,
    ReturnFlow,
    Transition,
)
from saniwa.agent.walking.position import Frame, Notice, Position, Walked
from saniwa.core.errors import LoopError


def begin(flow: Flow) -> Position:
    """The position before the first step."""
    return Position(step=flow.entry_step, visits={flow.entry_step: 1})


class Failure(NamedTuple):
    """Why a step has not done what it is for."""

    reason: str
    """In one sentence."""
    code: str = "RETRIES_EXHAUSTED"
    """The error's code, if the walk ends here."""
    hint: str = (
        "change its prompt or its check, or say what follows: "
        "onExhausted 'fallback' or 'skip', or an escalation"
    )
    """What to do, if the walk ends here."""

    @property
    def may_retry(self) -> bool:
        """Whether the same question may get another answer."""
        return self.code == "RETRIES_EXHAUSTED"

    def replace_reason(self, reason: str) -> "Failure":
        """The same failure, with this reason."""
        return self._replace(reason=reason)


class Walk:
    """A flow that can be walked."""

    def __init__(self, flow: Flow) -> None:
        self.flow = flow

    def step(self, position: Position) -> AgentStep:
        """The step the flow stands at."""
        return self.flow.steps[position.step]

    def ran(self, position: Position) -> Position:
        """The step has run once more."""
        return replace(position, runs=position.runs + 1)

    def into_subs(self, position: Position) -> Position:
        """Its own prompt has run, or it has none: its first sub-step comes."""
        frame = Frame(kind="subSteps", step=position.step, retries=position.retries)
        inside = replace(position, frames=(*position.frames, frame))
        return self._enter(inside, self.step(position).sub_steps[0])

    def passed(self, position: Position) -> Walked:
        """The step has done what it is for, or nobody checks it."""
        step = self.step(position)
        if position.runs < step.min_iterations and step.prompt is not None:
            return Walked(position=self._stay(position))
        onward = step.check.on_pass if step.check else Transition()
        if onward.empty:
            onward = Transition(next=step.next, complete=step.complete)
        if onward.empty:
            return self._at_the_end_of(position)
        return self._take(position, onward, Failure(""))

    def failed(self, position: Position, failure: Failure | str) -> Walked:
        """The step's check said no, or its answer may not be acted on."""
        if isinstance(failure, str):
            failure = Failure(failure)
        step = self.step(position)
        onward = step.check.on_fail if step.check else Transition()
        if onward.empty:
            onward = Transition(retry=RetryPolicy())
        return self._take(position, onward, failure)

    def to(self, position: Position, target: str) -> Position:
        """A gateway leads to a step; the flow's end where the target is empty."""
        if target:
            return self._enter(position, target)
        return self._take(position, Transition(complete=True), Failure("")).position

    def _take(self, position: Position, onward: Transition, failure: Failure) -> Walked:
        if onward.complete and position.frames:
            # Inside a part or an escalation it is that which is complete: the step to
            # come back to says what follows.
            return self._at_the_end_of(position)
        if onward.complete:
            return Walked(position=replace(position, complete=True))
        if onward.next:
            return Walked(position=self._enter(position, onward.next))
        if onward.escalate:
            return self._escalate(position, failure)
        assert onward.retry is not None, "a transition that is not empty says something"
        return self._retry(position, onward.retry, failure)

    def _retry(
        self, position: Position, policy: RetryPolicy, failure: Failure
    ) -> Walked:
        if failure.may_retry and position.retries < policy.max_retries:
            # The same prompt again; a retry is no loop, so it is not counted as one.
            return Walked(
                position=replace(
                    position, retries=position.retries + 1, subs_done=False
                )
            )
        step = self.step(position)
        if step.escalation is not None:
            return self._escalate(position, failure)
        if policy.on_exhausted == "fallback":
            if not policy.fallback_step:
                why = f"{failure.reason}; no fallback step is named"
                raise _exhausted(step, position, failure.replace_reason(why))
            return Walked(position=self._enter(position, policy.fallback_step))
        if policy.on_exhausted == "skip":
            return self._skip(position, failure)
        return self._fail(position, failure)

    def _skip(self, position: Position, failure: Failure) -> Walked:
        step = self.step(position)
        onward = step.check.on_pass if step.check else Transition()
        target = onward.next or step.next
        if target:
            return Walked(position=self._enter(position, target))
        if position.frames:
            return self._at_the_end_of(position)
        # Skipping the last step would be an end that nobody reached.
        why = f"{failure.reason}; skipping it leads nowhere"
        raise _exhausted(step, position, failure.replace_reason(why))

    def _fail(self, position: Position, failure: Failure) -> Walked:
        """A step failed for good: so does the step it is a part of."""
        step = self.step(position)
        if not position.frames or position.frames[-1].kind == "escalation":
            raise _exhausted(step, position, failure)
        frame, outer = position.frames[-1], position.frames[:-1]
        parent = replace(
            position,
            step=frame.step,
            frames=outer,
            retries=frame.retries,
            runs=0,
            subs_done=False,
        )
        whole = self.step(parent)
        onward = whole.check.on_fail if whole.check else Transition()
        if not onward.empty:
            return self._take(parent, onward, failure)
        if whole.escalation is not None:
            return self._escalate(parent, failure)
        why = f"its part {step.id!r} failed: {failure.reason}"
        return self._fail(parent, failure.replace_reason(why))

    def _at_the_end_of(self, position: Position) -> Walked:
        """A step is done and says nothing of what follows: back out, or stay."""
        if not position.frames:
            return Walked(position=self._stay(position))
        frame, outer = position.frames[-1], position.frames[:-1]
        if frame.kind == "escalation":
            back = replace(position, frames=outer)
            return Walked(position=self._return(back, frame.step, frame.return_flow))
        parts = self.flow.steps[frame.step].sub_steps
        if frame.index + 1 < len(parts):
            later = replace(frame, index=frame.index + 1)
            inside = replace(position, frames=(*outer, later))
            return Walked(position=self._enter(inside, parts[frame.index + 1]))
        whole = replace(
            position,
            step=frame.step,
            frames=outer,
            retries=frame.retries,
            runs=max(1, self.flow.steps[frame.step].min_iterations),
            subs_done=True,
        )
        return Walked(position=whole)

    def _escalate(self, position: Position, failure: Failure) -> Walked:
        step = self.step(position)
        escalation = step.escalation
        if escalation is None:
            why = f"{failure.reason}; no escalation is named"
            raise _exhausted(step, position, failure.replace_reason(why))
        if escalation.notification_method == "in_agent":
            frame = Frame(
                kind="escalation", step=step.id, return_flow=escalation.return_flow
            )
            inside = replace(position, frames=(*position.frames, frame))
            onward = self._enter(inside, escalation.escalate_to)
            return Walked(
                position=onward,
                notice=Notice(
                    step=step.id, escalation=escalation, reason=failure.reason
                ),
            )
        notice = Notice(step=step.id, escalation=escalation, reason=failure.reason)
        if escalation.return_flow == "abort":
            # It must be told before the agent ends, so ending is left to the caller.
            return Walked(position=position, notice=notice)
        onward = self._return(position, step.id, escalation.return_flow)
        return Walked(position=onward, notice=notice)

    def _return(self, position: Position, step: str, flow: ReturnFlow) -> Position:
        match flow:
            case "resume":
                return self._enter(position, step)
            case "restart":
                return self._enter(replace(position, frames=()), self.flow.entry_step)
            case "abort":
                raise aborted(step)

    def _stay(self, position: Position) -> Position:
        """The same step once more, in the same visit."""
        again = replace(
            position, in_a_row=position.in_a_row + 1, retries=0, subs_done=False
        )
        self._check_row(again)
        return again

    def _enter(self, position: Position, target: str) -> Position:
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
        self._check_row(entered)
        if visits[target] > self.flow.visit_limit:
            raise _endless(target, f"was entered {visits[target]} times")
        return entered

    def _check_row(self, position: Position) -> None:
        step = self.step(position)
        limit = step.max_iterations or self.flow.step_loop_limit
        if position.in_a_row > limit:
            raise _endless(step.id, f"would run {position.in_a_row} times in a row")


def aborted(step: str) -> LoopError:
    """The end of an agent whose escalation says so."""
    return LoopError(
        "AGENT_ESCALATED",
        f"step {step!r} escalated, and the agent ends there",
        hint="see the journal for what it escalated; returnFlow 'resume' would go on",
        details={"step": step},
    )


def _exhausted(step: AgentStep, position: Position, failure: Failure) -> LoopError:
    times = f"failed {position.retries + 1} times" if failure.may_retry else "failed"
    return LoopError(
        failure.code,
        f"step {step.id!r} {times}: {failure.reason}",
        hint=failure.hint,
        details={
            "step": step.id,
            "retries": position.retries,
            "reason": failure.reason,
        },
    )


def _endless(step: str, how: str) -> LoopError:
    return LoopError(
        "STEP_LOOP_LIMIT",
        f"step {step!r} {how}",
        hint="give the step iterations.max, or the flow a larger stepLoopLimit or "
        "visitLimit, if that is meant",
        details={"step": step},
    )
