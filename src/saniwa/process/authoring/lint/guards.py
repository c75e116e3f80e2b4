"""Conditions that name nothing, contain themselves, or are never asked."""

from collections.abc import Mapping

from saniwa.core.quoted import quoted
from saniwa.process.authoring.draft import Draft, Placed, numbered
from saniwa.process.authoring.page import Page
from saniwa.process.definition import AllGuard, AnyGuard, ArtifactGuard, Guard, NotGuard

DEEPEST = 20
"""Levels of guards within guards."""
MOST_ASKED = 1_000
"""Guards that one guard may come to ask, those asked twice counted twice."""

_Guards = Mapping[str, Placed[Guard]]


def look(page: Page, draft: Draft) -> None:
    """Note unknown names, guards within themselves, too large ones and unused ones."""
    guards = draft.guards
    kinds = {placed.part.type for placed in draft.artifacts}
    used: set[str] = set()
    for way in draft.transitions:
        if way.part.guard and draft.knows("guards"):
            used.add(way.part.guard)
            _known(page, way, "guard", way.part.guard, draft.guard_names)
    for placed in guards.values():
        for field, name, nth in _inner(placed.part):
            used.add(name)
            _known(page, placed, field, name, draft.guard_names, *nth)
        if draft.knows("artifacts"):
            _kind(page, placed, kinds)
    _sound(page, guards)
    # A transition that could not be read may be what asks.
    malformed = {field for way in draft.transitions for field in way.malformed}
    if "transitions" in draft.partial or "guard" in malformed:
        return
    for name, placed in guards.items():
        if name not in used:
            page.warn(
                "GUARD_UNUSED",
                f"nothing asks the guard {quoted(name)}",
                placed.path,
                key=True,
                hint="name it in a transition, or take it out",
            )


def inner_names(guard: Guard) -> tuple[str, ...]:
    """The guards a guard asks."""
    return tuple(name for _, name, _ in _inner(guard))


def _inner(guard: Guard) -> list[tuple[str, str, tuple[int, ...]]]:
    """Field, name and place in the field of every guard a guard asks."""
    if isinstance(guard, AllGuard | AnyGuard):
        return [("guards", name, (nth,)) for nth, name in numbered(guard.guards)]
    return [("guard", guard.guard, ())] if isinstance(guard, NotGuard) else []


def _known(
    page: Page,
    placed: Placed[object],
    field: str,
    name: str,
    names: frozenset[str],
    *nth: int,
) -> None:
    if name not in names:
        page.error(
            "INVALID_GUARD_REFERENCE",
            f"there is no guard {quoted(name)}",
            placed.at(field, *nth),
            hint=page.near(name, names) or "define it under 'guards'",
        )


def _kind(page: Page, placed: Placed[Guard], kinds: set[str]) -> None:
    guard = placed.part
    if isinstance(guard, ArtifactGuard) and guard.artifact_type not in kinds:
        page.error(
            "INVALID_GUARD_ARTIFACT_TYPE",
            f"there is no artifact of kind {quoted(guard.artifact_type)}",
            placed.at("artifact_type"),
            hint=page.near(guard.artifact_type, kinds) or "define it under 'artifacts'",
        )


def _sound(page: Page, guards: _Guards) -> None:
    """Follow guards into guards, each once: depth and size come from the inside out."""
    sizes: dict[str, tuple[int, int]] = {}
    for root in guards:
        open_: dict[str, None] = {}
        waiting = [(root, False)]
        while waiting:
            name, done = waiting.pop()
            if done:
                del open_[name]
                sizes[name] = _measured(page, name, guards, sizes)
            elif name in open_:
                _cycle(page, name, [*open_], guards)
            elif name not in sizes and name in guards:
                open_[name] = None
                waiting.append((name, True))
                waiting.extend((i, False) for i in set(inner_names(guards[name].part)))


def _measured(
    page: Page, name: str, guards: _Guards, sizes: dict[str, tuple[int, int]]
) -> tuple[int, int]:
    """How deep a guard is and how many it asks; too large ones count as one outside."""
    placed = guards[name]
    inner = [sizes.get(each, (0, 0)) for each in inner_names(placed.part)]
    depth = 1 + max((deep for deep, _ in inner), default=0)
    asked = 1 + sum(many for _, many in inner)
    if depth <= DEEPEST and asked <= MOST_ASKED:
        return depth, asked
    what = f"{depth} levels" if depth > DEEPEST else f"{asked} guards"
    most = DEEPEST if depth > DEEPEST else MOST_ASKED
    page.error(
        "GUARD_TOO_LARGE",
        f"the guard {quoted(name)} comes to {what}, more than {most}",
        placed.path,
        key=True,
        hint="say it with fewer guards within guards",
    )
    return 1, 1


def _cycle(page: Page, name: str, trail: list[str], guards: _Guards) -> None:
    ring = trail[trail.index(name) :]
    shown = [*ring[:6], "…"] if len(ring) > 6 else [*ring, name]
    page.error(
        "GUARD_CYCLE",
        f"the guard {quoted(name)} contains itself: {' → '.join(shown)}",
        guards[name].path,
        key=True,
        hint="take one of them out of the ring",
    )
