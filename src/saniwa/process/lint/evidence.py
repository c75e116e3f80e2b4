"""Check evidence: unknown and unused kinds, and every JSON Schema of a process."""

from collections.abc import Collection, Iterator
from typing import Any

from saniwa.documents.finding_collector import Findings, KeyPath
from saniwa.process.definition import ArtifactDefinition, StateDefinition, WriteArtifactHook
from saniwa.process.draft import PlacedPart, ProcessDraft, enumerate_names, list_hooks
from saniwa.process.lint.guards import list_guard_kinds
from saniwa.process.lint.names import check_reference
from saniwa.process.lint.variables import check_first_values


def check_evidence(page: Findings, draft: ProcessDraft) -> None:
    """Report unknown kinds, states and transitions, and kinds that nothing requires."""
    kinds = {placed.part.type for placed in draft.artifacts}
    used = {kind for placed in draft.guards.values() for _, kind in list_guard_kinds(placed.part)}
    for code, kind, path in (each for state in draft.every_state for each in _list_kinds(state)):
        used.add(kind)
        if draft.has_parts("artifacts"):
            check_reference(page, code, "artifact of kind", kind, kinds, path)
    states = {placed.part.name for placed in draft.every_state}
    ways = _list_transition_names(draft)
    all_read = draft.partial.isdisjoint(("states", "guards"))
    all_read &= set(draft.guards) == draft.guard_names
    for placed in draft.artifacts:
        part = placed.part
        for nth, name in enumerate_names(part.required_in_states):
            if draft.has_parts("states"):
                path = placed.find_path("required_in_states", nth)
                check_reference(page, "INVALID_STATE_REFERENCE", "state", name, states, path)
        if draft.has_parts("transitions"):
            _check_required_transitions(page, placed, ways)
        required = part.required_in_states or part.required_for_transitions
        if all_read and not (required or part.type in used):
            page.report("ARTIFACT_UNUSED", placed.find_path("type"), type=part.type)


def _list_kinds(state: PlacedPart[StateDefinition]) -> Iterator[tuple[str, str, KeyPath]]:
    """Yield every kind that a state names: the code of a mistake in it, the kind, the path."""
    for nth, kind in enumerate_names(state.part.required_artifacts):
        yield "INVALID_REQUIRED_ARTIFACT", kind, state.find_path("required_artifacts", nth)
    for hook, path in list_hooks(state):
        if isinstance(hook, WriteArtifactHook):
            yield "INVALID_HOOK_ARTIFACT_TYPE", hook.artifact_type, path


def _list_transition_names(draft: ProcessDraft) -> set[str]:
    """List everything `required_for_transitions` may name."""
    found = {placed.part.event for placed in draft.every_transition}
    for placed in draft.every_transition:
        way = placed.part
        found |= {f"{way.source}->{way.to}", f"{way.source} -> {way.to}"}
    return found


def _check_required_transitions(
    page: Findings, placed: PlacedPart[ArtifactDefinition], ways: Collection[str]
) -> None:
    for nth, name in enumerate_names(placed.part.required_for_transitions):
        if name not in ways:
            page.report(
                "INVALID_TRANSITION_REFERENCE",
                placed.find_path("required_for_transitions", nth),
                hint=page.suggest_nearest(name, ways),
                name=name,
            )


def check_schemas(page: Findings, draft: ProcessDraft) -> None:
    """Report schemas that cannot be used, and initial values that do not fit theirs."""
    unsound = [
        path for schema, path in _list_schemas(draft) if not _check_one_schema(page, schema, path)
    ]
    if draft.header.get("initial_context") and draft.find_path("context_schema") not in unsound:
        check_first_values(page, draft)


def _list_schemas(draft: ProcessDraft) -> Iterator[tuple[Any, KeyPath]]:
    if draft.header.get("context_schema") is not None:
        yield draft.header["context_schema"], draft.find_path("context_schema")
    for event in draft.events:
        if event.part.payload_schema is not None:
            yield event.part.payload_schema, event.find_path("payload_schema")
    parts: tuple[PlacedPart[Any], ...] = (*draft.artifacts, *draft.guards.values())
    for placed in parts:
        if getattr(placed.part, "schema", None) is not None:
            yield placed.part.schema, placed.find_path("schema")


def _check_one_schema(page: Findings, schema: Any, path: KeyPath) -> bool:
    # Imported late: it takes longer to load than most definitions take to read, and
    # most have no schema.
    from saniwa.process.schema_checker import check_schema

    why = check_schema(schema)
    if why:
        page.report("SCHEMA_INVALID", path, why=why)
    return not why
