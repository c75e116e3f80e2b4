"""Whether a condition holds, and if not, what is missing, in words a worker can act on."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, assert_never

import msgspec

from saniwa.core.quoted import quoted
from saniwa.core.same import same
from saniwa.process.artifact import Artifact
from saniwa.process.definition import (
    AllGuard,
    AnyGuard,
    ArtifactGuard,
    Guard,
    NotGuard,
    VariableGuard,
)
from saniwa.process.ports import Custody
from saniwa.process.standing import Standing
from saniwa.process.weighing.plan import Plan

_ABSENT: Any = object()
DEEPEST = 50
"""How deep guards may stand inside one another."""


class Facts:
    """What a guard may look at: the run's variables and its evidence.

    Evidence that has changed since it was handed in does not count, and is told of.
    """

    def __init__(
        self,
        plan: Plan,
        standing: Standing,
        evidence: Custody,
        brought: Sequence[Artifact] = (),
    ) -> None:
        """Facts of a run, with the evidence that comes with the event in hand."""
        self._plan = plan
        self._standing = standing
        self._evidence = evidence
        self._brought = brought
        self.doubts: list[str] = []
        """Evidence that was met and is not what it was: nobody can tell what it says."""

    @property
    def variables(self) -> Mapping[str, Any]:
        """The run's variables."""
        return self._standing.variables

    @property
    def home(self) -> str:
        """Where the run's paths lead from."""
        run_id, folder = self._standing.run_id, self._standing.opening.folder
        return self._evidence.home(run_id, folder)

    def sound(self, kind: str, spoilt: list[str]) -> Iterator[Artifact]:
        """The artifacts of a kind that are as they were; the others' faults are noted."""
        new = {a.identity: a for a in self._brought if a.type == kind}
        yield from new.values()
        folder = self._standing.opening.folder
        for identity, artifact in self._standing.artifacts.get(kind, {}).items():
            if identity in new:
                continue
            fault = self._evidence.fault(folder, artifact)
            if artifact.held_to != self._plan.schema_mark(kind):
                fault = fault or "was held to another schema"
            if self._plan.lookup(kind) and artifact.is_claim:
                fault = fault or "was never looked up by the gate"
            forms = self._plan.forms(kind)
            if forms and artifact.form not in forms:
                fault = fault or f"is not handed in as {' or '.join(forms)}"
            if fault:
                self.doubts.append(artifact.place)
                spoilt.append(f"{quoted(artifact.place)} {fault}; hand it in again")
            else:
                yield artifact

    def lacking(
        self,
        kind: str,
        wanted: int = 1,
        fields: tuple[str, ...] = (),
        *,
        fresh: bool = False,
    ) -> str:
        """What is missing of a kind of evidence; empty if nothing is.

        The same bytes under two names are one artifact. Where none is wanted, none is
        missing.
        """
        if wanted <= 0:
            return ""
        spoilt: list[str] = []
        short: list[str] = []
        found: set[str] = set()
        for artifact in self.sound(kind, spoilt):
            if fresh and not self._is_fresh(artifact):
                short.append(f"{quoted(artifact.place)} is from before this state")
                continue
            absent = [name for name in fields if name not in artifact.fields]
            if absent:
                named = ", ".join(absent)
                short.append(f"{quoted(artifact.place)} does not say {named}")
            else:
                found.add(artifact.hash)
            if len(found) >= wanted:
                return ""
        needed = f"{wanted} artifacts of kind" if wanted > 1 else "an artifact of kind"
        has = f" with {', '.join(fields)}" if fields else ""
        count = f", {len(found)} there" if wanted > 1 else ""
        told = f"needs {needed} {quoted(kind)}{has}{count}"
        return "; ".join([told, *short, *spoilt, *self._nameless()])

    def _is_fresh(self, artifact: Artifact) -> bool:
        return artifact in self._brought or self._standing.is_fresh(artifact)

    def _nameless(self) -> Iterator[str]:
        """What came and is of no kind: perhaps it was meant."""
        for artifact in self._brought:
            if not artifact.type:
                yield f"{quoted(artifact.place)} is of no kind, which its name would tell"


def missing(
    name: str, guards: Mapping[str, Guard], facts: Facts, depth: int = 0
) -> str:
    """What keeps a guard from holding; empty if it holds.

    A guard nobody defined, or one that contains itself, never holds.
    """
    guard = guards.get(name)
    if guard is None:
        return f"the guard {quoted(name)} is not defined"
    if depth > DEEPEST:
        return f"the guard {quoted(name)} stands too deep inside others"
    match guard:
        case ArtifactGuard():
            fields = guard.required_fields if guard.condition == "has_fields" else ()
            wanted = 1 if guard.condition == "exists" else guard.min_count
            kind = guard.artifact_type
            return facts.lacking(kind, wanted, fields, fresh=guard.fresh)
        case VariableGuard():
            return _variable(guard, facts.variables.get(guard.variable, _ABSENT))
        case AllGuard():
            told = (missing(each, guards, facts, depth + 1) for each in guard.guards)
            return "; ".join(why for why in told if why)
        case AnyGuard():
            return _any(guard, guards, facts, depth)
        case NotGuard():
            return _not(guard, guards, facts, depth)
        case _:  # pragma: no cover
            assert_never(guard)


def _any(guard: AnyGuard, guards: Mapping[str, Guard], facts: Facts, depth: int) -> str:
    told = []
    for each in guard.guards:
        why = missing(each, guards, facts, depth + 1)
        if not why:
            return ""
        told.append(why)
    return "one of these: " + " | ".join(told) if told else "no guard is named in it"


def _not(guard: NotGuard, guards: Mapping[str, Guard], facts: Facts, depth: int) -> str:
    # What can never be told to hold can never be told not to hold either.
    if guard.guard not in guards or depth >= DEEPEST:
        return missing(guard.guard, guards, facts, depth + 1)
    before = len(facts.doubts)
    if missing(guard.guard, guards, facts, depth + 1):
        doubts = ", ".join(map(quoted, facts.doubts[before:]))
        told = f"whether {quoted(guard.guard)} holds cannot be told: {doubts} changed"
        return told if doubts else ""
    return f"the guard {quoted(guard.guard)} must not hold, and it does"


def _variable(guard: VariableGuard, value: Any) -> str:
    name = quoted(guard.variable)
    match guard.condition:
        case "exists":
            return "" if value is not _ABSENT else f"needs the variable {name}"
        case "not_exists":
            return "" if value is _ABSENT else f"the variable {name} must not be set"
        case _ if value is _ABSENT:
            return f"needs the variable {name}, which is not set"
        case "equals" if not same(value, guard.value):
            return f"{name} must be {_shown(guard.value)}, and is {_shown(value)}"
        case "not_equals" if same(value, guard.value):
            return f"{name} must not be {_shown(value)}"
        case "in" if not _among(value, guard.value):
            return (
                f"{name} must be one of {_shown(guard.value)}, and is {_shown(value)}"
            )
        case "not_in" if _among(value, guard.value):
            return (
                f"{name} must be none of {_shown(guard.value)}, and is {_shown(value)}"
            )
    return ""


def _among(value: Any, values: Any) -> bool:
    return isinstance(values, list) and any(same(value, each) for each in values)


def _shown(value: Any) -> str:
    return msgspec.json.encode(value).decode()[:200]
