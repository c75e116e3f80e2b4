"""Steps that cannot be taken as they are: no prompt, no way out, no escalation."""

from saniwa.agent.authoring.draft import Draft
from saniwa.agent.flow import AgentStep
from saniwa.core.quoted import quoted
from saniwa.process.ports import EvidenceError
from saniwa.process.weighing.place import check_url


def look(draft: Draft) -> None:
    """Note what a step lacks, and what it has in vain."""
    for step in draft.flow.steps.values():
        if step.type == "gateway":
            _gateway(draft, step)
        else:
            _asked(draft, step)
        _escalated(draft, step)
        if step.next and step.complete:
            draft.at(step.id, "complete").error(
                "AMBIGUOUS_TRANSITION",
                "the step says 'next' and 'complete', and only one can follow",
                hint="keep one of them",
            )


def _gateway(draft: Draft, step: AgentStep) -> None:
    name = quoted(step.id)
    for field, there in (("prompt", step.prompt), ("check", step.check)):
        if there is not None:
            message = f"the gateway {name} asks no model, so it has no {field!r}"
            hint = "leave it out, or make the step a normal one"
            draft.at(step.id, field).error("UNKNOWN_KEY", message, hint=hint)
    onward = bool(step.next or step.complete)
    if not step.routes and not onward:
        message = f"the gateway {name} needs 'routes': nothing leads out of it"
        hint = "add 'routes', 'next' or 'complete'"
        draft.at(step.id).error("FIELD_MISSING", message, hint=hint)
    elif not onward and all(route.variable for route in step.routes):
        message = f"it may be that no route of the gateway {name} fits"
        hint = "add 'next' for all other cases"
        draft.at(step.id, "routes").warn("FIELD_MISSING", message, hint=hint)


def _asked(draft: Draft, step: AgentStep) -> None:
    part = draft.parts.get(step.id)
    written = part is not None and (
        "prompt" in part.found or "prompt" in part.found.malformed
    )
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
