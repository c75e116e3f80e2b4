"""From a document to a draft: keys, types and names, one mapping after the other.

References are not followed here; a draft may still name what does not exist.
"""

from typing import Any, TypeVar

from saniwa.core.quoted import quoted
from saniwa.process.authoring.draft import Draft, Placed
from saniwa.process.authoring.naming import is_plain
from saniwa.process.authoring.page import Page, Path
from saniwa.process.authoring.reading import form, parts, states
from saniwa.process.authoring.reading.guards import guards_of
from saniwa.process.authoring.reading.shape import Fields, fields, said_twice, snake

REQUIRED = ("process_id", "version", "name", "states")
"""Without these nothing is a process."""
_LARGEST = 2**63

Part = TypeVar("Part")


def draft_of(page: Page) -> Draft:
    """The draft of the document on the page; whatever is malformed is left out."""
    top = fields(page, page.document.plain, (), form.TOP, "a process")
    if top is None:
        return Draft({}, {})
    _check_numbers(page)
    header = _header(page, top)
    _check_required(page, page.document.plain, header)
    _check_id(page, header)
    draft = Draft(
        {name: held.value for name, held in header.items() if name in form.HEADER},
        header.paths,
    )
    most, roles = parts.MOST_PARTS, parts.MOST_ROLES
    draft.states = _read(page, draft, top, "states", states.state, most)
    draft.events = _read(page, draft, top, "events", parts.event, most)
    draft.transitions = _read(page, draft, top, "transitions", parts.transition, most)
    draft.artifacts = _read(page, draft, top, "artifacts", parts.artifact, most)
    draft.roles = _read(page, draft, top, "roles", parts.role, roles)
    if "guards" in top:
        draft.guards = guards_of(page, *top["guards"])
        draft.guard_names = frozenset(top["guards"].value)
    draft.unread |= top.malformed
    draft.partial |= top.malformed
    return draft


def _read(
    page: Page,
    draft: Draft,
    top: Fields,
    name: str,
    read: parts.Reader[Part],
    most: int,
) -> list[Placed[Part]]:
    held = top.get(name)
    if held is None:
        return []
    found = parts.parts_of(page, held.value, held.path, read, most)
    if found is None:
        draft.unread.add(name)
    if found is None or len(found) < len(held.value):
        draft.partial.add(name)
    return found or []


def _header(page: Page, top: Fields) -> Fields:
    """What is said of the whole, at the top and under `process`."""
    merged = Fields(top)
    held = top.get("process")
    if held is None:
        return merged
    inner = fields(page, held.value, held.path, form.HEADER, "'process'") or Fields()
    for name, each in inner.items():
        if name in top:
            first = str(top[name].path[-1])
            said_twice(page, each.path, str(each.path[-1]), first)
        merged.setdefault(name, each)
    return merged


def _check_required(page: Page, plain: dict[str, Any], header: Fields) -> None:
    given = _keys(plain) | _keys(plain.get("process"))
    for name in REQUIRED:
        if name not in given:
            page.error(
                "FIELD_MISSING", f"a process needs {name!r}", (), hint=f"add {name!r}"
            )
        elif name == "states" and header.said("states") == []:
            page.error(
                "FIELD_MISSING",
                "a process needs at least one state",
                header["states"].path,
            )


def _check_id(page: Page, header: Fields) -> None:
    held = header.get("process_id")
    if held is not None and not is_plain(held.value):
        page.error(
            "NAME_UNUSABLE",
            f"{quoted(held.value)} cannot be the name of a file",
            held.path,
            hint="a process is found by its file's name: letters, digits, '_' and '-'",
        )


def _keys(value: Any) -> set[str]:
    if not isinstance(value, dict):
        return set()
    said = {snake(key) for key, inner in value.items() if inner is not None}
    return said | {form.SPELLINGS[key] for key in said if key in form.SPELLINGS}


def _check_numbers(page: Page) -> None:
    """A definition is hashed as JSON, where whole numbers have 64 bits."""
    waiting: list[tuple[Any, Path]] = [(page.document.plain, ())]
    while waiting:
        here, path = waiting.pop()
        if isinstance(here, dict):
            waiting.extend((inner, (*path, key)) for key, inner in here.items())
        elif isinstance(here, list):
            waiting.extend((inner, (*path, nth)) for nth, inner in enumerate(here))
        elif isinstance(here, int) and not -_LARGEST <= here < _LARGEST:
            page.error(
                "NUMBER_TOO_LARGE",
                f"{quoted(here)} does not fit into 64 bits",
                path,
                hint="write it as text",
            )
