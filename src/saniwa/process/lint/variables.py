"""Check variables and hooks: initial values, unset variables, and what hooks set, write and send."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from saniwa.core.redaction import redact_address
from saniwa.core.text import quote_value
from saniwa.documents.finding_collector import Findings, KeyPath
from saniwa.process.definition import (
    DECISIONS,
    NotifyHook,
    Process,
    Schema,
    SetVariableHook,
    VariableGuard,
    WriteArtifactHook,
)
from saniwa.process.draft import ProcessDraft, list_hooks
from saniwa.process.variable_checks import STANDARD_VARIABLES


def check_first_values(page: Findings, draft: ProcessDraft) -> None:
    """Report what the gate itself would refuse in a run with these initial values."""
    from saniwa.process.definition_index import ProcessIndex
    from saniwa.process.variable_checks import find_variable_problems

    index = ProcessIndex(make_empty_process(draft.header.get("context_schema")))
    for found in find_variable_problems(index, draft.header["initial_context"], ""):
        path = draft.find_path("initial_context")
        page.report("INVALID_INITIAL_CONTEXT", path, found=found)


def make_empty_process(schema: Schema | None) -> Process:
    """Return a process that has nothing but a schema of its variables."""
    return Process(
        process_id="", version="", name="", initial_state="", states=(), variables_schema=schema
    )


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
    for state in draft.every_state:
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
    for state in draft.every_state:
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


MOST_HOOK_CHECKS = 1_000
"""Most hooks that are checked against all initial values.

The cost of each check grows with the number of values.
"""


def check_hooks(page: Findings, draft: ProcessDraft) -> None:
    """Report values their schemas refuse, notes without a message, and webhooks."""
    checker = _HookChecker(draft)
    for state in draft.every_state:
        for hook, path in list_hooks(state):
            match hook:
                case SetVariableHook():
                    why = checker.find_variable_fault(hook)
                case WriteArtifactHook():
                    why = checker.find_artifact_fault(hook)
                case NotifyHook():
                    why = ""
                    _check_notification(page, hook, path)
            if why:
                hint = "change one of them; otherwise the hook always fails"
                page.add_error("HOOK_UNFIT", why, path, hint=hint)


def _check_notification(page: Findings, hook: NotifyHook, path: KeyPath) -> None:
    """Report where a process sends notes, which a reader may not expect, and empty notes."""
    if hook.via == "webhook":
        page.report("WEBHOOK_ADDRESS", path, key=True, address=redact_address(hook.url))
    if not hook.message:
        page.report("FIELD_MISSING/notification", path)


class _HookChecker:
    """Predicts what the gate would say of hooks, if it is the same in every run."""

    def __init__(self, draft: ProcessDraft) -> None:
        self._schema: Schema | None = draft.header.get("context_schema")
        self._first: Mapping[str, Any] = draft.header.get("initial_context", {})
        self._kinds = {each.part.type: each.part.schema for each in draft.artifacts}
        self._check_count = 0
        self._plan: Any = None
        self._checkers: dict[int, Any] = {}

    def find_variable_fault(self, hook: SetVariableHook) -> str:
        """Say why a variable can never be set to this value; empty if it can."""
        name = hook.variable
        if is_forbidden(self._schema, name):
            return f"'context_schema' does not allow the variable {quote_value(name)}"
        # Refused both alone and among the initial values: no other variable is the
        # cause.
        found = self._find_refusal({name: hook.value}, name)
        if not found or self._check_count >= MOST_HOOK_CHECKS:
            return ""
        self._check_count += 1
        if not self._find_refusal({**self._first, name: hook.value}, name):
            return ""
        return f"the variable {quote_value(name)} cannot be {quote_value(hook.value)}: {found}"

    def find_artifact_fault(self, hook: WriteArtifactHook) -> str:
        """Say why this artifact can never be written; empty if it can."""
        schema = self._kinds.get(hook.artifact_type)
        checker = None if schema is None else self._get_checker(schema)
        found = () if checker is None else checker.find_problems(hook.content)
        if not found:
            return ""
        reason = f"{found[0].path or '/'}: {found[0].message}"
        return f"the content is not what a {quote_value(hook.artifact_type)} must be: {reason}"

    def _find_refusal(self, variables: Mapping[str, Any], name: str) -> str:
        from saniwa.process.variable_checks import find_variable_problems

        step = name.replace("~", "~0").replace("/", "~1")
        for found in find_variable_problems(self._build_plan(), variables, ""):
            if found.path == f"/{step}" or found.path.startswith(f"/{step}/"):
                return found.message
        return ""

    def _build_plan(self) -> Any:
        from saniwa.process.definition_index import ProcessIndex

        if self._plan is None:
            schema = self._schema
            usable = schema is not None and self._get_checker(schema) is not None
            self._plan = ProcessIndex(make_empty_process(schema if usable else None))
        return self._plan

    def _get_checker(self, schema: Schema) -> Any:
        """Return a schema's checker; None for an invalid schema, reported elsewhere."""
        from saniwa.process.schema_checker import SchemaChecker, check_schema

        key = id(schema)
        if key not in self._checkers:
            self._checkers[key] = None if check_schema(schema) else SchemaChecker(schema)
        return self._checkers[key]
