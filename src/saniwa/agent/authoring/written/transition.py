"""What follows a step: checks, transitions, retries, escalations and routes, as written."""

from typing import Any, cast, get_args

from saniwa.agent.authoring.paper import form
from saniwa.agent.authoring.paper.shape import fields
from saniwa.agent.authoring.written.reference import reference_of
from saniwa.agent.flow import (
    CheckType,
    Escalation,
    Exhausted,
    Notification,
    RetryPolicy,
    ReturnFlow,
    Route,
    StepCheck,
    Transition,
)
from saniwa.core.paper.fields import Fields
from saniwa.core.paper.held import Held
from saniwa.core.paper.kinds import wrong_type

_CHECKS = get_args(CheckType)
_MOST_ROUTES = 1_000


def check_of(held: Held) -> StepCheck:
    """A step's check; its type may be left out where what it looks at says it."""
    found = fields(held, form.CHECK, "a check")
    usual = "prompt" if "prompt" in found else "keyword" if "keywords" in found else ""
    kind = found.one_of("type", _CHECKS, usual)
    if not kind and "type" not in found.malformed and "type" not in found:
        hint = f"its type is one of {', '.join(_CHECKS)}"
        held.error("FIELD_MISSING", "a check needs 'type'", hint=hint)
    owner = f"a check of type {kind!r}"
    if kind == "prompt":
        found.needs(["prompt"], owner)
    if kind == "keyword":
        found.needs(["keywords"], owner)
        if "keywords" in found and not found.texts("keywords"):
            hint = "list at least one word, or take the check out"
            message = f"{owner} names no word"
            found["keywords"].error("FIELD_MISSING", message, hint=hint)
    if kind in ("action", "keyword") and "prompt" in found:
        message = f"{owner} asks no model, so its 'prompt' is never used"
        found["prompt"].error("UNKNOWN_KEY", message, hint="leave it out")
    return StepCheck(
        type=cast(CheckType, kind or "action"),
        prompt=reference_of(found["prompt"]) if "prompt" in found else None,
        keywords=found.texts("keywords"),
        mode=cast(Any, found.one_of("mode", ("any", "all"), "any")),
        on_pass=_transition(found.get("onPass")),
        on_fail=_transition(found.get("onFail")),
    )


def _transition(held: Held | None) -> Transition:
    """One of `next`, `fallback`, `retry`, `complete` and `escalate`."""
    if held is None:
        return Transition()
    found = fields(held, form.TRANSITION, "a transition")
    retry = retry_of(found)
    ways = [
        name for name in ("next", "complete", "escalate") if found.said(name, False)
    ]
    ways += ["retry"] if retry is not None else []
    if "fallback" in found and retry is None:
        ways.append("fallback")
    if len(ways) > 1:
        said = " and ".join(repr(each) for each in ways)
        message = f"the transition says {said}, and only one can follow"
        held.error("AMBIGUOUS_TRANSITION", message, hint="keep one of them")
    if retry is None and ("maxRetries" in found or "onExhausted" in found):
        message = "'maxRetries' and 'onExhausted' say nothing without 'retry'"
        held.error("FIELD_MISSING", message, hint="add 'retry: true'")
    following = found.said("next", "") or (
        found.said("fallback", "") if retry is None else ""
    )
    return Transition(
        **found.taken("complete", "escalate"), next=following, retry=retry
    )


def retry_of(found: Fields) -> RetryPolicy | None:
    """The retries of a mapping that says `retry: true`, or what a retry is."""
    held = found.get("retry")
    if held is None or held.value is False:
        return None
    policy = found
    if isinstance(held.value, dict):
        policy = fields(held, form.RETRY, "a retry")
    step = policy.said("fallbackStep", "") or found.said("fallback", "")
    usual = (
        "fallback" if "fallback" in found and "onExhausted" not in policy else "error"
    )
    exhausted = policy.one_of("onExhausted", get_args(Exhausted), usual)
    if exhausted == "fallback" and not step and "fallbackStep" not in policy.malformed:
        held.error(
            "FIELD_MISSING",
            "'onExhausted' is 'fallback', and no 'fallbackStep' is named",
            hint="add 'fallbackStep'",
        )
    told = "onExhausted" in policy.malformed
    if step and exhausted != "fallback":
        message = f"'fallbackStep' is never used, since 'onExhausted' is {exhausted!r}"
        if not told:
            hint = "write 'fallback', or drop it"
            held.error("AMBIGUOUS_TRANSITION", message, hint=hint)
        step = ""
    return RetryPolicy(
        **policy.taken("maxRetries"),
        on_exhausted=cast(Exhausted, exhausted),
        fallback_step=step,
    )


def escalation_of(held: Held) -> Escalation:
    """What happens when a step cannot be done; whether its step exists is seen later."""
    found = fields(held, form.ESCALATION, "an escalation")
    found.needs(["escalateTo"], "an escalation")
    method = found.one_of("notificationMethod", get_args(Notification), "in_agent")
    back = found.one_of("returnFlow", get_args(ReturnFlow), "resume")
    return Escalation(
        escalate_to=found.said("escalateTo", ""),
        notification_method=cast(Notification, method),
        return_flow=cast(ReturnFlow, back),
    )


def routes_of(held: Held) -> tuple[Route, ...]:
    """The ways out of a gateway, in order."""
    if len(held.value) > _MOST_ROUTES:
        wrong_type(held, "'routes'", f"a list of at most {_MOST_ROUTES}")
        return ()
    return tuple(_route(held.inner(nth, item)) for nth, item in enumerate(held.value))


def _route(held: Held) -> Route:
    found = fields(held, form.ROUTE, "a route")
    leads = [name for name in ("next", "complete") if found.said(name, False)]
    if len(leads) != 1 and not found.malformed and isinstance(held.value, dict):
        message = "a route needs 'next' or 'complete', and not both"
        held.error("AMBIGUOUS_TRANSITION", message, hint="say where it leads")
    if ("equals" in found or "contains" in found) and "variable" not in found:
        message = "a route that compares needs 'variable'"
        held.error("FIELD_MISSING", message, hint="name what it looks at")
    return Route(**found.taken("next", "complete", "variable", "equals", "contains"))
