"""Hooks that would fail whenever they run, tell nobody anything, or call an address."""

from collections.abc import Mapping
from typing import Any

from saniwa.core.address import shown
from saniwa.core.quoted import quoted
from saniwa.process.authoring.draft import Draft, hooks_at
from saniwa.process.authoring.lint.variables import is_forbidden
from saniwa.process.authoring.page import Page, Path
from saniwa.process.definition import (
    Notify,
    Process,
    Schema,
    SetVariable,
    WriteArtifact,
)

MOST_LOOKS = 1_000
"""Hooks that are held to all first values together: each costs as much as those are."""


def look(page: Page, draft: Draft) -> None:
    """Note values that their schemas refuse, notes without a message, and webhooks."""
    weighed = _Weighed(draft)
    for state in draft.states:
        for hook, path in hooks_at(state):
            if isinstance(hook, Notify) and hook.via == "webhook":
                _note_webhook(page, hook, path)
            match hook:
                case SetVariable():
                    _told(page, path, weighed.variable(hook))
                case WriteArtifact():
                    _told(page, path, weighed.artifact(hook))
                case Notify(message=""):
                    page.warn(
                        "FIELD_MISSING",
                        "a 'notify' hook without 'message' says nothing",
                        path,
                        hint="add 'message'",
                    )


def _note_webhook(page: Page, hook: Notify, path: Path) -> None:
    """Say where a process sends notes: its reader may not expect that it sends any."""
    page.note(
        "WEBHOOK_ADDRESS",
        f"this process sends notes to {quoted(shown(hook.url))}",
        path,
        hint="run the process only if you trust that address; one on this machine or in "
        "a private network is called only if 'webhook_hosts' in state-gate.json lists it",
    )


def _told(page: Page, path: Path, why: str) -> None:
    if why:
        hint = "change the one or the other: as it is, the hook fails every time"
        page.error("HOOK_UNFIT", why, path, hint=hint)


class _Weighed:
    """What the gate would say of hooks, as far as it says so of every run."""

    def __init__(self, draft: Draft) -> None:
        self._schema: Schema | None = draft.header.get("context_schema")
        self._first: Mapping[str, Any] = draft.header.get("initial_context", {})
        self._kinds = {each.part.type: each.part.schema for each in draft.artifacts}
        self._looks = 0
        self._plan: Any = None
        self._sound: dict[int, Any] = {}

    def variable(self, hook: SetVariable) -> str:
        """Why a variable can never be set so; empty if it can."""
        name = hook.variable
        if is_forbidden(self._schema, name):
            return f"'context_schema' lets no run have the variable {quoted(name)}"
        # Refused alone and among the first values: no other variable is to blame.
        found = self._refused({name: hook.value}, name)
        if not found or self._looks >= MOST_LOOKS:
            return ""
        self._looks += 1
        if not self._refused({**self._first, name: hook.value}, name):
            return ""
        return f"the variable {quoted(name)} cannot be {quoted(hook.value)}: {found}"

    def artifact(self, hook: WriteArtifact) -> str:
        """Why an artifact can never be written so; empty if it can."""
        schema = self._kinds.get(hook.artifact_type)
        checker = None if schema is None else self._checker(schema)
        found = () if checker is None else checker.problems(hook.content)
        if not found:
            return ""
        told = f"{found[0].path or '/'}: {found[0].message}"
        return f"the content is not what a {quoted(hook.artifact_type)} must be: {told}"

    def _refused(self, variables: Mapping[str, Any], name: str) -> str:
        from saniwa.process.weighing.variables import problems

        step = name.replace("~", "~0").replace("/", "~1")
        for found in problems(self._plan_of(), variables, ""):
            if found.path == f"/{step}" or found.path.startswith(f"/{step}/"):
                return found.message
        return ""

    def _plan_of(self) -> Any:
        from saniwa.process.weighing.plan import Plan

        if self._plan is None:
            schema = self._schema
            usable = schema is not None and self._checker(schema) is not None
            self._plan = Plan(
                Process(
                    process_id="",
                    version="",
                    name="",
                    initial_state="",
                    states=(),
                    variables_schema=schema if usable else None,
                )
            )
        return self._plan

    def _checker(self, schema: Schema) -> Any:
        """What holds values to a schema; None for one that is none, which is told."""
        from saniwa.process.weighing.schema import Checker, check_schema

        key = id(schema)
        if key not in self._sound:
            self._sound[key] = None if check_schema(schema) else Checker(schema)
        return self._sound[key]
