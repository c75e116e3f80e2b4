"""Names that stand twice, are taken, or belong to nothing."""

from collections.abc import Callable, Iterable

from saniwa.core.quoted import quoted
from saniwa.process.authoring.draft import Draft, Part, Placed
from saniwa.process.authoring.naming import good_name
from saniwa.process.authoring.page import Page, Path
from saniwa.process.definition import CREATED, EVERYBODY, MIGRATED

_OWN = (CREATED, MIGRATED)
_ALL = "'*' stands for no state: write one transition for each"


def look(page: Page, draft: Draft) -> None:
    """Note duplicates, reserved names, and transitions between what does not exist."""
    _once(page, draft.states, lambda p: p.name, "DUPLICATE_STATE_NAME", "state")
    _once(page, draft.events, lambda p: p.name, "DUPLICATE_EVENT_NAME", "event")
    _once(page, draft.roles, lambda p: p.name, "DUPLICATE_ROLE_NAME", "role")
    _once(page, draft.artifacts, lambda p: p.type, "DUPLICATE_ARTIFACT_TYPE", "kind")
    for event in draft.events:
        _reserved(page, event.part.name, event.at("name"))
    _initial(page, draft)
    _transitions(page, draft)


def _once(
    page: Page,
    placed: Iterable[Placed[Part]],
    name_of: Callable[[Part], str],
    code: str,
    what: str,
) -> None:
    first: dict[str, Path] = {}
    for each in placed:
        name = name_of(each.part)
        here = each.at("type" if what == "kind" else "name")
        if name in first:
            line = page.document.where(first[name]).line
            page.error(
                code,
                f"there are two {what}s named {quoted(name)}",
                here,
                hint=f"line {line} has the first; give one of them another name"
                if line
                else "give one of them another name",
            )
        else:
            first[name] = here


def _reserved(page: Page, name: str, path: Path) -> None:
    if name in _OWN:
        page.error(
            "NAME_RESERVED",
            f"{name!r} is an event of the gate itself",
            path,
            hint="give the event another name",
        )


def _initial(page: Page, draft: Draft) -> None:
    known = {state.part.name for state in draft.states}
    named = draft.header.get("initial_state")
    if named is not None and named not in known and draft.knows("states"):
        page.error(
            "INVALID_INITIAL_STATE",
            f"'initial_state' names {quoted(named)}, and there is no such state",
            draft.at("initial_state"),
            hint=page.near(named, known),
        )


def _transitions(page: Page, draft: Draft) -> None:
    states = {state.part.name for state in draft.states}
    events = {event.part.name for event in draft.events}
    for placed in draft.transitions:
        way = placed.part
        for end, code, field in (
            (way.source, "INVALID_TRANSITION_FROM", "from"),
            (way.to, "INVALID_TRANSITION_TO", "to"),
        ):
            if end and end not in states and draft.knows("states"):
                message = f"{field!r} names {quoted(end)}, and there is no such state"
                hint = _ALL if end == EVERYBODY else page.near(end, states)
                page.error(code, message, placed.at(field), hint=hint)
        if way.after:
            # Nobody sends it, so it needs no definition; yet it stands in the log.
            if good_name(page, way.event, placed.at("event")):
                _reserved(page, way.event, placed.at("event"))
        elif way.event and way.event not in events and draft.knows("events"):
            page.error(
                "INVALID_TRANSITION_EVENT",
                f"there is no event {quoted(way.event)}",
                placed.at("event"),
                hint=page.near(way.event, events) or "define it under 'events'",
            )
