"""Reads an agent's flow from its steps registry.

The result is a `FlowDraft`. What can be judged only over the whole flow is left to
`lint`.
"""

import re
from collections.abc import Mapping
from dataclasses import replace as replace_kind
from typing import Any, cast, get_args

import msgspec
from msgspec.structs import replace

from saniwa.agent.definition import (
    AgentFlow,
    AgentStep,
    CheckType,
    Escalation,
    ExhaustedPolicy,
    GatewayRoute,
    PromptReference,
    RetryPolicy,
    StepCheck,
    StepTransition,
)
from saniwa.agent.field_kinds import NOTATION, PATH
from saniwa.agent.files.agent_file import COMPLETIONS
from saniwa.agent.files.flow_draft import FlowDraft, StepDraft
from saniwa.agent.prompt_resolver import is_variable_name
from saniwa.core.text import quote_value
from saniwa.documents.finding_collector import Located
from saniwa.documents.record_reader import (
    COUNT,
    FLAG,
    TEXT,
    TEXTS,
    UNUSED,
    LocatedFields,
    RecordForm,
    ValueKind,
    add_type_error,
    is_well_formed,
    make_choice,
    make_form,
    make_listed,
    make_named,
    make_record,
)
from saniwa.process.schema_checker import check_schema

_FOLDER_KEYS = ("c1", "c2", "c3")
_STEP_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")
"""A step's outputs are variables named after it."""


def _make_flow_form(
    owner: str,
    record: type[msgspec.Struct],
    more: Mapping[str, ValueKind] | None = None,
    **options: Any,
) -> RecordForm:
    return make_form(owner, record, more, notation=NOTATION, **options)


def read_prompt_reference(held: Located) -> PromptReference | None:
    """Read a prompt reference; None, with a finding, if it is invalid."""
    if isinstance(held.value, str):
        good = is_well_formed(held, PATH, "'prompt'")
        return PromptReference(path=held.value) if good else None
    found = PROMPT.read(held)
    folders = [name for name in _FOLDER_KEYS if name in found]
    if "path" in found and folders:
        held.report("DUPLICATE_KEY/prompt_reference")
        return None
    if "path" not in found and not found.malformed:
        wanted = _FOLDER_KEYS if folders else ("path",)
        hint = "" if folders else "write a 'path', or 'c1', 'c2' and 'c3'"
        found.check_required(wanted, "a prompt", hint)
    if found.malformed or ("path" not in found and len(folders) < len(_FOLDER_KEYS)):
        return None
    reference: PromptReference = found.build_record()
    return reference


PROMPT = _make_flow_form(
    "a prompt",
    PromptReference,
    schema={"anyOf": [{"required": ["path"]}, {"required": ["c1", "c2", "c3"]}]},
)
_PROMPT = ValueKind(
    wanted="a mapping or a path",
    fits=lambda value: isinstance(value, dict | str),
    schema={"anyOf": [PATH.schema, PROMPT]},
    build=read_prompt_reference,
)
_CHECK_TYPES = get_args(CheckType)
_MOST_ROUTES = 1_000


def _read_check(found: LocatedFields) -> StepCheck:
    """Read a step's check; its type may be omitted if its other keys imply it."""
    usual = "prompt" if "prompt" in found else "keyword" if "keywords" in found else ""
    kind = found.get_value("type", usual)
    if not kind and "type" not in found.malformed and "type" not in found:
        found.held.report("FIELD_MISSING/check", names=", ".join(_CHECK_TYPES))
    owner = f"a check of type {kind!r}"
    if kind == "prompt":
        found.check_required(["prompt"], owner)
    if kind == "keyword":
        found.check_required(["keywords"], owner)
        if "keywords" in found and not found.get_texts("keywords"):
            found["keywords"].report("FIELD_MISSING/keywords", owner=owner)
    if kind in ("action", "keyword") and "prompt" in found:
        found["prompt"].report("UNKNOWN_KEY/check", owner=owner)
    check: StepCheck = found.build_record(type=cast(CheckType, kind or "action"))
    return check


def _read_transition(found: LocatedFields) -> StepTransition:
    """Read one of `next`, `fallback`, `retry`, `complete` and `escalate`."""
    held = found.held
    retry = _read_retry(found)
    ways = [name for name in ("next", "complete", "escalate") if found.get_value(name, False)]
    ways += ["retry"] if retry is not None else []
    if "fallback" in found and retry is None:
        ways.append("fallback")
    if len(ways) > 1:
        named = " and ".join(repr(each) for each in ways)
        held.report("AMBIGUOUS_TRANSITION/transition", named=named)
    if retry is None and ("maxRetries" in found or "onExhausted" in found):
        held.report("FIELD_MISSING/transition")
    following = found.get_value("next", "") or (
        found.get_value("fallback", "") if retry is None else ""
    )
    transition: StepTransition = found.build_record(next=following, retry=retry)
    return transition


def _read_retry(found: LocatedFields) -> RetryPolicy | None:
    """Read the retries of a mapping with `retry: true`, or with a retry mapping."""
    held = found.get("retry")
    if held is None or held.value is False:
        return None
    policy = found
    if isinstance(held.value, dict):
        policy = RETRY.read(held)
    step = policy.get_value("fallbackStep", "") or found.get_value("fallback", "")
    usual = "fallback" if "fallback" in found and "onExhausted" not in policy else "error"
    policy.check_choice("onExhausted", _EXHAUSTED)
    exhausted: ExhaustedPolicy = policy.get_value("onExhausted", usual)
    if exhausted == "fallback" and not step and "fallbackStep" not in policy.malformed:
        held.report("FIELD_MISSING/retry")
    is_reported = "onExhausted" in policy.malformed
    if step and exhausted != "fallback":
        message = f"'fallbackStep' is never used, since 'onExhausted' is {exhausted!r}"
        if not is_reported:
            hint = "write 'fallback', or remove it"
            held.add_error("AMBIGUOUS_TRANSITION", message, hint=hint)
        step = ""
    return RetryPolicy(
        **policy.to_arguments("maxRetries"), on_exhausted=exhausted, fallback_step=step
    )


def _read_routes(held: Located) -> tuple[GatewayRoute, ...]:
    """Read the routes of a gateway, in order."""
    if len(held.value) > _MOST_ROUTES:
        add_type_error(held, "'routes'", f"a list of at most {_MOST_ROUTES}")
        return ()
    return tuple(ROUTE.build(item) for item in held.list_items())


def _read_route(found: LocatedFields) -> GatewayRoute:
    held = found.held
    leads = [name for name in ("next", "complete") if found.get_value(name, False)]
    if len(leads) != 1 and not found.malformed and isinstance(held.value, dict):
        held.report("AMBIGUOUS_TRANSITION/route")
    if ("equals" in found or "contains" in found) and "variable" not in found:
        held.report("FIELD_MISSING/route")
    route: GatewayRoute = found.build_record()
    return route


MOST_STEPS = 10_000
"""The most steps of one flow."""
_EXHAUSTED = make_choice(*get_args(ExhaustedPolicy))
# Its words are checked in `_read_retry`.
RETRY = _make_flow_form(
    "a retry", RetryPolicy, {"onExhausted": replace_kind(_EXHAUSTED, choices=())}
)
_RETRY = ValueKind(
    wanted="true, false or a mapping",
    fits=lambda value: isinstance(value, bool | dict),
    schema={"anyOf": [{"type": "boolean"}, RETRY]},
)
TRANSITION = _make_flow_form(
    "a transition",
    StepTransition,
    {**RETRY, "fallback": TEXT, "retry": _RETRY},
    finish=_read_transition,
)
CHECK = _make_flow_form(
    "a check",
    StepCheck,
    {"prompt": _PROMPT, "responseFormat": UNUSED},
    required=(),
    finish=_read_check,
)
ESCALATION = _make_flow_form("an escalation", Escalation)
ROUTE = _make_flow_form("a route", GatewayRoute, finish=_read_route)
SUB_STEPS = RecordForm(
    "'subSteps'", {"sequential": FLAG, "subSteps": TEXTS}, required=("subSteps",), notation=NOTATION
)
ITERATIONS = RecordForm("'iterations'", {"min max": COUNT}, notation=NOTATION)
STEP = _make_flow_form(
    "a step",
    AgentStep,
    {
        "description": TEXT,
        "prompt": _PROMPT,
        "sequential": FLAG,
        "routes": replace_kind(make_listed(ROUTE), build=_read_routes),
        "subSteps": replace_kind(
            TEXTS,
            wanted="a list of steps",
            fits=lambda value: isinstance(value, list | dict),
            schema={"anyOf": [TEXTS.schema, SUB_STEPS]},
        ),
        "retry": _RETRY,
        "iterations": make_record(ITERATIONS),
        "customVariables": TEXTS,
    },
    required=(),
)
FLOW = _make_flow_form(
    "a flow",
    AgentFlow,
    {
        "agentId": TEXT,
        "entryStepMapping": make_named({"type": "string"}),
        "steps": make_named(STEP),
        "editions": UNUSED,
    },
    required=("steps",),
)
"""The keys of a flow; `docs/reference/agent-format.md` explains them."""


def read_flow(held: Located, agent: str, completion_type: str) -> FlowDraft:
    """Read a flow, with the location of every step."""
    found = FLOW.read(held)
    if found.get_value("agentId", agent) != agent and agent:
        found["agentId"].report(
            "ID_MISMATCH/flow", agent_id=found.get_value("agentId"), agent=agent
        )
    parts = _read_steps(found.get("steps"))
    entry, where = _read_entry(found, completion_type)
    steps = {name: part.step for name, part in parts.items()}
    flow = found.build_record(entry_step=entry, steps=_mark_sub_steps(steps, parts))
    return FlowDraft(flow=flow, held=held, entry=where, parts=parts)


def _read_entry(found: LocatedFields, completion_type: str) -> tuple[str, Located]:
    """Return the entry step: the one for the completion type, else the general one."""
    mapping = found.get("entryStepMapping")
    if mapping is not None and completion_type in mapping.value:
        chosen = mapping.make_inner(completion_type, mapping.value[completion_type])
        if isinstance(chosen.value, str):
            return chosen.value, chosen
        add_type_error(chosen, "an entry step", "the id of a step")
        return "", chosen
    if "entryStep" in found:
        return found.get_value("entryStep"), found["entryStep"]
    # An unknown completion type may be one of those that the mapping names.
    if mapping is None or completion_type in COMPLETIONS:
        found.check_required(
            ["entryStep"], "a flow", "add 'entryStep' with the id of the first step"
        )
    return "", found.held


def _read_steps(held: Located | None) -> dict[str, StepDraft]:
    if held is None:
        return {}
    if not held.value or len(held.value) > MOST_STEPS:
        add_type_error(held, "'steps'", f"1 to {MOST_STEPS} steps")
        return {}
    read = ((str(item.path[-1]), _read_step_draft(item)) for item in held.list_items())
    return {name: part for name, part in read if part is not None}


def _read_step_draft(held: Located) -> StepDraft | None:
    name = str(held.path[-1])
    if _STEP_NAME.fullmatch(name) is None:
        held.report("NAME_UNUSABLE/step", key=True, name=name)
        return None
    before = held.page.errors
    found = STEP.read(held, f"the step {quote_value(name)}")
    if found.get_value("id", name) != name:
        found["id"].report("ID_MISMATCH/step", name=name, id=found.get_value("id"))
    step = _read_step(found, name)
    return StepDraft(step, held, found, broken=held.page.errors > before)


def _read_step(found: LocatedFields, name: str) -> AgentStep:
    runs = found.read_part("iterations")
    least, most = runs.get_value("min"), runs.get_value("max")
    if least is not None and most is not None and least > most:
        runs["min"].report("WRONG_TYPE/step", least=least, most=most)
    bounds = {"min_iterations": least} if least is not None else {}
    step = found.build_record(
        **bounds,
        id=name,
        sub_steps=_read_sub_steps(found),
        max_iterations=most,
        schema=_read_schema(found),
        variables=_read_variables(found),
    )
    return _apply_step_retry(step, found)


def _apply_step_retry(step: AgentStep, found: LocatedFields) -> AgentStep:
    """Apply a step's own `retry` as `onFail` of its check, if that is empty."""
    policy = _read_retry(found)
    if policy is None:
        return step
    if step.check is None:
        found["retry"].report("FIELD_MISSING/retry_check")
        return step
    if not step.check.on_fail.is_empty:
        found["retry"].report("AMBIGUOUS_TRANSITION/retry")
        return step
    return replace(step, check=replace(step.check, on_fail=StepTransition(retry=policy)))


def _read_sub_steps(found: LocatedFields) -> tuple[str, ...]:
    held = found.get("subSteps")
    if held is None:
        return ()
    inner = found
    if isinstance(held.value, dict):
        inner = SUB_STEPS.read(held)
    if inner.get_value("sequential", True) is not True:
        inner["sequential"].report("SUBSTEP_UNFIT/sequence")
    return inner.get_texts("subSteps")


def _read_schema(found: LocatedFields) -> dict[str, Any] | None:
    held = found.get("outputSchema")
    if held is None:
        return None
    why = check_schema(held.value)
    if why:
        held.report("SCHEMA_INVALID", why=why)
    return cast(dict[str, Any], held.value)


def _read_variables(found: LocatedFields) -> tuple[str, ...]:
    for key in ("variables", "customVariables"):
        for item in found.list_texts(key):
            if is_variable_name(item.value) is None:
                item.report("NAME_UNUSABLE/variables", value=item.value)
    return tuple(name.removeprefix("uv-") for name in found.get_texts("variables"))


def _mark_sub_steps(
    steps: dict[str, AgentStep], parts: dict[str, StepDraft]
) -> dict[str, AgentStep]:
    """Give a step that another one lists as its part the type `subStep`.

    A step that names its own type keeps it.
    """
    listed = {name for step in steps.values() for name in step.sub_steps}
    return {
        name: replace(step, type="subStep")
        if name in listed and "type" not in parts[name].found
        else step
        for name, step in steps.items()
    }
