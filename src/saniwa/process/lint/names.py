"""Check names: duplicates, unknown ones, and ones that are easily confused."""

import re
import unicodedata
from collections.abc import Collection, Iterable
from typing import Any

from saniwa.core.text import quote_value
from saniwa.documents.finding_collector import Findings, KeyPath
from saniwa.process.definition import CREATED, DECISIONS, MIGRATED, PERSON_ROLES, WILDCARD
from saniwa.process.draft import PlacedPart, ProcessDraft, check_name


def check_reference(
    page: Findings, code: str, what: str, name: str, known: Collection[str], path: KeyPath
) -> None:
    """Report a name that is not one of the known names, with the nearest of them.

    `what` is what the name should mean, such as `state` or `artifact of kind`.
    """
    if name not in known:
        hint = page.suggest_nearest(name, known) or _DEFINITION_HINTS.get(what, "")
        page.add_error(code, f"there is no {what} {quote_value(name)}", path, hint=hint)


_DEFINITION_HINTS = {
    "artifact of kind": "define it under 'artifacts'",
    "event": "define it under 'events'",
    "guard": "define it under 'guards'",
    "role": "define it under 'roles'",
}

_LETTERS_OF_DIGITS = {"0": "o", "1": "l"}
# `ᴠ` is "LATIN LETTER SMALL CAPITAL V", `ƥ` is "LATIN SMALL LETTER P WITH HOOK".
_match_latin_name = re.compile(
    r"(?:LATIN (?:SMALL LETTER|CAPITAL LETTER|LETTER SMALL CAPITAL)|INDICATOR SYMBOL LETTER)"
    r"(?: (?:BLACKLETTER|DOTLESS|INSULAR|SCRIPT|SMALL CAPITAL|TAILLESS))* ([A-Z])(?: WITH .*)?$"
).search
# Unicode does not class these as marks or formats, and yet they are invisible.
_INVISIBLE_CHARACTERS = frozenset("\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0_-")
_INVISIBLE_CATEGORIES = frozenset({"Cf", "Cc", "Mn", "Me", "Zs", "Pd", "Pc"})


def fold_lookalikes(name: str) -> str:
    """Fold a name to what a hasty reader sees; equal results are easily confused."""
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", name).casefold())
    return "".join(map(_fold_letter, folded))


def _fold_letter(letter: str) -> str:
    """Fold a letter: the Latin one it resembles, itself, or nothing if invisible."""
    if letter in _INVISIBLE_CHARACTERS or unicodedata.category(letter) in _INVISIBLE_CATEGORIES:
        return ""
    if letter.isascii():
        return _LETTERS_OF_DIGITS.get(letter, letter)
    found = _match_latin_name(unicodedata.name(letter, ""))
    return found[1].lower() if found else letter


def check_state_map(page: Findings, draft: ProcessDraft) -> None:
    """Report a state map that leads to no state, or from one that still exists."""
    written = draft.header.get("state_map", {})
    if not written or not draft.has_parts("states"):
        return
    states = {placed.part.name for placed in draft.states}
    for old, new in written.items():
        path = (*draft.find_path("state_map"), old)
        if old in states:
            page.report("STATE_MAP_UNUSED", path, key=True, name=old)
        if isinstance(new, str):
            check_reference(page, "INVALID_STATE_REFERENCE", "state", new, states, path)
        else:
            page.report("WRONG_TYPE/state_map", path, name=old)


def check_misleading_names(page: Findings, draft: ProcessDraft) -> None:
    """Report events that look like a decision, and roles that look like a person's."""
    decisions = {fold_lookalikes(name): name for name in sorted(DECISIONS)}
    people = {fold_lookalikes(name): name for name in sorted(PERSON_ROLES)}
    named = [(event.part.name, event.find_path("name")) for event in draft.events]
    named += [
        (way.part.event, way.find_path("event"))
        for way in draft.every_transition
        if way.part.is_automatic
    ]
    for name, path in named:
        _check_likeness(page, name, path, decisions, "a decision")
    for role in draft.roles:
        _check_likeness(page, role.part.name, role.find_path("name"), people, "a person's role")


def _check_likeness(
    page: Findings, name: str, path: KeyPath, known: dict[str, str], what: str
) -> None:
    seen = fold_lookalikes(name)
    meant = next((known[each] for each in known if _is_alike(seen, each)), None)
    if meant is not None and meant != name:
        page.report("NAME_MISLEADING", path, name=name, what=what, meant=meant)


def _is_alike(seen: str, known: str) -> bool:
    """Whether two folded names are equal but for letters of another script among Latin ones.

    A name wholly in another script is a word of its own language.
    """
    pairs = list(zip(seen, known, strict=True)) if len(seen) == len(known) else []
    return any(a == b for a, b in pairs) and all(a == b or not a.isascii() for a, b in pairs)


_GATE_EVENTS = (CREATED, MIGRATED)
_WILDCARD_HINT = "'*' is not a state: write a separate transition for each"


def check_names(page: Findings, draft: ProcessDraft) -> None:
    """Report duplicates, reserved names, and transitions that name unknown parts."""
    _check_unique(page, draft.events, "DUPLICATE_EVENT_NAME", "event")
    _check_unique(page, draft.roles, "DUPLICATE_ROLE_NAME", "role")
    _check_unique(page, draft.artifacts, "DUPLICATE_ARTIFACT_TYPE", "kind")
    for event in draft.events:
        _check_reserved(page, event.part.name, event.find_path("name"))
    check_states(page, draft)


def check_states(page: Findings, draft: ProcessDraft) -> None:
    """Report states of one name, and transitions that name unknown parts."""
    _check_unique(page, draft.states, "DUPLICATE_STATE_NAME", "state")
    _check_initial_state(page, draft)
    _check_transitions(page, draft)


def _check_unique(page: Findings, placed: Iterable[PlacedPart[Any]], code: str, what: str) -> None:
    field = "type" if what == "kind" else "name"
    first: dict[str, KeyPath] = {}
    for each in placed:
        name, here = getattr(each.part, field), each.find_path(field)
        if first.setdefault(name, here) is not here:
            line = page.document.locate(first[name]).line
            hint = "rename one of them"
            hint = f"line {line} has the first; {hint}" if line else hint
            message = f"there are two {what}s named {quote_value(name)}"
            page.add_error(code, message, here, hint=hint)


def _check_reserved(page: Findings, name: str, path: KeyPath) -> None:
    if name in _GATE_EVENTS:
        page.report("NAME_RESERVED", path, name=name)


def _check_initial_state(page: Findings, draft: ProcessDraft) -> None:
    known = {state.part.name for state in draft.states}
    named = draft.header.get("initial_state")
    if named is not None and named not in known and draft.has_parts("states"):
        path = draft.find_path("initial_state")
        page.report(
            "INVALID_INITIAL_STATE", path, hint=page.suggest_nearest(named, known), named=named
        )


def _check_transitions(page: Findings, draft: ProcessDraft) -> None:
    states = {state.part.name for state in draft.states}
    events = {event.part.name for event in draft.events}
    for placed in draft.transitions:
        way = placed.part
        for end, code, field in (
            (way.source, "INVALID_TRANSITION_FROM", "from"),
            (way.to, "INVALID_TRANSITION_TO", "to"),
        ):
            if end and end not in states and draft.has_parts("states"):
                message = f"{field!r} is {quote_value(end)}, but there is no such state"
                hint = _WILDCARD_HINT if end == WILDCARD else page.suggest_nearest(end, states)
                page.add_error(code, message, placed.find_path(field), hint=hint)
        if way.is_automatic:
            # Only the gate takes it, so it needs no definition; but its name is written
            # in the log.
            if check_name(page, way.event, placed.find_path("event")):
                _check_reserved(page, way.event, placed.find_path("event"))
        elif way.event and draft.has_parts("events"):
            path = placed.find_path("event")
            check_reference(page, "INVALID_TRANSITION_EVENT", "event", way.event, events, path)
