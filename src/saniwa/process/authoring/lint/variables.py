"""Variables that are asked for, and that nothing in the definition ever names."""

import re
from collections.abc import Iterator
from typing import Any

from saniwa.core.quoted import quoted
from saniwa.process.authoring.draft import Draft, hooks_at
from saniwa.process.authoring.page import Page
from saniwa.process.definition import (
    DECISIONS,
    Schema,
    SetVariable,
    VariableGuard,
)
from saniwa.process.weighing.variables import GIVEN

PUBLISHED = frozenset(
    {"exploration_mode", "team_mode", "assumptions", "decision_criteria"}
)
"""Variables that every run may have."""
_ASKED = re.compile(r"\{context\.([^{}\s]{1,100})\}").finditer
_OPEN = ("patternProperties", "$ref")
_SETTERS = (
    "name it under 'properties' of 'context_schema' or of an event's 'payload_schema', "
    "or set it in a hook"
)


def look(page: Page, draft: Draft) -> None:
    """Note prompts and guards that ask for such variables."""
    _prompts(page, draft)
    schema = draft.header.get("context_schema", {})
    # What a part that could not be read would have set is not known.
    known = draft.partial.isdisjoint(
        ("context_schema", "events", "initial_context", "states")
    )
    settable = set(_settable(draft)) if known else None
    for placed in draft.guards.values():
        guard = placed.part
        if not isinstance(guard, VariableGuard):
            continue
        if is_forbidden(schema, guard.variable):
            page.warn(
                "VARIABLE_UNDECLARED",
                f"'context_schema' lets no run have the variable {quoted(guard.variable)}",
                placed.at("variable"),
                hint=page.near(guard.variable, schema.get("properties", {}))
                or "name it in 'context_schema'",
            )
        elif settable is not None and guard.variable not in settable:
            page.warn(
                "VARIABLE_UNSETTABLE",
                f"nothing may set the variable {quoted(guard.variable)} that this guard "
                "reads",
                placed.at("variable"),
                hint=page.near(guard.variable, settable) or _SETTERS,
            )


def is_forbidden(schema: Schema | None, name: str) -> bool:
    """Whether a schema closes a mapping to all names but its own, and this is none."""
    if not isinstance(schema, dict) or schema.get("additionalProperties") is not False:
        return False
    named = schema.get("properties", {})
    return (
        isinstance(named, dict)
        and name not in named
        and not any(word in schema for word in _OPEN)
    )


def _prompts(page: Page, draft: Draft) -> None:
    known: set[str] | None = None
    for state in draft.states:
        for name in dict.fromkeys(found[1] for found in _ASKED(state.part.prompt)):
            if known is None:
                known = {*PUBLISHED, *_named(draft)}
            if name not in known:
                page.warn(
                    "VARIABLE_UNDECLARED",
                    f"nothing names the variable {quoted(name)} that the prompt shows",
                    state.at("prompt"),
                    hint=page.near(name, known)
                    or "name it in 'context_schema', or in the payload_schema of an event",
                )


def _settable(draft: Draft) -> Iterator[str]:
    """Every variable that a run may begin with, an event may set, or a hook sets.

    For a variable that a guard reads, the gate looks at the first level of a schema
    only: see `weighing.variables`.
    """
    yield from GIVEN
    yield from draft.header.get("initial_context", {})
    yield from _first_level(draft.header.get("context_schema"))
    for event in draft.events:
        if event.part.name not in DECISIONS:
            yield from _first_level(event.part.payload_schema)
    yield from _set_by_hooks(draft)


def _first_level(schema: Any) -> Iterator[str]:
    named = schema.get("properties") if isinstance(schema, dict) else None
    yield from named if isinstance(named, dict) else ()


def _set_by_hooks(draft: Draft) -> Iterator[str]:
    for state in draft.states:
        for hook, _ in hooks_at(state):
            if isinstance(hook, SetVariable):
                yield hook.variable


def _named(draft: Draft) -> Iterator[str]:
    """Every variable that a schema, a first value or a hook names."""
    yield from draft.header.get("initial_context", {})
    yield from _properties(draft.header.get("context_schema"))
    for event in draft.events:
        yield from _properties(event.part.payload_schema)
    yield from _set_by_hooks(draft)


def _properties(schema: Any) -> Iterator[str]:
    """Names of properties anywhere in a schema: better one too many than a false word."""
    waiting = [schema]
    while waiting:
        here = waiting.pop()
        if isinstance(here, dict):
            named = here.get("properties")
            yield from named if isinstance(named, dict) else ()
            waiting.extend(here.values())
        elif isinstance(here, list):
            waiting.extend(here)
