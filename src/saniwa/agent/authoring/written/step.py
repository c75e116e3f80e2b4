"""An agent's flow, read from its registry of steps."""

from typing import Any, cast, get_args

from msgspec.structs import replace

from saniwa.agent.authoring.draft import Draft, Part
from saniwa.agent.authoring.paper import form
from saniwa.agent.authoring.paper.form import COMPLETIONS
from saniwa.agent.authoring.paper.kinds import is_step_name
from saniwa.agent.authoring.paper.shape import fields
from saniwa.agent.authoring.written.reference import reference_of
from saniwa.agent.authoring.written.transition import (
    check_of,
    escalation_of,
    retry_of,
    routes_of,
)
from saniwa.agent.flow import AgentStep, Flow, StepType, Transition
from saniwa.agent.prompting.variable import is_name
from saniwa.core.paper.fields import Fields
from saniwa.core.paper.held import Held
from saniwa.core.paper.kinds import wrong_type
from saniwa.core.quoted import quoted
from saniwa.process.weighing.schema import check_schema

MOST_STEPS = 10_000
"""Steps of one flow."""


def flow_of(held: Held, agent: str, completion_type: str) -> Draft:
    """The flow as it was read, with the place of every step."""
    found = fields(held, form.REGISTRY, "a flow")
    found.needs(["steps"], "a flow")
    if found.said("agentId", agent) != agent and agent:
        message = f"the flow is of the agent {quoted(found.said('agentId'))}"
        hint = f"the agent here is {agent!r}"
        found["agentId"].error("ID_MISMATCH", message, hint=hint)
    parts = _parts(found.get("steps"))
    entry, where = _entry(found, completion_type)
    steps = {name: part.step for name, part in parts.items()}
    written = ("version", "basePath", "stepLoopLimit", "visitLimit")
    flow = Flow(
        **found.taken(*written, "edition", "adaptation"),
        entry_step=entry,
        steps=_sorted_out(steps, parts),
    )
    return Draft(flow=flow, held=held, entry=where, parts=parts)


def _entry(found: Fields, completion_type: str) -> tuple[str, Held]:
    """Where the flow begins: as mapped for its completion, else as said for all."""
    mapping = found.get("entryStepMapping")
    if mapping is not None and completion_type in mapping.value:
        chosen = mapping.inner(completion_type, mapping.value[completion_type])
        if isinstance(chosen.value, str):
            return chosen.value, chosen
        wrong_type(chosen, "an entry step", "the id of a step")
        return "", chosen
    if "entryStep" in found:
        return found.said("entryStep"), found["entryStep"]
    # A completion type nobody knows may be one of those the mapping names.
    if mapping is None or completion_type in COMPLETIONS:
        found.needs(["entryStep"], "a flow", "say where it begins")
    return "", found.held


def _parts(held: Held | None) -> dict[str, Part]:
    if held is None:
        return {}
    if not held.value or len(held.value) > MOST_STEPS:
        wrong_type(held, "'steps'", f"1 to {MOST_STEPS} steps")
        return {}
    read = {
        name: _part(held.inner(name, value), name) for name, value in held.value.items()
    }
    return {name: part for name, part in read.items() if part is not None}


def _part(held: Held, name: str) -> Part | None:
    if not is_step_name(name):
        message = f"the step {quoted(name)} cannot be named so"
        hint = "use up to 100 letters, digits, '_', '-' and '.'"
        held.page.error("NAME_UNUSABLE", message, held.path, key=True, hint=hint)
        return None
    before = held.page.errors
    found = fields(held, form.STEP, f"the step {quoted(name)}")
    if found.said("id", name) != name:
        message = f"the step {quoted(name)} says its id is {quoted(found.said('id'))}"
        found["id"].error("ID_MISMATCH", message, hint=f"write {name!r}")
    step = _step(found, name)
    return Part(step, held, found, broken=held.page.errors > before)


def _step(found: Fields, name: str) -> AgentStep:
    kind = found.one_of("type", get_args(StepType), "normal")
    runs = fields(found.part("iterations"), form.ITERATIONS, "'iterations'")
    least, most = runs.said("min"), runs.said("max")
    if least is not None and most is not None and least > most:
        message = f"'min' is {least}, more than 'max', which is {most}"
        runs["min"].error("WRONG_TYPE", message, hint="exchange them")
    bounds = {"min_iterations": least} if least is not None else {}
    step = AgentStep(
        **found.taken("name", "next", "complete"),
        **bounds,
        id=name,
        type=cast(StepType, kind),
        prompt=reference_of(found["prompt"]) if "prompt" in found else None,
        check=check_of(found["check"]) if "check" in found else None,
        routes=routes_of(found["routes"]) if "routes" in found else (),
        sub_steps=_sub_steps(found),
        escalation=escalation_of(found["escalation"])
        if "escalation" in found
        else None,
        max_iterations=most,
        schema=_schema(found),
        variables=_variables(found),
    )
    return _retried(step, found)


def _retried(step: AgentStep, found: Fields) -> AgentStep:
    """A step's own `retry` is what follows a no of its check, where that says nothing."""
    policy = retry_of(found)
    if policy is None:
        return step
    if step.check is None:
        message = "a step without a 'check' is never found wanting, so never retried"
        found["retry"].error("FIELD_MISSING", message, hint="add 'check'")
        return step
    if not step.check.on_fail.empty:
        message = "'retry' and the check's 'onFail' both say what follows a no"
        found["retry"].error("AMBIGUOUS_TRANSITION", message, hint="keep one of them")
        return step
    return replace(step, check=replace(step.check, on_fail=Transition(retry=policy)))


def _sub_steps(found: Fields) -> tuple[str, ...]:
    held = found.get("subSteps")
    if held is None:
        return ()
    inner = found
    if isinstance(held.value, dict):
        inner = fields(held, form.SUB_STEPS, "'subSteps'")
        inner.needs(["subSteps"], "'subSteps'")
    if inner.said("sequential", True) is not True:
        inner["sequential"].error(
            "SUBSTEP_UNFIT",
            "sub-steps are run one after the other, never at once",
            hint="leave 'sequential' out, or start several agents",
        )
    return inner.texts("subSteps")


def _schema(found: Fields) -> dict[str, Any] | None:
    held = found.get("outputSchema")
    if held is None:
        return None
    why = check_schema(held.value)
    if why:
        held.error("SCHEMA_INVALID", f"the schema cannot be used: {why}")
    return cast(dict[str, Any], held.value)


def _variables(found: Fields) -> tuple[str, ...]:
    for key in ("variables", "customVariables"):
        for nth, name in enumerate(found.texts(key)):
            if is_name(name) is None:
                message = f"{quoted(name)} cannot be a variable's name"
                item = found[key].inner(nth, name)
                hint = "use letters, digits, '_' and '-'"
                item.error("NAME_UNUSABLE", message, hint=hint)
    return tuple(name.removeprefix("uv-") for name in found.texts("variables"))


def _sorted_out(
    steps: dict[str, AgentStep], parts: dict[str, Part]
) -> dict[str, AgentStep]:
    """What another step lists as its part is a sub-step, also where it does not say so."""
    listed = {name for step in steps.values() for name in step.sub_steps}
    return {
        name: replace(step, type="subStep")
        if name in listed and "type" not in parts[name].found
        else step
        for name, step in steps.items()
    }
