"""Check hooks: report those that must fail."""

from collections.abc import Mapping
from typing import Any

from saniwa.core.redaction import redact_address
from saniwa.core.text import quote_value
from saniwa.documents.finding_collector import Findings, KeyPath
from saniwa.process.definition import NotifyHook, Schema, SetVariableHook, WriteArtifactHook
from saniwa.process.draft import ProcessDraft, list_hooks
from saniwa.process.lint.evidence import make_empty_process
from saniwa.process.lint.variables import is_forbidden

MOST_HOOK_CHECKS = 1_000
"""Most hooks that are checked against all initial values.

The cost of each check grows with the number of values.
"""


def check_hooks(page: Findings, draft: ProcessDraft) -> None:
    """Report values their schemas refuse, notes without a message, and webhooks."""
    checker = _HookChecker(draft)
    for state in draft.states:
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
                hint = "change the one or the other: as it is, the hook fails every time"
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
            return f"'context_schema' lets no run have the variable {quote_value(name)}"
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
        from saniwa.process.variables import find_variable_problems

        step = name.replace("~", "~0").replace("/", "~1")
        for found in find_variable_problems(self._build_plan(), variables, ""):
            if found.path == f"/{step}" or found.path.startswith(f"/{step}/"):
                return found.message
        return ""

    def _build_plan(self) -> Any:
        from saniwa.process.plan import ProcessPlan

        if self._plan is None:
            schema = self._schema
            usable = schema is not None and self._get_checker(schema) is not None
            self._plan = ProcessPlan(make_empty_process(schema if usable else None))
        return self._plan

    def _get_checker(self, schema: Schema) -> Any:
        """Return a schema's checker; None for an invalid schema, reported elsewhere."""
        from saniwa.process.schema import SchemaChecker, check_schema

        key = id(schema)
        if key not in self._checkers:
            self._checkers[key] = None if check_schema(schema) else SchemaChecker(schema)
        return self._checkers[key]
