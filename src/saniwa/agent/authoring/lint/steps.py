"""Steps that cannot be taken as they are: no prompt, no way out, no escalation."""

from saniwa.agent.authoring.draft import Draft
from saniwa.agent.authoring.way import policies_of
from saniwa.agent.flow import AgentStep, StepCheck
from saniwa.core.quoted import quoted
from saniwa.process.ports import EvidenceError
from saniwa.process.weighing.place import check_url


def look(draft: Draft) -> None:
    """Note what a step lacks, and what it has in vain."""
    for step in draft.flow.steps.values():
        part = draft.parts.get(step.id)
        if part is not None and "type" in part.found.malformed:
            continue  # Of what type nobody knows, nobody knows what it needs.
        if step.type == "gateway":
            _gateway(draft, step)
        else:
            _asked(draft, step)
        _escalated(draft, step)
        _exhausted(draft, step)
        if step.next and step.complete:
            draft.at(step.id, "complete").error(
                "AMBIGUOUS_TRANSITION",
                "the step says 'next' and 'complete', and only one can follow",
                hint="keep one of them",
            )


def _gateway(draft: Draft, step: AgentStep) -> None:
    name = quoted(step.id)
    if step.prompt is not None:
        message = f"the gateway {name} asks no model, so it has no 'prompt'"
        hint = "leave it out, or make the step a normal one"
        draft.at(step.id, "prompt").error("UNKNOWN_KEY", message, hint=hint)
    if step.check is not None:
        _checked_gateway(draft, step, step.check)
        return
    onward = bool(step.next or step.complete)
    if not step.routes and not onward and not _tried(draft, step, "routes"):
        message = f"the gateway {name} needs 'routes': nothing leads out of it"
        hint = "add 'routes', 'next' or 'complete'"
        draft.at(step.id).error("FIELD_MISSING", message, hint=hint)
    elif step.routes and not onward and all(route.variable for route in step.routes):
        message = f"it may be that no route of the gateway {name} fits"
        hint = "add 'next' for all other cases"
        draft.at(step.id, "routes").warn("FIELD_MISSING", message, hint=hint)


def _checked_gateway(draft: Draft, step: AgentStep, check: StepCheck) -> None:
    """A gateway whose check decides: both answers lead somewhere, at once."""
    name = quoted(step.id)
    if step.routes:
        message = f"the gateway {name} has 'routes' and a 'check', and one decides"
        hint = "keep one of them"
        draft.at(step.id, "routes").error("AMBIGUOUS_TRANSITION", message, hint=hint)
    leads = bool(step.next or step.complete)
    for key, after in (("onPass", check.on_pass), ("onFail", check.on_fail)):
        silent = after.empty and not (key == "onPass" and leads)
        if silent or after.retry is not None:
            message = f"the check of the gateway {name} needs {key!r}: asked again, it"
            message += " would say the same"
            hint = f"add {key!r} with 'next', 'complete' or 'escalate'"
            draft.at(step.id, "check", key).error("FIELD_MISSING", message, hint=hint)


def _tried(draft: Draft, step: AgentStep, name: str) -> bool:
    """Whether a field is written, and wrongly: that has been told."""
    part = draft.parts.get(step.id)
    return part is not None and name in part.found.malformed


def _exhausted(draft: Draft, step: AgentStep) -> None:
    """An escalation comes before what is to happen when retries are used up."""
    if step.escalation is None:
        return
    for key, policy in policies_of(step):
        if policy.on_exhausted != "error":
            held = draft.first(
                step.id,
                ("check", key, "onExhausted"),
                ("check", key, "retry", "onExhausted"),
                ("check", key, "fallback"),
                ("retry", "onExhausted"),
                ("check", key),
            )
            held.error(
                "AMBIGUOUS_TRANSITION",
                f"{quoted(step.id)} escalates when its retries are used up, so"
                f" {policy.on_exhausted!r} never happens",
                hint="keep the 'escalation', or 'onExhausted'",
            )


def _asked(draft: Draft, step: AgentStep) -> None:
    part = draft.parts.get(step.id)
    written = part is not None and "prompt" in part.found
    written = written or any(_tried(draft, step, n) for n in ("prompt", "subSteps"))
    if step.prompt is None and not step.sub_steps and not written:
        message = f"the step {quoted(step.id)} needs 'prompt'"
        hint = "say what the model is asked, or make it a gateway"
        draft.at(step.id).error("FIELD_MISSING", message, hint=hint)
    if step.routes:
        message = f"only a gateway has 'routes', and {quoted(step.id)} is none"
        hint = 'give it "type": "gateway", or lead to one'
        draft.at(step.id, "routes").error("UNKNOWN_KEY", message, hint=hint)


def _escalated(draft: Draft, step: AgentStep) -> None:
    check, escalation = step.check, step.escalation
    asks = check is not None and (check.on_pass.escalate or check.on_fail.escalate)
    part = draft.parts.get(step.id)
    broken = part is not None and "escalation" in part.found.malformed
    if asks and escalation is None and not broken:
        message = f"the step {quoted(step.id)} is to escalate, and has no 'escalation'"
        hint = "add 'escalation' with its 'escalateTo'"
        draft.at(step.id, "check").error("FIELD_MISSING", message, hint=hint)
    if escalation is None or escalation.notification_method != "webhook":
        return
    try:
        check_url(escalation.escalate_to)
    except EvidenceError as problem:
        draft.at(step.id, "escalation", "escalateTo").error(
            "ADDRESS_UNUSABLE",
            f"nobody can be told there: {problem}",
            hint="write an http or https address, without a name or password in it",
        )
