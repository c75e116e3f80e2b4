"""Check variables of a process: read but never set, named in prompts, forbidden by schemas."""

import re
from collections.abc import Iterator
from typing import Any

from saniwa.documents.finding_collector import Findings
from saniwa.process.definition import DECISIONS, Schema, SetVariableHook, VariableGuard
from saniwa.process.draft import ProcessDraft, list_hooks
from saniwa.process.variables import STANDARD_VARIABLES

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
            page.report("VARIABLE_UNDECLARED/guard", path, hint=near, name=name)
        elif settable is not None and name not in settable:
            page.report(
                "VARIABLE_UNSETTABLE",
                path,
                hint=page.suggest_nearest(name, settable) or _SETTER_HINT,
                name=name,
            )


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
                hint = "name it in 'context_schema', or in the payload_schema of an event"
                path = state.find_path("prompt")
                page.report(
                    "VARIABLE_UNDECLARED/prompt",
                    path,
                    hint=page.suggest_nearest(name, known) or hint,
                    name=name,
                )


def _list_settable(draft: ProcessDraft) -> Iterator[str]:
    """Yield every variable that a run may start with, an event may set, or a hook sets.

    For a variable that a guard reads, the gate looks only at the first level of a
    schema: see `process.variables.find_payload_problems`.
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
