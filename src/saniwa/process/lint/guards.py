"""Check guards: unknown names, cycles, size, unused guards."""

import json
import re
import shlex
from collections.abc import Mapping
from contextlib import suppress

from saniwa.documents.finding_collector import Findings
from saniwa.process.definition import (
    AllGuard,
    AnyGuard,
    ArtifactDefinition,
    ArtifactGuard,
    CheckGuard,
    ChildrenGuard,
    Guard,
    NotGuard,
    list_placeholders,
)
from saniwa.process.draft import PlacedPart, ProcessDraft, enumerate_names
from saniwa.process.lint.names import check_reference

DEEPEST_NESTING = 20
"""Most levels of guards within guards."""
MOST_NESTED_GUARDS = 1_000
"""Most guards that one guard may evaluate; one used twice counts twice."""

_match_plain_word = re.compile(
    r"(?!(?i:true|false|null)$)(?:-{0,2}[A-Za-z_]|\.{0,2}/)[A-Za-z0-9./_=-]*"
).fullmatch
"""A word that is text in YAML without quotes."""
_UNKNOWN = "INVALID_GUARD_REFERENCE"
_PlacedGuards = Mapping[str, PlacedPart[Guard]]


def check_guards(page: Findings, draft: ProcessDraft) -> None:
    """Report unknown names, and cyclic, too large and unused guards."""
    guards = draft.guards
    kinds = {placed.part.type for placed in draft.artifacts}
    # What a check shows is evidence under its own name, which only the gate can bring.
    kept = {
        name
        for name, each in guards.items()
        if isinstance(each.part, CheckGuard) and not each.part.keep_as
    }
    used: set[str] = set()
    for way in draft.every_transition:
        if way.part.guard and draft.has_parts("guards"):
            used.add(way.part.guard)
            path = way.find_path("guard")
            check_reference(page, _UNKNOWN, "guard", way.part.guard, draft.guard_names, path)
    for placed in guards.values():
        for field, name, nth in _list_references(placed.part):
            used.add(name)
            path = placed.find_path(field, *nth)
            check_reference(page, _UNKNOWN, "guard", name, draft.guard_names, path)
        for field, kind in list_guard_kinds(placed.part) if draft.has_parts("artifacts") else ():
            code, path = "INVALID_GUARD_ARTIFACT_TYPE", placed.find_path(field)
            known = kinds | kept if field in ("subject", "values") else kinds
            check_reference(page, code, "artifact of kind", kind, known, path)
    _check_nesting(page, guards)
    _check_checks(page, draft)
    _check_claims(page, guards)
    # A transition that could not be read may be the one that uses the guard.
    malformed = {field for way in draft.every_transition for field in way.malformed}
    if "transitions" in draft.partial or "guard" in malformed:
        return
    for name, placed in guards.items():
        if name not in used:
            page.report("GUARD_UNUSED", placed.path, key=True, name=name)


def list_guard_kinds(guard: Guard) -> list[tuple[str, str]]:
    """List the kinds of evidence that a guard names, each after the field that does."""
    if isinstance(guard, ArtifactGuard):
        return [("artifact_type", guard.artifact_type)]
    if isinstance(guard, ChildrenGuard):
        return [("keep_as", guard.keep_as)] if guard.keep_as else []
    if not isinstance(guard, CheckGuard):
        return []
    named = [("artifact_type", guard.artifact_type), ("keep_as", guard.keep_as)]
    key = "values" if guard.values else "subject"
    named += [(key, kind) for source, kind, _ in list_placeholders(guard) if source == "artifact"]
    return [(field, kind) for field, kind in named if kind]


def _check_checks(page: Findings, draft: ProcessDraft) -> None:
    """Report checks that could never be run, or whose result could not be kept."""
    checks = _find_guards_with_checks(draft.guards)
    for way in draft.every_transition:
        if way.part.is_automatic and way.part.guard in checks and way.part.retry is None:
            page.report("CHECK_UNUSABLE/timed", way.find_path("guard"), guard=way.part.guard)
    for placed in draft.guards.values():
        if isinstance(placed.part, NotGuard) and placed.part.guard in checks:
            page.report(
                "CHECK_UNUSABLE/negated", placed.find_path("guard"), guard=placed.part.guard
            )
    kinds = {placed.part.type: placed.part for placed in draft.artifacts}
    for placed in draft.guards.values():
        _check_command(page, placed)
        kept = getattr(placed.part, "keep_as", "")
        if kinds.get(kept, ArtifactDefinition(type="")).schema is not None:
            page.report("CHECK_UNUSABLE/kept_kind", placed.find_path("keep_as"), kept=kept)
        for source, kind, field in list_placeholders(placed.part):
            inner = draft.guards[kind].part if kind in draft.guards else None
            if source == "artifact" and not field and "subject" in placed.paths:
                page.report("CHECK_UNUSABLE/subject_field", placed.find_path("subject"), kind=kind)
            elif source == "check" and inner is not None and not _is_plain_check(inner):
                page.report("CHECK_UNUSABLE/inner_check", placed.find_path("values"), guard=kind)


def _check_command(page: Findings, placed: PlacedPart[Guard]) -> None:
    """Report a command whose program and arguments are one text, as for a shell."""
    if not isinstance(placed.part, CheckGuard) or len(placed.part.command) != 1:
        return
    command = placed.part.command[0]
    words = command.split()
    if len(words) > 1:
        with suppress(ValueError):  # a quote that is not closed
            words = shlex.split(command)
        quoted = [json.dumps(word, ensure_ascii=False) for word in words]
        plain = all(map(_match_plain_word, words))
        cure = f"[{', '.join(words if plain else quoted)}]"
        page.report(
            "CHECK_UNUSABLE/one_text", placed.find_path("command"), value=command, cure=cure
        )


def _check_claims(page: Findings, guards: _PlacedGuards) -> None:
    """Report checks that invented answers of models would pass."""
    for placed in guards.values():
        if isinstance(placed.part, CheckGuard) and placed.part.accept_claims:
            page.report("CLAIMS_ACCEPTED", placed.find_path("accept_claims"), key=True)


def _is_plain_check(guard: Guard) -> bool:
    return isinstance(guard, CheckGuard) and guard.kind != "same_subject"


def _find_guards_with_checks(guards: _PlacedGuards) -> set[str]:
    """Find the guards that are checks, or that refer to one at any depth."""
    found = {name for name, placed in guards.items() if isinstance(placed.part, CheckGuard)}
    while True:
        more = {
            name
            for name, placed in guards.items()
            if name not in found and not found.isdisjoint(list_inner_guards(placed.part))
        }
        if not more:
            return found
        found |= more


def list_inner_guards(guard: Guard) -> tuple[str, ...]:
    """List the guards that a guard refers to."""
    return tuple(name for _, name, _ in _list_references(guard))


def _list_references(guard: Guard) -> list[tuple[str, str, tuple[int, ...]]]:
    """List field, name and index in the field of every guard a guard refers to."""
    if isinstance(guard, AllGuard | AnyGuard):
        return [("guards", name, (nth,)) for nth, name in enumerate_names(guard.guards)]
    if isinstance(guard, CheckGuard):
        return [
            ("values", name, ())
            for source, name, _ in list_placeholders(guard)
            if source == "check"
        ]
    return [("guard", guard.guard, ())] if isinstance(guard, NotGuard) else []


def _check_nesting(page: Findings, guards: _PlacedGuards) -> None:
    """Follow guards into guards, each once: depth and size come from the inside out."""
    sizes: dict[str, tuple[int, int]] = {}
    for root in guards:
        open_: dict[str, None] = {}
        waiting = [(root, False)]
        while waiting:
            name, done = waiting.pop()
            if done:
                del open_[name]
                sizes[name] = _measure_guard(page, name, guards, sizes)
            elif name in open_:
                _report_cycle(page, name, [*open_], guards)
            elif name not in sizes and name in guards:
                open_[name] = None
                waiting.append((name, True))
                waiting.extend((i, False) for i in set(list_inner_guards(guards[name].part)))


def _measure_guard(
    page: Findings, name: str, guards: _PlacedGuards, sizes: dict[str, tuple[int, int]]
) -> tuple[int, int]:
    """Measure depth and size of a guard; one that is too large counts as one."""
    placed = guards[name]
    inner = [sizes.get(each, (0, 0)) for each in list_inner_guards(placed.part)]
    depth = 1 + max((deep for deep, _ in inner), default=0)
    size = 1 + sum(many for _, many in inner)
    if depth <= DEEPEST_NESTING and size <= MOST_NESTED_GUARDS:
        return depth, size
    what = f"{depth} levels" if depth > DEEPEST_NESTING else f"{size} guards"
    most = DEEPEST_NESTING if depth > DEEPEST_NESTING else MOST_NESTED_GUARDS
    page.report("GUARD_TOO_LARGE", placed.path, key=True, name=name, what=what, most=most)
    return 1, 1


def _report_cycle(page: Findings, name: str, trail: list[str], guards: _PlacedGuards) -> None:
    ring = trail[trail.index(name) :]
    shown = [*ring[:6], "…"] if len(ring) > 6 else [*ring, name]
    page.report("GUARD_CYCLE", guards[name].path, key=True, name=name, names=" → ".join(shown))
