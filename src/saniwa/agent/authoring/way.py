"""Every way that leads from one step of a flow to another."""

from collections.abc import Iterator
from typing import Literal, NamedTuple

import msgspec

from saniwa.agent.flow import AgentStep, Flow, Transition
from saniwa.core.document import Step
from saniwa.core.quoted import quoted

END = ""
"""Where a way leads that completes the flow."""
Kind = Literal["next", "fallback", "escalation", "part"]
"""Whether a step goes on there, ends up there, hands over, or has it as its part."""


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
        yield from _after(step.check.on_pass, "onPass", "pass")
        yield from _after(step.check.on_fail, "onFail", "fail")
    for nth, part in enumerate(step.sub_steps):
        yield Way(part, "part", f"part {nth + 1}", ("subSteps", nth))
    escalation = step.escalation
    if escalation is None or escalation.notification_method != "in_agent":
        return
    if escalation.escalate_to:
        path = ("escalation", "escalateTo")
        yield Way(escalation.escalate_to, "escalation", "escalate", path)


def _after(transition: Transition, key: str, said: str) -> Iterator[Way]:
    if transition.next:
        yield Way(transition.next, "next", said, ("check", key, "next"))
    if transition.complete:
        yield Way(END, "next", said, ("check", key, "complete"))
    retry = transition.retry
    if retry is not None and retry.fallback_step:
        label = f"{said} {retry.max_retries + 1} times"
        yield Way(retry.fallback_step, "fallback", label, ("check", key))


def _when(step: AgentStep, nth: int) -> str:
    route = step.routes[nth]
    if not route.variable:
        return "" if len(step.routes) == 1 else "otherwise"
    if route.contains:
        return f"{route.variable} has {quoted(route.contains)}"
    if route.equals is msgspec.UNSET:
        return route.variable
    return f"{route.variable} = {quoted(route.equals)}"


def parents_of(flow: Flow) -> dict[str, list[str]]:
    """Which steps list a step as their part."""
    parents: dict[str, list[str]] = {}
    for step in flow.steps.values():
        for part in step.sub_steps:
            parents.setdefault(part, []).append(step.id)
    return parents
