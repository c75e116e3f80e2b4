"""Finds the mistakes in an agent's flow as a whole, all at once.

Every check takes time linear in the size of the agent; none stops at the first mistake.
"""

from collections.abc import Iterator, Mapping
from itertools import islice

from saniwa.agent.definition import (
    AgentDefinition,
    AgentLimits,
    AgentStep,
    CompletionDefinition,
    CompositeCompletion,
    IterationBudget,
    StepCheck,
    StepMachine,
)
from saniwa.agent.files import flow_links
from saniwa.agent.files.flow_draft import FlowDraft
from saniwa.agent.files.flow_links import (
    FLOW_END,
    FlowReach,
    StepLink,
    list_links,
    list_retry_policies,
)
from saniwa.core.text import quote_value
from saniwa.documents.finding_collector import Located
from saniwa.process.evidence_paths import check_url
from saniwa.process.ports import EvidenceError


def lint_calls(draft: FlowDraft) -> None:
    """Report checks that ask a model in a turn that belongs to another step.

    A character's turn may make two model calls: its words, and one check of them. A
    gateway, and a step whose sub-steps are done, are checked in the turn of another
    step.
    """
    for step in draft.flow.steps.values():
        check = step.check
        late = step.type == "gateway" or step.sub_steps
        if check is not None and check.type == "prompt" and late:
            draft.find_place(step.id, "check").add_error(
                "CALLS_TOO_MANY",
                f"the check of {quote_value(step.id)} asks a model in a turn of another"
                " step, and a character's turn may ask only twice",
                hint="use a check of type 'keyword' or 'action', or check the step that is asked",
            )


def lint_limits(draft: FlowDraft, completion: CompletionDefinition, stops: AgentLimits) -> None:
    """Warn about an iteration budget above a hard limit or a loop limit."""
    # That many runs are allowed; one more is not.
    budget = max(_list_budgets(completion), default=0)
    if budget > stops.max_iterations:
        draft.entry.add_warning(
            "LIMIT_BEFORE_END",
            f"the agent is done after {budget} iterations,"
            f" and stopped after {stops.max_iterations}",
            hint="raise 'maxIterations' under 'limits'",
        )
    flow = draft.flow
    for step in flow.steps.values():
        most = step.max_iterations or flow.step_loop_limit
        if _has_no_exit(step) and step.id == flow.entry_step and budget > most:
            draft.find_place(step.id).add_warning(
                "LIMIT_BEFORE_END",
                f"the agent is done after {budget} iterations, and may stay in"
                f" {quote_value(step.id)} for {most} in a row",
                hint="raise its 'iterations.max', or 'stepLoopLimit'",
            )


def _list_budgets(completion: CompletionDefinition) -> Iterator[int]:
    if isinstance(completion, IterationBudget):
        yield completion.max_iterations
    elif isinstance(completion, CompositeCompletion):
        for each in completion.conditions:
            yield from _list_budgets(each)


def _has_no_exit(step: AgentStep) -> bool:
    """Whether nothing leads out of a step, so that it runs again and again."""
    return next(list_links(step), None) is None


def lint_links(draft: FlowDraft) -> None:
    """Report every reference to a step that does not exist."""
    flow = draft.flow
    # A step that could not be read still exists, and its mistakes are already reported.
    known = {*flow.steps, *_collect_step_names(draft)}
    if flow.entry_step and flow.entry_step not in known:
        _report_missing_step(draft, flow.entry_step, "the flow begins with", draft.entry)
    for step in flow.steps.values():
        for way in list_links(step):
            # The target of a skip is written as the `onPass` target, and reported
            # there.
            if way.kind != "skip" and way.to != FLOW_END and way.to not in known:
                message = f"the step {quote_value(step.id)} leads to"
                if way.kind == "part":
                    message = f"the step {quote_value(step.id)} has as its part"
                _report_missing_step(draft, way.to, message, find_link_place(draft, step, way))


def find_link_place(draft: FlowDraft, step: AgentStep, way: StepLink) -> Located:
    """Return where the name of a link's target is written."""
    if way.kind != "fallback":
        return draft.find_place(step.id, *way.path)
    return draft.find_first_place(
        step.id,
        (*way.path, "fallbackStep"),
        (*way.path, "retry", "fallbackStep"),
        (*way.path, "fallback"),
        ("retry", "fallbackStep"),
    )


def _report_missing_step(draft: FlowDraft, name: str, message: str, held: Located) -> None:
    known = draft.flow.steps
    held.add_error(
        "NEXT_STEP_UNKNOWN",
        f"{message} {quote_value(name)}, and there is no such step",
        hint=held.page.suggest_nearest(name, known) or f"there are: {', '.join(islice(known, 20))}",
    )


def _collect_step_names(draft: FlowDraft) -> set[str]:
    value = draft.held.value
    written = value.get("steps") if isinstance(value, dict) else None
    return set(written) if isinstance(written, dict) else set()


DEEPEST_SUB_STEPS = 16
"""How deep sub-steps may be nested."""
_MOST_RING_STEPS = 10


def lint_sub_steps(draft: FlowDraft) -> None:
    """Report invalid sub-steps, links into other steps' sub-steps, and cycles."""
    flow = draft.flow
    for step in flow.steps.values():
        for nth, name in enumerate(step.sub_steps):
            part = flow.steps.get(name)
            if part is not None and part.type != "subStep":
                _report_sub_step(
                    draft,
                    step,
                    ("subSteps", nth),
                    f"{quote_value(name)} is of type {part.type!r}, and no part of a step",
                    'give it "type": "subStep"',
                )
        _lint_intrusion(draft, step)
    entry = flow.steps.get(flow.entry_step)
    if entry is not None and entry.type == "subStep":
        message = f"the flow begins with {quote_value(entry.id)}, a part of another step"
        hint = "begin with the step it is a part of"
        draft.entry.add_error("SUBSTEP_UNFIT", message, hint=hint)
    _lint_rings(draft)


def lint_frame_exits(draft: FlowDraft, frames: FlowReach) -> None:
    """Warn about `complete` without effect, and sub-steps that leave their step."""
    steps = draft.flow.steps
    for step in steps.values():
        if step.id not in frames.inside or step.id in frames.outside:
            continue
        for way in list_links(step):
            if way.to == FLOW_END:
                _warn_link(
                    draft,
                    step,
                    way,
                    f"'complete' in {quote_value(step.id)} ends only what it is run for, not"
                    " the flow",
                    "leave it out: a step that leads nowhere ends it too",
                )
            elif way.kind == "next" and _leaves_parent(step, steps[way.to]):
                message = f"the part {quote_value(step.id)} leads to {quote_value(way.to)}"
                message += ", which is run as a part then"
                _warn_link(draft, step, way, message, "lead there from the whole step")


def _leaves_parent(step: AgentStep, target: AgentStep) -> bool:
    return step.type == "subStep" and target.type != "subStep"


def _warn_link(draft: FlowDraft, step: AgentStep, way: StepLink, message: str, hint: str) -> None:
    draft.find_place(step.id, *way.path).add_warning("SUBSTEP_UNFIT", message, hint=hint)


def _lint_intrusion(draft: FlowDraft, step: AgentStep) -> None:
    if step.type == "subStep":
        return
    for way in list_links(step):
        target = draft.flow.steps.get(way.to) if way.to != FLOW_END else None
        if way.kind != "part" and target is not None and target.type == "subStep":
            message = f"{quote_value(step.id)} leads to {quote_value(way.to)}, a part of a step"
            hint = "lead to the step it is a part of"
            _report_sub_step(draft, step, way.path, message, hint)


def _lint_rings(draft: FlowDraft) -> None:
    """Report steps that contain themselves or nest too deep.

    Each step is visited once.
    """
    steps, heights = draft.flow.steps, dict[str, int]()
    for first in steps:
        way = {} if first in heights else {first: iter(steps[first].sub_steps)}
        while way:
            name = next(reversed(way))
            part = next(way[name], None)
            if part is None:
                del way[name]
                heights[name] = _measure_height(draft, steps[name], heights)
            elif part in way:
                _report_ring(draft, steps[part], list(way))
            elif part in steps and part not in heights:
                way[part] = iter(steps[part].sub_steps)


def _measure_height(draft: FlowDraft, step: AgentStep, heights: Mapping[str, int]) -> int:
    height = 1 + max((heights.get(part, 0) for part in step.sub_steps), default=0)
    if height == DEEPEST_SUB_STEPS + 1:
        message = f"parts of {quote_value(step.id)} nest deeper than {DEEPEST_SUB_STEPS}"
        _report_sub_step(draft, step, ("subSteps",), message, "flatten them")
    return height


def _report_ring(draft: FlowDraft, step: AgentStep, way: list[str]) -> None:
    names = [*way[way.index(step.id) :], step.id]
    shown = " → ".join(quote_value(name) for name in names[:_MOST_RING_STEPS])
    more = " → …" if len(names) > _MOST_RING_STEPS else ""
    message = f"the step {quote_value(step.id)} is a part of itself: {shown}{more}"
    _report_sub_step(draft, step, ("subSteps",), message, "take one of them out")


def _report_sub_step(
    draft: FlowDraft, step: AgentStep, path: tuple[str | int, ...], message: str, hint: str
) -> None:
    draft.find_place(step.id, *path).add_error("SUBSTEP_UNFIT", message, hint=hint)


def lint_reach(
    draft: FlowDraft, completion: CompletionDefinition | None, frames: FlowReach
) -> None:
    """Report unreachable steps, and steps from which a flow that must end cannot."""
    for name in draft.flow.steps:
        if name not in frames.outside | frames.inside:
            message = f"the flow never comes to the step {quote_value(name)}"
            hint = "lead to it, or take it out"
            draft.find_place(name).add_warning("STEP_UNREACHABLE", message, hint=hint)
    for step in draft.flow.steps.values():
        if step.id in frames.outside:
            _lint_skip(draft, step)
    if completion is not None and requires_flow_end(completion):
        _lint_endless(draft, frames)


def _lint_skip(draft: FlowDraft, step: AgentStep) -> None:
    """Warn about a skip without a next step: it leads where a pass would."""
    leads = any(way.kind == "skip" for way in list_links(step))
    for key, policy in list_retry_policies(step):
        if policy.on_exhausted == "skip" and not leads and step.escalation is None:
            draft.find_place(step.id, "check", key).add_warning(
                "FIELD_MISSING",
                f"skipping {quote_value(step.id)} leads nowhere, and is an error then",
                hint="say with 'next' what follows, or choose another 'onExhausted'",
            )


def requires_flow_end(completion: CompletionDefinition) -> bool:
    """Whether an agent is done only when its flow is complete."""
    if isinstance(completion, CompositeCompletion):
        each = [requires_flow_end(one) for one in completion.conditions]
        return any(each) if completion.mode == "all" else bool(each) and all(each)
    return isinstance(completion, StepMachine)


def _lint_endless(draft: FlowDraft, frames: FlowReach) -> None:
    trapped = (frames.outside - frames.ending) | (frames.inside - frames.returning)
    for name in draft.flow.steps:
        if name in trapped:
            draft.find_place(name).add_error(
                "FLOW_ENDLESS",
                f"from the step {quote_value(name)} the flow never comes to its end,"
                " and the agent is done only then",
                hint="lead on to a step with 'complete', or choose another completion",
            )


def lint_steps(draft: FlowDraft) -> None:
    """Report what a step lacks, and what it has without effect."""
    for step in draft.flow.steps.values():
        part = draft.parts.get(step.id)
        if part is not None and "type" in part.found.malformed:
            continue  # What a step needs is unknown if its type is.
        if step.type == "gateway":
            _lint_gateway(draft, step)
        else:
            _lint_prompt(draft, step)
        _lint_escalation(draft, step)
        _lint_exhausted_retries(draft, step)
        if step.next and step.complete:
            draft.find_place(step.id, "complete").add_error(
                "AMBIGUOUS_TRANSITION",
                "the step says 'next' and 'complete', and only one can follow",
                hint="keep one of them",
            )


def _lint_gateway(draft: FlowDraft, step: AgentStep) -> None:
    name = quote_value(step.id)
    if step.prompt is not None:
        message = f"the gateway {name} asks no model, so it has no 'prompt'"
        hint = "leave it out, or make the step a normal one"
        draft.find_place(step.id, "prompt").add_error("UNKNOWN_KEY", message, hint=hint)
    if step.check is not None:
        _lint_checked_gateway(draft, step, step.check)
        return
    onward = bool(step.next or step.complete)
    if not step.routes and not onward and not _is_malformed(draft, step, "routes"):
        message = f"the gateway {name} needs 'routes': nothing leads out of it"
        hint = "add 'routes', 'next' or 'complete'"
        draft.find_place(step.id).add_error("FIELD_MISSING", message, hint=hint)
    elif step.routes and not onward and all(route.variable for route in step.routes):
        message = f"it may be that no route of the gateway {name} fits"
        hint = "add 'next' for all other cases"
        draft.find_place(step.id, "routes").add_warning("FIELD_MISSING", message, hint=hint)


def _lint_checked_gateway(draft: FlowDraft, step: AgentStep, check: StepCheck) -> None:
    """Check a gateway whose check decides: pass and fail must both lead on at once."""
    name = quote_value(step.id)
    if step.routes:
        message = f"the gateway {name} has 'routes' and a 'check', and one decides"
        hint = "keep one of them"
        draft.find_place(step.id, "routes").add_error("AMBIGUOUS_TRANSITION", message, hint=hint)
    leads = bool(step.next or step.complete)
    for key, after in (("onPass", check.on_pass), ("onFail", check.on_fail)):
        silent = after.is_empty and not (key == "onPass" and leads)
        if silent or after.retry is not None:
            message = f"the check of the gateway {name} needs {key!r}: asked again, it"
            message += " would say the same"
            hint = f"add {key!r} with 'next', 'complete' or 'escalate'"
            draft.find_place(step.id, "check", key).add_error("FIELD_MISSING", message, hint=hint)


def _is_malformed(draft: FlowDraft, step: AgentStep, name: str) -> bool:
    """Whether a field is present but invalid, which is already reported."""
    part = draft.parts.get(step.id)
    return part is not None and name in part.found.malformed


def _lint_exhausted_retries(draft: FlowDraft, step: AgentStep) -> None:
    """Report an `onExhausted` that never happens, because an escalation comes first."""
    if step.escalation is None:
        return
    for key, policy in list_retry_policies(step):
        if policy.on_exhausted != "error":
            held = draft.find_first_place(
                step.id,
                ("check", key, "onExhausted"),
                ("check", key, "retry", "onExhausted"),
                ("check", key, "fallback"),
                ("retry", "onExhausted"),
                ("check", key),
            )
            held.add_error(
                "AMBIGUOUS_TRANSITION",
                f"{quote_value(step.id)} escalates when its retries are used up, so"
                f" {policy.on_exhausted!r} never happens",
                hint="keep the 'escalation', or 'onExhausted'",
            )


def _lint_prompt(draft: FlowDraft, step: AgentStep) -> None:
    part = draft.parts.get(step.id)
    written = part is not None and "prompt" in part.found
    written = written or any(_is_malformed(draft, step, n) for n in ("prompt", "subSteps"))
    if step.prompt is None and not step.sub_steps and not written:
        message = f"the step {quote_value(step.id)} needs 'prompt'"
        hint = "say what the model is asked, or make it a gateway"
        draft.find_place(step.id).add_error("FIELD_MISSING", message, hint=hint)
    if step.routes:
        message = f"only a gateway has 'routes', and {quote_value(step.id)} is none"
        hint = 'give it "type": "gateway", or lead to one'
        draft.find_place(step.id, "routes").add_error("UNKNOWN_KEY", message, hint=hint)


def _lint_escalation(draft: FlowDraft, step: AgentStep) -> None:
    check, escalation = step.check, step.escalation
    asks = check is not None and (check.on_pass.escalate or check.on_fail.escalate)
    part = draft.parts.get(step.id)
    broken = part is not None and "escalation" in part.found.malformed
    if asks and escalation is None and not broken:
        message = f"the step {quote_value(step.id)} is to escalate, and has no 'escalation'"
        hint = "add 'escalation' with its 'escalateTo'"
        draft.find_place(step.id, "check").add_error("FIELD_MISSING", message, hint=hint)
    if escalation is None or escalation.notification_method != "webhook":
        return
    try:
        check_url(escalation.escalate_to)
    except EvidenceError as problem:
        draft.find_place(step.id, "escalation", "escalateTo").add_error(
            "ADDRESS_UNUSABLE",
            f"nobody can be told there: {problem}",
            hint="write an http or https address, without a name or password in it",
        )


def lint_flow(
    draft: FlowDraft, completion: CompletionDefinition | None, definition: AgentDefinition
) -> None:
    """Report everything that is wrong with a flow and with its completion.

    `completion` is None if it could not be read; checks that depend on it are skipped.
    """
    lint_steps(draft)
    lint_links(draft)
    before = draft.held.page.errors
    lint_sub_steps(draft)
    # If sub-steps are misused, it is unknown which step runs inside which.
    found = flow_links.compute_reach(draft) if draft.held.page.errors == before else None
    if found is not None:
        lint_reach(draft, completion, found)
        lint_frame_exits(draft, found)
    if completion is not None:
        lint_limits(draft, completion, definition.limits)
    if definition.speaks:
        lint_calls(draft)
