"""Every way that leads from one step of a flow to another."""

from collections.abc import Iterator
from typing import Literal, NamedTuple

import msgspec

from saniwa.agent.flow import AgentStep, RetryPolicy, Transition
from saniwa.core.document import Step
from saniwa.core.quoted import quoted

END = ""
"""Where a way leads that completes the flow."""
Kind = Literal["next", "fallback", "skip", "escalation", "part"]
"""Whether a step goes on there, ends up there, is passed over, hands over, or has it as
its part."""
ONWARD: tuple[Kind, ...] = ("next", "fallback", "skip")
"""Ways that are gone for good: nothing comes back to the step by itself."""


class Way(NamedTuple):
    """One way out of a step."""

    to: str
    """The step it leads to; `END` for the flow's end."""
    kind: Kind
    """How it leads there."""
    label: str
    """When it is taken, in few words."""
    path: tuple[Step, ...]
    """Where it is written, inside its step."""


def ways_of(step: AgentStep) -> Iterator[Way]:
    """Every way out of a step, in the order in which they are written."""
    said = "" if step.check is None else "pass"
    if step.next:
        yield Way(step.next, "next", said, ("next",))
    if step.complete:
        yield Way(END, "next", said, ("complete",))
    for nth, route in enumerate(step.routes):
        key, to = ("complete", END) if route.complete else ("next", route.next)
        if route.complete or route.next:
            yield Way(to, "next", _when(step, nth), ("routes", nth, key))
    if step.check is not None:
        yield from _after(step, step.check.on_pass, "onPass", "pass")
        yield from _after(step, step.check.on_fail, "onFail", "fail")
    for nth, part in enumerate(step.sub_steps):
        yield Way(part, "part", f"part {nth + 1}", ("subSteps", nth))
    escalation = step.escalation
    if escalation is None or escalation.notification_method != "in_agent":
        return
    if escalation.escalate_to:
        path = ("escalation", "escalateTo")
        yield Way(escalation.escalate_to, "escalation", "escalate", path)


def passes_on(step: AgentStep) -> bool:
    """Whether a step that has done what it is for says what follows."""
    onward = step.check.on_pass if step.check is not None else Transition()
    return bool(step.next or step.complete or step.routes or not onward.empty)


def policies_of(step: AgentStep) -> Iterator[tuple[str, RetryPolicy]]:
    """The retries a step's check asks for, each with the key it is written under."""
    check = step.check
    if check is None:
        return
    for key, after in (("onPass", check.on_pass), ("onFail", check.on_fail)):
        if after.retry is not None:
            yield key, after.retry


def _after(
    step: AgentStep, transition: Transition, key: str, said: str
) -> Iterator[Way]:
    if transition.next:
        yield Way(transition.next, "next", said, ("check", key, "next"))
    if transition.complete:
        yield Way(END, "next", said, ("check", key, "complete"))
    retry = transition.retry
    if retry is None:
        return
    label = f"{said} {retry.max_retries + 1} times"
    if retry.fallback_step:
        yield Way(retry.fallback_step, "fallback", label, ("check", key))
    after = step.check.on_pass.next if step.check is not None else ""
    if retry.on_exhausted == "skip" and (after or step.next):
        yield Way(after or step.next, "skip", f"{label}: skip", ("check", key))


def _when(step: AgentStep, nth: int) -> str:
    route = step.routes[nth]
    if not route.variable:
        return "" if len(step.routes) == 1 else "otherwise"
    if route.contains:
        return f"{route.variable} has {quoted(route.contains)}"
    if route.equals is msgspec.UNSET:
        return route.variable
    return f"{route.variable} = {quoted(route.equals)}"
