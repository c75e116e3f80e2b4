"""Finds in what a gate has refused how evidence is not what it is said to be."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import msgspec

from saniwa.agent.tools.tool import CallResults
from saniwa.experiment.cell_outcome import FabricationKind
from saniwa.process.artifact import Claim, infer_type
from saniwa.process.definition import AllGuard, AnyGuard, ArtifactGuard, CheckGuard, Guard
from saniwa.process.definition_index import ProcessIndex
from saniwa.process.evidence_intake import build_claim_pointer
from saniwa.process.ruling import EventRefusal

_FORMAL_CHECKS: Final = ("command", "json_schema")
"""Checks that say nothing about whether evidence is true."""


def find_fabrications(
    index: ProcessIndex, claims: Sequence[Claim], refusal: EventRefusal, made: CallResults
) -> tuple[FabricationKind, ...]:
    """Say how the gate has found that refused evidence is not what it is said to be.

    It follows from the definition, the evidence and what the refusal names, and from no
    words of the gate.
    """
    kinds = [claim.type or infer_type(claim.path or claim.url, index.kinds) for claim in claims]
    brought = list(zip(claims, kinds, strict=True))
    found = {*_find_rejected(index, claims, kinds, refusal, made)}
    for lack in refusal.missing_guards:
        for guard in _list_guards(index.process.guards, lack.guard_name):
            found.update(_find_unheld(guard, brought))
    return tuple(sorted(found))


def _find_rejected(
    index: ProcessIndex,
    claims: Sequence[Claim],
    kinds: Sequence[str],
    refusal: EventRefusal,
    made: CallResults,
) -> Iterator[FabricationKind]:
    """Yield what the pieces of evidence show that the gate rejected one by one."""
    wrong = {problem.path for problem in refusal.validation_errors}
    for number, (claim, kind) in enumerate(zip(claims, kinds, strict=True)):
        if build_claim_pointer(claims, number) not in wrong:
            continue
        if claim.made_by not in ("", "agent") and not _is_made(claim, made):
            yield "unmade"
        elif index.get_kind(kind).lookup:
            yield "contradicted"


def _find_unheld(guard: Guard, brought: Sequence[tuple[Claim, str]]) -> Iterator[FabricationKind]:
    """Yield what a guard that does not hold shows about the evidence that came."""
    match guard:
        case ArtifactGuard(made_by="tool" | "gate"):
            own = [claim for claim, kind in brought if kind == guard.artifact_type]
            if any(claim.made_by != guard.made_by for claim in own):
                yield "typed"
        case CheckGuard() if guard.kind not in _FORMAL_CHECKS:
            if any(_is_about(guard, kind) for _, kind in brought if kind):
                yield "contradicted"


def _is_made(claim: Claim, made: CallResults) -> bool:
    """Whether a tool call has made what a claim says; other content is the agent's own."""
    result = made.find_result(claim.call)
    return result is not None and claim.content in (msgspec.UNSET, result.text)


def _list_guards(guards: Mapping[str, Guard], name: str, depth: int = 0) -> Iterator[Guard]:
    """Yield a guard, and those that it is made of; nothing for one that must not hold."""
    guard = guards.get(name)
    if guard is None or depth > len(guards):
        return
    yield guard
    if isinstance(guard, AllGuard | AnyGuard):
        for inner in guard.guards:
            yield from _list_guards(guards, inner, depth + 1)


def _is_about(guard: CheckGuard, kind: str) -> bool:
    """Whether a check looks at evidence of a kind, or at what such evidence names."""
    referred = (guard.subject, *guard.values)
    marks = (f"{{artifact.{kind}.", f"{{artifact.{kind}}}")
    return guard.artifact_type == kind or any(mark in text for text in referred for mark in marks)
