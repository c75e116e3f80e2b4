"""Finds the mistakes in an agent's flow and in its prompt files, all at once.

Prompt files may be missing or broken, or use undefined variables. Every check takes
time linear in the size of the agent; none stops at the first mistake.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from saniwa.agent import describe
from saniwa.agent.definition import (
    AgentDefinition,
    AgentLimits,
    AgentStep,
    CompletionDefinition,
    CompositeCompletion,
    IterationBudget,
    PromptReference,
    StepCheck,
    StepMachine,
)
from saniwa.agent.files import flow_graph
from saniwa.agent.files.flow_draft import FlowDraft
from saniwa.agent.files.flow_graph import (
    FLOW_END,
    FlowReach,
    StepLink,
    list_links,
    list_retry_policies,
)
from saniwa.agent.folder_files import (
    OutsideFolderError,
    PromptFileMissingError,
    UnreadableFileError,
    check_file,
    read_inside,
)
from saniwa.agent.prompt_resolver import (
    CHECK_VARIABLES,
    INPUT_VARIABLE,
    LARGEST_PROMPT,
    PORT_FACTS,
    PORT_VARIABLES,
    STANDARD_VARIABLES,
    PromptTemplate,
    PromptTemplateError,
    list_output_fields,
    list_prompt_paths,
    list_system_paths,
    name_output_variable,
    read_template,
)
from saniwa.core.text import quote_value
from saniwa.documents.document import Document
from saniwa.documents.finding_collector import Findings, Located
from saniwa.process.evidence_paths import check_url
from saniwa.process.ports import EvidenceError

_FILE_SCHEMES = ("canned", "replay")


def lint_answer_file(held: Located | None, folder: Path) -> None:
    """Report a file of answers that is outside the folder or missing.

    A missing file is only a warning: the user who runs the agent may name another
    model.
    """
    kind, _, path = str(held.value).partition(":") if held is not None else ("", "", "")
    if held is None or kind not in _FILE_SCHEMES:
        return
    try:
        check_file(folder, path)
    except OutsideFolderError as problem:
        hint = "write a path that stays inside the agent's folder"
        held.add_error("FILE_OUTSIDE", str(problem), hint=hint)
    except PromptFileMissingError:
        held.report("FILE_MISSING/answer_file", path=path)
    except UnreadableFileError as problem:
        held.report("FILE_MISSING/answer_kind", path=path, problem=problem)


@dataclass(slots=True)
class PromptLinter:
    """Checks every prompt file of an agent, each once."""

    definition: AgentDefinition
    """The agent."""
    draft: FlowDraft
    """Its flow, with locations."""
    folder: Path
    """Its folder."""
    system: Located
    """Where its system prompt is named."""
    certain: bool = True
    """Whether everything that could define a variable was read; if not, none is
    reported."""
    pages: dict[str, Findings] = field(default_factory=dict)
    """The findings in each file."""
    _read: dict[str, PromptTemplate | None] = field(default_factory=dict)
    _told: set[tuple[str, str]] = field(default_factory=set)

    def lint_prompts(self) -> None:
        """Report missing and broken prompts, and undefined variables."""
        known = set(self._list_known_variables())
        self._lint_files(list_system_paths(self.definition), self.system, known)
        for step in self.definition.flow.steps.values():
            part = self.draft.parts.get(step.id)
            custom = part.found.get_texts("customVariables") if part else ()
            here = known | {name.removeprefix("uv-") for name in custom}
            place = self.draft.find_place(step.id, "prompt")
            self._lint_reference(step.prompt, place, here)
            if step.check is not None:
                inner = self.draft.find_place(step.id, "check", "prompt")
                self._lint_reference(step.check.prompt, inner, here | set(CHECK_VARIABLES))
            self._lint_declared(step.id, step.variables, here)
            self._lint_routes(step, here | set(PORT_FACTS))

    def _list_known_variables(self) -> Iterator[str]:
        yield from (INPUT_VARIABLE, *STANDARD_VARIABLES, *PORT_VARIABLES)
        yield from self.definition.parameters
        for step in self.definition.flow.steps.values():
            for key in list_output_fields(step.schema):
                yield name_output_variable(step.id, key)

    def _lint_declared(self, step: str, names: tuple[str, ...], known: set[str]) -> None:
        for nth, name in enumerate(names):
            if name not in known:
                self._report_undefined(self.draft.find_place(step, "variables", nth), name, known)

    def _lint_routes(self, step: AgentStep, known: set[str]) -> None:
        for nth, route in enumerate(step.routes):
            if route.variable and route.variable not in known:
                held = self.draft.find_place(step.id, "routes", nth, "variable")
                self._report_undefined(held, route.variable, known)

    def _report_undefined(self, held: Located, name: str, known: set[str]) -> None:
        if self.certain:
            message, hint = _describe_unknown_variable(held.page, name, known)
            held.add_warning("VARIABLE_UNDEFINED", message, hint=hint)

    def _lint_reference(self, ref: PromptReference | None, held: Located, known: set[str]) -> None:
        if ref is not None:
            self._lint_files(list_prompt_paths(ref, self.definition), held, known)

    def _lint_files(self, paths: tuple[str, ...], held: Located, known: set[str]) -> None:
        """Check the file that a reference selects, and the others it could select."""
        found = [path for path in paths if self._check_exists(path, held)]
        if not found:
            tried = ", ".join(quote_value(path) for path in paths[1:])
            held.report(
                "PROMPT_NOT_FOUND/files",
                hint="write the file" + (f", or one of {tried}" if tried else ""),
                paths=paths[0],
            )
        for path in found:
            template = self._read[path]
            if template is not None and self.certain:
                self._lint_gaps(path, template, known)

    def _lint_gaps(self, path: str, template: PromptTemplate, known: set[str]) -> None:
        for gap in template.gaps:
            if gap.name not in known and (path, gap.name) not in self._told:
                self._told.add((path, gap.name))
                page = self.pages[path]
                message, hint = _describe_unknown_variable(page, gap.name, known)
                page.add_at_offset("warning", "VARIABLE_UNDEFINED", message, gap.offset, hint)

    def _check_exists(self, path: str, held: Located) -> bool:
        if path in self._read:
            return True
        try:
            content = read_inside(self.folder, path, LARGEST_PROMPT)
        except PromptFileMissingError:
            return False
        except OutsideFolderError as problem:
            held.add_error("FILE_OUTSIDE", str(problem), hint="move it into the agent's folder")
        except UnreadableFileError as problem:
            held.report("PROMPT_PARSE/exists", path=path, problem=problem)
        else:
            self._read[path] = self._read_template(path, content, held)
            return True
        self._read[path] = None
        return True

    def _read_template(self, path: str, content: bytes, held: Located) -> PromptTemplate | None:
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError:
            held.report("PROMPT_PARSE/encoding", path=path)
            return None
        file = f"{self.definition.folder}/{path}"
        page = self.pages[path] = Findings(
            Document(plain=None, file=file, text=text), describe=describe
        )
        try:
            return read_template(text)
        except PromptTemplateError as problem:
            page.add_at_offset(
                "error", "PROMPT_PARSE", problem.message, problem.offset, problem.hint
            )
            return None


def _describe_unknown_variable(page: Findings, name: str, known: set[str]) -> tuple[str, str]:
    """Return the message and the hint for an undefined variable."""
    hint = page.suggest_nearest(name, known) or "make it a parameter"
    return f"nothing sets the variable {quote_value(name)}", hint


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
            draft.find_place(step.id, "check").report("CALLS_TOO_MANY", id=step.id)


def lint_limits(draft: FlowDraft, completion: CompletionDefinition, stops: AgentLimits) -> None:
    """Warn about an iteration budget above a hard limit or a loop limit."""
    # That many runs are allowed; one more is not.
    budget = max(_list_budgets(completion), default=0)
    if budget > stops.max_iterations:
        draft.entry.report(
            "LIMIT_BEFORE_END/budget", budget=budget, max_iterations=stops.max_iterations
        )
    flow = draft.flow
    for step in flow.steps.values():
        most = step.max_iterations or flow.step_loop_limit
        if _has_no_exit(step) and step.id == flow.entry_step and budget > most:
            draft.find_place(step.id).report(
                "LIMIT_BEFORE_END/stay", budget=budget, id=step.id, most=most
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
                    message = f"the step {quote_value(step.id)} has the sub-step"
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
    held.report(
        "NEXT_STEP_UNKNOWN",
        hint=held.page.suggest_nearest(name, known),
        message=message,
        name=name,
        names=", ".join(islice(known, 20)),
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
                    f"{quote_value(name)} is of type {part.type!r}, not a sub-step",
                    'give it "type": "subStep"',
                )
        _lint_intrusion(draft, step)
    entry = flow.steps.get(flow.entry_step)
    if entry is not None and entry.type == "subStep":
        draft.entry.report("SUBSTEP_UNFIT/entry", id=entry.id)
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
                    f"'complete' in {quote_value(step.id)} ends only the sub-step, not the flow",
                    "remove it: a sub-step without 'next' ends as well",
                )
            elif way.kind == "next" and _leaves_parent(step, steps[way.to]):
                message = f"the sub-step {quote_value(step.id)} leads to {quote_value(way.to)}"
                message += ", which then runs as a sub-step"
                _warn_link(
                    draft, step, way, message, "move the transition to the step it belongs to"
                )


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
            message = f"{quote_value(step.id)} leads to {quote_value(way.to)}, a sub-step"
            hint = "lead to the step it belongs to"
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
        message = f"sub-steps of {quote_value(step.id)} are nested deeper than {DEEPEST_SUB_STEPS}"
        _report_sub_step(draft, step, ("subSteps",), message, "flatten them")
    return height


def _report_ring(draft: FlowDraft, step: AgentStep, way: list[str]) -> None:
    names = [*way[way.index(step.id) :], step.id]
    shown = " → ".join(quote_value(name) for name in names[:_MOST_RING_STEPS])
    more = " → …" if len(names) > _MOST_RING_STEPS else ""
    message = f"the step {quote_value(step.id)} is a sub-step of itself: {shown}{more}"
    _report_sub_step(draft, step, ("subSteps",), message, "remove one of them")


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
            draft.find_place(name).report("STEP_UNREACHABLE", name=name)
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
            draft.find_place(step.id, "check", key).report("FIELD_MISSING/skip", id=step.id)


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
            draft.find_place(name).report("FLOW_ENDLESS", name=name)


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
            draft.find_place(step.id, "complete").report("AMBIGUOUS_TRANSITION/steps")


def _lint_gateway(draft: FlowDraft, step: AgentStep) -> None:
    name = quote_value(step.id)
    if step.prompt is not None:
        draft.find_place(step.id, "prompt").report("UNKNOWN_KEY/gateway", name=name)
    if step.check is not None:
        _lint_checked_gateway(draft, step, step.check)
        return
    onward = bool(step.next or step.complete)
    if not step.routes and not onward and not _is_malformed(draft, step, "routes"):
        draft.find_place(step.id).report("FIELD_MISSING/gateway", name=name)
    elif step.routes and not onward and all(route.variable for route in step.routes):
        draft.find_place(step.id, "routes").report("FIELD_MISSING/gateway_route", name=name)


def _lint_checked_gateway(draft: FlowDraft, step: AgentStep, check: StepCheck) -> None:
    """Check a gateway whose check decides: pass and fail must both lead on at once."""
    name = quote_value(step.id)
    if step.routes:
        draft.find_place(step.id, "routes").report(
            "AMBIGUOUS_TRANSITION/checked_gateway", name=name
        )
    leads = bool(step.next or step.complete)
    for key, after in (("onPass", check.on_pass), ("onFail", check.on_fail)):
        silent = after.is_empty and not (key == "onPass" and leads)
        if silent or after.retry is not None:
            message = f"the check of the gateway {name} needs {key!r}: a retry"
            message += " would have the same result"
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
            held.report(
                "AMBIGUOUS_TRANSITION/exhausted_retries",
                id=step.id,
                on_exhausted=policy.on_exhausted,
            )


def _lint_prompt(draft: FlowDraft, step: AgentStep) -> None:
    part = draft.parts.get(step.id)
    written = part is not None and "prompt" in part.found
    written = written or any(_is_malformed(draft, step, n) for n in ("prompt", "subSteps"))
    if step.prompt is None and not step.sub_steps and not written:
        draft.find_place(step.id).report("FIELD_MISSING/prompt", id=step.id)
    if step.routes:
        draft.find_place(step.id, "routes").report("UNKNOWN_KEY/prompt", id=step.id)


def _lint_escalation(draft: FlowDraft, step: AgentStep) -> None:
    check, escalation = step.check, step.escalation
    asks = check is not None and (check.on_pass.escalate or check.on_fail.escalate)
    part = draft.parts.get(step.id)
    broken = part is not None and "escalation" in part.found.malformed
    if asks and escalation is None and not broken:
        draft.find_place(step.id, "check").report("FIELD_MISSING/escalation", id=step.id)
    if escalation is None or escalation.notification_method != "webhook":
        return
    try:
        check_url(escalation.escalate_to)
    except EvidenceError as problem:
        draft.find_place(step.id, "escalation", "escalateTo").report(
            "ADDRESS_UNUSABLE", problem=problem
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
    found = flow_graph.compute_reach(draft) if draft.held.page.errors == before else None
    if found is not None:
        lint_reach(draft, completion, found)
        lint_frame_exits(draft, found)
    if completion is not None:
        lint_limits(draft, completion, definition.limits)
    if definition.speaks:
        lint_calls(draft)
