"""Check guards: unknown names, cycles, size, unused guards, unsettable variables."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from saniwa.core.text import quote_value
from saniwa.documents.finding_collector import Findings
from saniwa.process.definition import (
    DECISIONS,
    AllGuard,
    AnyGuard,
    ArtifactGuard,
    Guard,
    NotGuard,
    Schema,
    SetVariableHook,
    VariableGuard,
)
from saniwa.process.format.draft import PlacedPart, ProcessDraft, enumerate_names, list_hooks
from saniwa.process.guards import STANDARD_VARIABLES
from saniwa.process.lint.names import check_reference

DEEPEST_NESTING = 20
"""Most levels of guards within guards."""
MOST_NESTED_GUARDS = 1_000
"""Most guards that one guard may evaluate; one used twice counts twice."""

_UNKNOWN = "INVALID_GUARD_REFERENCE"
_PlacedGuards = Mapping[str, PlacedPart[Guard]]


def check_guards(page: Findings, draft: ProcessDraft) -> None:
    """Report unknown names, and cyclic, too large and unused guards."""
    guards = draft.guards
    kinds = {placed.part.type for placed in draft.artifacts}
    used: set[str] = set()
    for way in draft.transitions:
        if way.part.guard and draft.has_parts("guards"):
            used.add(way.part.guard)
            path = way.find_path("guard")
            check_reference(page, _UNKNOWN, "guard", way.part.guard, draft.guard_names, path)
    for placed in guards.values():
        for field, name, nth in _list_references(placed.part):
            used.add(name)
            path = placed.find_path(field, *nth)
            check_reference(page, _UNKNOWN, "guard", name, draft.guard_names, path)
        kind = placed.part.artifact_type if isinstance(placed.part, ArtifactGuard) else None
        if kind is not None and draft.has_parts("artifacts"):
            code, path = "INVALID_GUARD_ARTIFACT_TYPE", placed.find_path("artifact_type")
            check_reference(page, code, "artifact of kind", kind, kinds, path)
    _check_nesting(page, guards)
    # A transition that could not be read may be the one that uses the guard.
    malformed = {field for way in draft.transitions for field in way.malformed}
    if "transitions" in draft.partial or "guard" in malformed:
        return
    for name, placed in guards.items():
        if name not in used:
            message = f"nothing asks the guard {quote_value(name)}"
            hint = "name it in a transition, or take it out"
            page.add_warning("GUARD_UNUSED", message, placed.path, key=True, hint=hint)


def list_inner_guards(guard: Guard) -> tuple[str, ...]:
    """List the guards that a guard refers to."""
    return tuple(name for _, name, _ in _list_references(guard))


def _list_references(guard: Guard) -> list[tuple[str, str, tuple[int, ...]]]:
    """List field, name and index in the field of every guard a guard refers to."""
    if isinstance(guard, AllGuard | AnyGuard):
        return [("guards", name, (nth,)) for nth, name in enumerate_names(guard.guards)]
    return [("guard", guard.guard, ())] if isinstance(guard, NotGuard) else []


def _check_nesting(page: Findings, guards: _PlacedGuards) -> None:
    """Follow guards into guards, each once: depth and size come from the inside out."""
    sizes: dict[str, tuple[int, int]] = {}
    for root in guards:
        open_: dict[str, None] = {}
        waiting = [(root, False)]
        while waiting:
            name, done = waiting.pop()
            if done:
                del open_[name]
                sizes[name] = _measure_guard(page, name, guards, sizes)
            elif name in open_:
                _report_cycle(page, name, [*open_], guards)
            elif name not in sizes and name in guards:
                open_[name] = None
                waiting.append((name, True))
                waiting.extend((i, False) for i in set(list_inner_guards(guards[name].part)))


def _measure_guard(
    page: Findings, name: str, guards: _PlacedGuards, sizes: dict[str, tuple[int, int]]
) -> tuple[int, int]:
    """Measure depth and size of a guard; one that is too large counts as one."""
    placed = guards[name]
    inner = [sizes.get(each, (0, 0)) for each in list_inner_guards(placed.part)]
    depth = 1 + max((deep for deep, _ in inner), default=0)
    size = 1 + sum(many for _, many in inner)
    if depth <= DEEPEST_NESTING and size <= MOST_NESTED_GUARDS:
        return depth, size
    what = f"{depth} levels" if depth > DEEPEST_NESTING else f"{size} guards"
    most = DEEPEST_NESTING if depth > DEEPEST_NESTING else MOST_NESTED_GUARDS
    message = f"the guard {quote_value(name)} comes to {what}, more than {most}"
    hint = "say it with fewer guards within guards"
    page.add_error("GUARD_TOO_LARGE", message, placed.path, key=True, hint=hint)
    return 1, 1


def _report_cycle(page: Findings, name: str, trail: list[str], guards: _PlacedGuards) -> None:
    ring = trail[trail.index(name) :]
    shown = [*ring[:6], "…"] if len(ring) > 6 else [*ring, name]
    message = f"the guard {quote_value(name)} contains itself: {' → '.join(shown)}"
    hint = "take one of them out of the ring"
    page.add_error("GUARD_CYCLE", message, guards[name].path, key=True, hint=hint)


PUBLISHED_VARIABLES = frozenset(
    {"exploration_mode", "team_mode", "assumptions", "decision_criteria"}
)
"""Variables that every run may have."""
_find_placeholders = re.compile(r"\{context\.([^{}\s]{1,100})\}").finditer
_OPEN_KEYWORDS = ("patternProperties", "$ref")
_SETTER_HINT = (
    "name it under 'properties' of 'context_schema' or of an event's 'payload_schema', "
    "or set it in a hook"
)


def check_variables(page: Findings, draft: ProcessDraft) -> None:
    """Report prompts and guards that read variables no run can have."""
    _check_prompts(page, draft)
    schema = draft.header.get("context_schema", {})
    # What an unreadable part would have set is unknown.
    known = draft.partial.isdisjoint(("context_schema", "events", "initial_context", "states"))
    settable = set(_list_settable(draft)) if known else None
    for placed in draft.guards.values():
        guard = placed.part
        if not isinstance(guard, VariableGuard):
            continue
        name, path = guard.variable, placed.find_path("variable")
        if is_forbidden(schema, name):
            near = page.suggest_nearest(name, schema.get("properties", {}))
            message = f"'context_schema' lets no run have the variable {quote_value(name)}"
            hint = near or "name it in 'context_schema'"
            page.add_warning("VARIABLE_UNDECLARED", message, path, hint=hint)
        elif settable is not None and name not in settable:
            message = f"nothing may set the variable {quote_value(name)} that this guard reads"
            hint = page.suggest_nearest(name, settable) or _SETTER_HINT
            page.add_warning("VARIABLE_UNSETTABLE", message, path, hint=hint)


def is_forbidden(schema: Schema | None, name: str) -> bool:
    """Whether a schema allows only the properties it names, and this is not one."""
    if not isinstance(schema, dict) or schema.get("additionalProperties") is not False:
        return False
    named = schema.get("properties", {})
    return (
        isinstance(named, dict)
        and name not in named
        and not any(word in schema for word in _OPEN_KEYWORDS)
    )


def _check_prompts(page: Findings, draft: ProcessDraft) -> None:
    known: set[str] = set()
    for state in draft.states:
        for name in dict.fromkeys(found[1] for found in _find_placeholders(state.part.prompt)):
            known = known or {*PUBLISHED_VARIABLES, *_list_named_variables(draft)}
            if name not in known:
                message = f"nothing names the variable {quote_value(name)} that the prompt shows"
                hint = "name it in 'context_schema', or in the payload_schema of an event"
                hint, path = page.suggest_nearest(name, known) or hint, state.find_path("prompt")
                page.add_warning("VARIABLE_UNDECLARED", message, path, hint=hint)


def _list_settable(draft: ProcessDraft) -> Iterator[str]:
    """Yield every variable that a run may start with, an event may set, or a hook sets.

    For a variable that a guard reads, the gate looks only at the first level of a
    schema: see `process.guards.find_payload_problems`.
    """
    yield from STANDARD_VARIABLES
    yield from draft.header.get("initial_context", {})
    yield from _list_properties(draft.header.get("context_schema"))
    for event in draft.events:
        if event.part.name not in DECISIONS:
            yield from _list_properties(event.part.payload_schema)
    yield from _list_hook_variables(draft)


def _list_properties(schema: Any) -> Iterator[str]:
    named = schema.get("properties") if isinstance(schema, dict) else None
    yield from named if isinstance(named, dict) else ()


def _list_hook_variables(draft: ProcessDraft) -> Iterator[str]:
    for state in draft.states:
        for hook, _ in list_hooks(state):
            if isinstance(hook, SetVariableHook):
                yield hook.variable


def _list_named_variables(draft: ProcessDraft) -> Iterator[str]:
    """Yield every variable that a schema, an initial value or a hook names."""
    yield from draft.header.get("initial_context", {})
    yield from _walk_properties(draft.header.get("context_schema"))
    for event in draft.events:
        yield from _walk_properties(event.part.payload_schema)
    yield from _list_hook_variables(draft)


def _walk_properties(schema: Any) -> Iterator[str]:
    """Yield property names anywhere in a schema: one too many beats a false warning."""
    waiting = [schema]
    while waiting:
        here = waiting.pop()
        if isinstance(here, dict):
            named = here.get("properties")
            yield from named if isinstance(named, dict) else ()
            waiting.extend(here.values())
        elif isinstance(here, list):
            waiting.extend(here)
