"""Whether a guard holds, and if not, what is missing, in words a worker can act on."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, assert_never

import msgspec

from saniwa.core.canonical_json import is_same_json
from saniwa.core.text import quote_value
from saniwa.process.artifact import Artifact
from saniwa.process.child_groups import explain_open_children
from saniwa.process.definition import (
    AllGuard,
    AnyGuard,
    ArtifactGuard,
    CheckGuard,
    ChildrenGuard,
    Guard,
    NotGuard,
    VariableGuard,
)
from saniwa.process.definition_index import ProcessIndex
from saniwa.process.ports import EvidenceChecker
from saniwa.process.run_state import ProcessRun

_ABSENT: Any = object()
DEEPEST_GUARD = 50
"""How deep guards may be nested."""


class CheckResults:
    """What the checks of guards have shown, for one event."""

    def __init__(
        self,
        reasons: Mapping[str, str] | None = None,
        *,
        assume_passed: bool = False,
        find_obstacle: Callable[[CheckGuard], str] | None = None,
    ) -> None:
        """Start with the reasons why checks failed, by guard; empty for one that passed.

        With `assume_passed`, a check that has not been run counts as passed, and is
        listed as pending. `find_obstacle` says why a check cannot be run; empty if it can.
        """
        self._reasons = reasons or {}
        self._assume_passed = assume_passed
        self._find_obstacle = find_obstacle
        self.pending: list[str] = []
        """The checks that were needed and have not been run."""
        self.failed: list[str] = []
        """The checks that were needed and have failed."""

    def explain_failure(self, name: str) -> str:
        """Say why the check of a guard failed; empty if it passed."""
        if name in self._reasons:
            if self._reasons[name] and name not in self.failed:
                self.failed.append(name)
            return self._reasons[name]
        if not self._assume_passed:
            return f"the gate has not run the check {quote_value(name)}"
        if name not in self.pending:
            self.pending.append(name)
        return ""

    def find_obstacle(self, guard: CheckGuard) -> str:
        """Say why the gate cannot run a check; empty if nothing is known to prevent it."""
        return self._find_obstacle(guard) if self._find_obstacle else ""


class GuardFacts:
    """What a guard may read: the run's variables, its evidence and the results of checks.

    Evidence that has changed since it was submitted does not count, and is reported.
    """

    def __init__(
        self,
        index: ProcessIndex,
        run: ProcessRun,
        evidence: EvidenceChecker,
        brought: Sequence[Artifact] = (),
        checks: CheckResults | None = None,
    ) -> None:
        """Collect a run's facts and the evidence that comes with the event.

        Without `checks`, no check counts as passed.
        """
        self.checks = checks or CheckResults()
        self._plan = index
        self._run = run
        self._evidence = evidence
        self._brought = brought
        self.doubts: list[str] = []
        """Evidence found changed since it was submitted: what it says is unknown."""
        self.lacking: list[str] = []
        """The kinds of evidence that were needed and are missing."""
        self.joins: dict[str, ChildrenGuard] = {}
        """The guards on child runs that were asked and hold, by name."""

    def explain_children(self, name: str, guard: ChildrenGuard) -> str:
        """Say which child runs a guard waits for; empty if it holds."""
        state = self._plan.get_state(self._run.state)
        declared = [*(each.name for each in state.children), *(each.name for each in state.lanes)]
        why = explain_open_children(self._run, guard, declared)
        if not why:
            self.joins[name] = guard
        return why

    @property
    def variables(self) -> Mapping[str, Any]:
        """The run's variables."""
        return self._run.variables

    @property
    def folder(self) -> str:
        """The folder the run's paths are relative to."""
        run = self._run
        return self._evidence.locate_folder(run.home, run.opening.folder)

    def list_unchanged_artifacts(self, kind: str, faults: list[str]) -> Iterator[Artifact]:
        """Yield a kind's unchanged artifacts; add the others' faults to `faults`."""
        new = {a.identity: a for a in self._brought if a.type == kind}
        yield from new.values()
        folder = self._run.opening.folder
        for identity, artifact in self._run.artifacts.get(kind, {}).items():
            if identity in new:
                continue
            fault = self._evidence.find_evidence_change(folder, artifact)
            if artifact.held_to != self._plan.digest_schema(kind):
                fault = fault or "was checked against another schema"
            if self._plan.get_kind(kind).lookup and artifact.is_claim:
                fault = fault or "was never verified by the gate"
            forms = self._plan.get_kind(kind).forms
            if forms and artifact.form not in forms and not artifact.check:
                fault = fault or f"was not submitted as {' or '.join(forms)}"
            if fault:
                self.doubts.append(artifact.place)
                faults.append(f"{quote_value(artifact.place)} {fault}; submit it again")
            else:
                yield artifact

    def describe_missing(
        self,
        kind: str,
        wanted: int = 1,
        fields: tuple[str, ...] = (),
        *,
        fresh: bool = False,
        made_by: str = "",
    ) -> str:
        """Describe what is missing of a kind of evidence; empty if nothing is.

        The same bytes under two names are one artifact. With `wanted` of 0 nothing is
        missing.
        """
        if wanted <= 0:
            return ""
        faults: list[str] = []
        short: list[str] = []
        found: set[str] = set()
        for artifact in self.list_unchanged_artifacts(kind, faults):
            if fresh and not self._is_fresh(artifact):
                short.append(f"{quote_value(artifact.place)} was submitted before this state")
                continue
            if made_by not in ("", artifact.made_by) or (made_by == "gate" and artifact.claimed):
                what = "rests on a claim" if artifact.claimed else f"was made by {artifact.made_by}"
                short.append(f"{quote_value(artifact.place)} {what}")
                continue
            absent = [name for name in fields if name not in artifact.fields]
            if absent:
                named = ", ".join(absent)
                short.append(f"{quote_value(artifact.place)} has no {named}")
            else:
                found.add(artifact.hash)
            if len(found) >= wanted:
                return ""
        if kind not in self.lacking:
            self.lacking.append(kind)
        needed = f"{wanted} artifacts of kind" if wanted > 1 else "an artifact of kind"
        has = f" with {', '.join(fields)}" if fields else ""
        count = f", {len(found)} there" if wanted > 1 else ""
        by = f" made by {made_by}" if made_by else ""
        need = f"needs {needed} {quote_value(kind)}{has}{by}{count}"
        return "; ".join([need, *short, *faults, *self._describe_untyped(kind)])

    def _is_fresh(self, artifact: Artifact) -> bool:
        return artifact in self._brought or self._run.is_fresh(artifact)

    def _describe_untyped(self, wanted: str) -> Iterator[str]:
        """Name submitted artifacts of no kind: one of them may be the missing one."""
        for artifact in self._brought:
            if not artifact.type:
                yield f"{quote_value(artifact.place)} has no kind"
                yield f"a file is named after its kind, such as {quote_value(wanted + '.md')}"


def explain_guard_failure(
    name: str, guards: Mapping[str, Guard], facts: GuardFacts, depth: int = 0
) -> str:
    """Say why a guard does not hold; empty if it holds.

    A guard that is not defined, or that contains itself, never holds.
    """
    guard = guards.get(name)
    if guard is None:
        return f"the guard {quote_value(name)} is not defined"
    if depth > DEEPEST_GUARD:
        return f"the guard {quote_value(name)} is nested too deeply"
    match guard:
        case ArtifactGuard():
            fields = guard.required_fields if guard.condition == "has_fields" else ()
            wanted = 1 if guard.condition == "exists" else guard.min_count
            kind, maker = guard.artifact_type, guard.made_by
            return facts.describe_missing(kind, wanted, fields, fresh=guard.fresh, made_by=maker)
        case CheckGuard():
            return facts.checks.explain_failure(name)
        case ChildrenGuard():
            return facts.explain_children(name, guard)
        case VariableGuard():
            return _explain_variable(guard, facts.variables.get(guard.variable, _ABSENT))
        case AllGuard() | AnyGuard():
            reasons = (
                explain_guard_failure(each, guards, facts, depth + 1) for each in guard.guards
            )
            return _join_reasons(reasons, any_holds=isinstance(guard, AnyGuard))
        case NotGuard():
            return _explain_not(guard, guards, facts, depth)
        case _:  # pragma: no cover
            assert_never(guard)


def _join_reasons(reasons: Iterator[str], *, any_holds: bool) -> str:
    """Say why not all guards hold, or why not one; empty reasons are of those that hold."""
    if not any_holds:
        return "; ".join(filter(None, reasons))
    missing = []
    for why in reasons:
        if not why:
            return ""
        missing.append(why)
    return "one of these: " + " | ".join(missing) if missing else "it lists no guards"


def _explain_not(
    guard: NotGuard, guards: Mapping[str, Guard], facts: GuardFacts, depth: int
) -> str:
    # An undefined or too deeply nested guard can never be shown to hold, so its
    # negation cannot be shown to hold either.
    if guard.guard not in guards or depth >= DEEPEST_GUARD:
        return explain_guard_failure(guard.guard, guards, facts, depth + 1)
    before = len(facts.doubts)
    if explain_guard_failure(guard.guard, guards, facts, depth + 1):
        doubts = ", ".join(map(quote_value, facts.doubts[before:]))
        message = f"whether {quote_value(guard.guard)} holds cannot be decided: {doubts} changed"
        return message if doubts else ""
    return f"the guard {quote_value(guard.guard)} must not pass, but does"


def _explain_variable(guard: VariableGuard, value: Any) -> str:
    name = quote_value(guard.variable)
    match guard.condition:
        case "exists":
            return "" if value is not _ABSENT else f"needs the variable {name}"
        case "not_exists":
            return "" if value is _ABSENT else f"the variable {name} must not be set"
        case _ if value is _ABSENT:
            return f"needs the variable {name}, which is not set"
        case "equals" if not is_same_json(value, guard.value):
            return f"{name} must be {_render_value(guard.value)}, but is {_render_value(value)}"
        case "not_equals" if is_same_json(value, guard.value):
            return f"{name} must not be {_render_value(value)}"
        case "in" if not _is_among(value, guard.value):
            return (
                f"{name} must be one of {_render_value(guard.value)}, but is {_render_value(value)}"
            )
        case "not_in" if _is_among(value, guard.value):
            return f"{name} must be none of {_render_value(guard.value)}, but is {_render_value(value)}"
    return ""


def _is_among(value: Any, values: Any) -> bool:
    return isinstance(values, list) and any(is_same_json(value, each) for each in values)


def _render_value(value: Any) -> str:
    return msgspec.json.encode(value).decode()[:200]
