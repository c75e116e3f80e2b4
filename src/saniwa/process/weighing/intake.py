"""From claims to artifacts: everything handed in is opened once, hashed, and held to its kind."""

from collections.abc import Sequence

import msgspec

from saniwa.core.quoted import quoted
from saniwa.process.artifact import Artifact, Author, Claim, type_of
from saniwa.process.ports import Evidence, EvidenceError, ReportLookup, Sight
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
    plan: Plan,
    claims: Sequence[Claim],
    stamp: Stamp,
    evidence: Evidence,
    lookup: ReportLookup | None = None,
) -> Intake:
    """Look at everything that is claimed; nothing is kept.

    Without a lookup, every artifact of a kind that asks for one is refused.
    """
    artifacts, problems = [], []
    if len(claims) > MOST:
        problems.append(Problem("/artifact_paths", f"more than {MOST} at once"))
    seen: set[str] = set()
    for number, claim in enumerate(claims[:MOST]):
        try:
            artifact = _artifact(plan, number, claim, stamp, evidence, lookup)
            if artifact.identity in seen:
                raise EvidenceError(f"{quoted(artifact.place)} is handed in twice")
            seen.add(artifact.identity)
            artifacts.append(artifact)
        except EvidenceError as problem:
            problems.append(Problem(_pointer(claims, number), str(problem)))
    return Intake(tuple(artifacts), tuple(problems))


def _artifact(
    plan: Plan,
    number: int,
    claim: Claim,
    stamp: Stamp,
    evidence: Evidence,
    lookup: ReportLookup | None,
) -> Artifact:
    kind = claim.type or type_of(claim.path or claim.url, plan.kinds)
    if claim.type and claim.type not in plan.kinds:
        known = ", ".join(sorted(plan.kinds)) or "none"
        raise EvidenceError(f"there is no kind {quoted(claim.type)}; there is: {known}")
    form = "path" if claim.path else "url" if claim.url else "inline"
    forms = plan.forms(kind)
    if forms and form not in forms:
        raise EvidenceError(f"a {quoted(kind)} is handed in as {' or '.join(forms)}")
    checker = plan.artifact_checker(kind)
    asked = plan.asks_fields(kind)
    subject = plan.lookup(kind)
    read = checker is not None or asked or bool(subject)
    sight = evidence.look(stamp.run_id, stamp.folder, claim, read=read)
    if checker is not None:
        _hold(kind, claim, sight, checker.problems(sight.plain))
    return Artifact(
        artifact_id=f"{stamp.event_id}-{number}",
        run_id=stamp.run_id,
        type=kind,
        content=claim.content,
        path=claim.path,
        url=claim.url,
        hash=sight.hash,
        size=sight.size,
        held_to=plan.schema_mark(kind),
        fields=fields_of(sight.plain) if asked else (),
        checked=_look_up(kind, subject, sight, lookup) if subject else "",
        metadata=claim.metadata,
        created_at=stamp.at,
        created_by=stamp.author,
    )


def _look_up(kind: str, subject: str, sight: Sight, lookup: ReportLookup | None) -> str:
    """What the gate found; a report it cannot look up is refused, never believed."""
    if lookup is None:
        raise EvidenceError(
            f"the gate looks up what a {quoted(kind)} says, and this one has no store "
            "of runs and no registry of scenarios to look in"
        )
    if sight.plain is msgspec.UNSET:
        raise EvidenceError(
            f"the gate looks up what a {quoted(kind)} says: hand it in as JSON or YAML, "
            "as a file or inline"
        )
    return lookup.look_up(subject, sight.plain)


def _hold(kind: str, claim: Claim, sight: Sight, problems: Sequence[Problem]) -> None:
    if sight.plain is msgspec.UNSET and claim.url:
        raise EvidenceError(
            f"a {quoted(kind)} has a schema: hand it in itself, for nobody fetches it"
        )
    if sight.plain is msgspec.UNSET:
        told = "it is no JSON, no YAML and no Markdown with front matter"
        raise EvidenceError(f"a {quoted(kind)} has a schema, and {told}")
    if problems:
        told = "; ".join(f"{p.path or '/'}: {p.message}" for p in problems[:3])
        raise EvidenceError(f"it is not what a {quoted(kind)} must be: {told}")


def _pointer(claims: Sequence[Claim], number: int) -> str:
    """Where a claim stands in what was sent: paths have a list of their own."""
    alike = [bool(claim.path) == bool(claims[number].path) for claim in claims[:number]]
    name = "artifact_paths" if claims[number].path else "artifacts"
    return f"/{name}/{sum(alike)}"
