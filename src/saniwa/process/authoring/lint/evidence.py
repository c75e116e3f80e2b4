"""Kinds of evidence that are asked for and do not exist, or exist and are never asked for."""

from collections.abc import Collection, Iterator

from saniwa.core.quoted import quoted
from saniwa.process.authoring.draft import Draft, Placed, hooks_at, numbered
from saniwa.process.authoring.page import Page
from saniwa.process.definition import (
    ArtifactDefinition,
    ArtifactGuard,
    State,
    WriteArtifact,
)


def look(page: Page, draft: Draft) -> None:
    """Note kinds, states and transitions that do not exist, and kinds nobody asks for."""
    known = {placed.part.type for placed in draft.artifacts}
    kinds = known if draft.knows("artifacts") else None
    used = {
        placed.part.artifact_type
        for placed in draft.guards.values()
        if isinstance(placed.part, ArtifactGuard)
    }
    for state in draft.states:
        used.update(_required(page, state, kinds), _written(page, state, kinds))
    states = {placed.part.name for placed in draft.states}
    ways = _ways(draft)
    all_read = draft.partial.isdisjoint(("states", "guards"))
    all_read &= set(draft.guards) == draft.guard_names
    for placed in draft.artifacts:
        if draft.knows("states"):
            _places(page, placed, states)
        if draft.knows("transitions"):
            _passages(page, placed, ways)
        asked = _asked(placed.part) or placed.part.type in used
        if all_read and not asked:
            page.warn(
                "ARTIFACT_UNUSED",
                f"nothing asks for artifacts of kind {quoted(placed.part.type)}",
                placed.at("type"),
                hint="name it in a guard or under 'required_artifacts', or take it out",
            )


def _asked(kind: ArtifactDefinition) -> bool:
    return bool(kind.required_in_states or kind.required_for_transitions)


def _required(
    page: Page, state: Placed[State], kinds: set[str] | None
) -> Iterator[str]:
    for nth, kind in numbered(state.part.required_artifacts):
        yield kind
        if kinds is not None and kind not in kinds:
            _no_kind(
                page,
                "INVALID_REQUIRED_ARTIFACT",
                kind,
                state.at("required_artifacts", nth),
                kinds,
            )


def _written(page: Page, state: Placed[State], kinds: set[str] | None) -> Iterator[str]:
    for hook, path in hooks_at(state):
        if not isinstance(hook, WriteArtifact):
            continue
        kind = hook.artifact_type
        yield kind
        if kinds is not None and kind not in kinds:
            _no_kind(page, "INVALID_HOOK_ARTIFACT_TYPE", kind, path, kinds)


def _no_kind(
    page: Page, code: str, kind: str, path: tuple[str | int, ...], kinds: set[str]
) -> None:
    page.error(
        code,
        f"there is no artifact of kind {quoted(kind)}",
        path,
        hint=page.near(kind, kinds) or "define it under 'artifacts'",
    )


def _places(
    page: Page, placed: Placed[ArtifactDefinition], states: Collection[str]
) -> None:
    for nth, name in numbered(placed.part.required_in_states):
        if name not in states:
            page.error(
                "INVALID_STATE_REFERENCE",
                f"there is no state {quoted(name)}",
                placed.at("required_in_states", nth),
                hint=page.near(name, states),
            )


def _ways(draft: Draft) -> set[str]:
    """Everything `required_for_transitions` may name."""
    found = {placed.part.event for placed in draft.transitions}
    for placed in draft.transitions:
        way = placed.part
        found |= {f"{way.source}->{way.to}", f"{way.source} -> {way.to}"}
    return found


def _passages(
    page: Page, placed: Placed[ArtifactDefinition], ways: Collection[str]
) -> None:
    for nth, name in numbered(placed.part.required_for_transitions):
        if name not in ways:
            page.error(
                "INVALID_TRANSITION_REFERENCE",
                f"no transition is {quoted(name)}",
                placed.at("required_for_transitions", nth),
                hint=page.near(name, ways)
                or "name an event that a transition takes, or write 'from->to'",
            )
