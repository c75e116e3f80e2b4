"""From claims to artifacts: everything handed in is opened once, hashed, and held to its kind."""

from collections.abc import Sequence

import msgspec

from saniwa.core.quoted import quoted
from saniwa.process.artifact import Artifact, Author, Claim, type_of
from saniwa.process.definition import ArtifactGuard
from saniwa.process.ports import Evidence, EvidenceError, Sight
from saniwa.process.ruling import Problem
from saniwa.process.weighing.fields import fields_of
from saniwa.process.weighing.plan import Plan

MOST = 100
"""Artifacts that may come with one event."""


class Intake(msgspec.Struct, frozen=True):
    """What came of some claims."""

    artifacts: tuple[Artifact, ...] = ()
    """Those that can be taken."""
    problems: tuple[Problem, ...] = ()
    """What is wrong with the others."""


class Stamp(msgspec.Struct, frozen=True):
    """Where, when and by whom something is handed in."""

    run_id: str
    """The run."""
    folder: str
    """Where its paths lead from."""
    event_id: str
    """The event it comes with; its artifacts are named after it."""
    at: str
    """When; ISO 8601."""
    author: Author
    """Who."""


def take_in(
    plan: Plan, claims: Sequence[Claim], stamp: Stamp, evidence: Evidence
) -> Intake:
    """Look at everything that is claimed; nothing is kept."""
    artifacts, problems = [], []
    if len(claims) > MOST:
        problems.append(Problem("/artifact_paths", f"more than {MOST} at once"))
    for number, claim in enumerate(claims[:MOST]):
        try:
            artifacts.append(_artifact(plan, number, claim, stamp, evidence))
        except EvidenceError as problem:
            problems.append(Problem(f"/artifact_paths/{number}", str(problem)))
    problems += _twice(artifacts)
    return Intake(tuple(artifacts), tuple(problems))


def _artifact(
    plan: Plan, number: int, claim: Claim, stamp: Stamp, evidence: Evidence
) -> Artifact:
    kind = claim.type or type_of(claim.path or claim.url, plan.kinds)
    if claim.type and claim.type not in plan.kinds:
        known = ", ".join(sorted(plan.kinds)) or "none"
        raise EvidenceError(f"there is no kind {quoted(claim.type)}; there is: {known}")
    checker = plan.artifact_checker(kind)
    asked = _fields_asked(plan, kind)
    read = checker is not None or asked
    sight = evidence.look(stamp.run_id, stamp.folder, claim, read=read)
    if checker is not None:
        _hold(kind, sight, checker.problems(sight.plain))
    return Artifact(
        artifact_id=f"{stamp.event_id}-{number}",
        run_id=stamp.run_id,
        type=kind,
        content=claim.content,
        path=claim.path,
        url=claim.url,
        hash=sight.hash,
        size=sight.size,
        fields=fields_of(sight.plain) if asked else (),
        metadata=claim.metadata,
        created_at=stamp.at,
        created_by=stamp.author,
    )


def _hold(kind: str, sight: Sight, problems: Sequence[Problem]) -> None:
    if sight.plain is msgspec.UNSET:
        told = "it is no JSON, no YAML and no Markdown with front matter"
        raise EvidenceError(f"a {quoted(kind)} has a schema, and {told}")
    if problems:
        told = "; ".join(f"{p.path or '/'}: {p.message}" for p in problems[:3])
        raise EvidenceError(f"it is not what a {quoted(kind)} must be: {told}")


def _fields_asked(plan: Plan, kind: str) -> bool:
    return any(
        isinstance(guard, ArtifactGuard)
        and guard.artifact_type == kind
        and guard.condition == "has_fields"
        for guard in plan.process.guards.values()
    )


def _twice(artifacts: Sequence[Artifact]) -> list[Problem]:
    seen: set[str] = set()
    found = []
    for number, artifact in enumerate(artifacts):
        if artifact.identity in seen:
            told = f"{quoted(artifact.place)} is handed in twice"
            found.append(Problem(f"/artifact_paths/{number}", told))
        seen.add(artifact.identity)
    return found
