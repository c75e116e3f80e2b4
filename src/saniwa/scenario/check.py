"""Finds contradictions, missing files, and values that cannot be hashed.

`placement` and `doors` check references; this module checks each thing and the document
as a whole.
"""

from itertools import islice
from pathlib import Path
from typing import Any

from saniwa.core.path_checks import is_file
from saniwa.documents.document import FORMATS
from saniwa.documents.finding_collector import Findings, KeyPath, Located
from saniwa.scenario.draft import DraftMention, DraftProp, ScenarioDraft
from saniwa.scenario.format import HOURS
from saniwa.scenario.reader import list_mentions
from saniwa.scenario.registry import BUILT_IN, is_inside_folder

ALWAYS_FILES = ("script", "process")
"""The keys whose text always names a file; an agent may also be a plain name."""
_MOST_NEIGHBOURS = 1000


def check_files(page: Findings, draft: ScenarioDraft) -> None:
    """Add a finding for every file that is missing or outside the scenario's folder."""
    # A document stored with a run has no folder, and must open where its files are not.
    if page.document.file in ("", BUILT_IN):
        return
    for name in ALWAYS_FILES:
        if name in draft.fields:
            _check_file(page, name, draft.fields[name])
    for person in draft.people.values():
        held = person.fields.get("agent")
        if held is not None and _is_file_name(held.value):
            _check_file(page, "agent", held)


def _is_file_name(value: object) -> bool:
    if not isinstance(value, str):
        return False
    return "/" in value or "\\" in value or Path(value).suffix.lower() in FORMATS


def _check_file(page: Findings, what: str, held: Located) -> None:
    if not isinstance(held.value, str):
        return
    scenario, file = page.document.file, held.value
    if not is_inside_folder(scenario, file):
        page.add_error(
            "FILE_OUTSIDE",
            f"the {what} {file!r} is not in the scenario's folder",
            held.path,
            hint="move it into the scenario's folder",
        )
    elif not is_file(Path(scenario).parent / file):
        page.add_warning(
            "FILE_MISSING",
            f"the {what} {file!r} is not a file next to the scenario",
            held.path,
            hint=page.suggest_nearest(file, _list_neighbour_files(scenario))
            or f"create it, or remove {what!r}",
        )


def _list_neighbour_files(scenario: str) -> list[str]:
    """List files the author may have meant; empty if the folder cannot be read."""
    try:
        found = (entry.name for entry in Path(scenario).parent.iterdir())
        return list(islice(found, _MOST_NEIGHBOURS))
    except OSError:
        return []


LARGEST_NUMBER = 2**53
"""Beyond it, a number has no single text in JSON."""
LANGUAGES = ("en", "ja")
"""The languages a story can be narrated in."""


def check_integrity(page: Findings, draft: ScenarioDraft, scenario_id: str | None) -> None:
    """Add a finding for every contradiction; `scenario_id` is the id in the registry."""
    _check_id(page, draft, scenario_id)
    for thing in draft.things.values():
        _check_state(page, thing)
        _check_needs(page, draft, thing)
    _check_cast(page, draft)
    _check_language(page, draft)
    _check_hour(page, draft)
    _check_hashable(page)


def _check_id(page: Findings, draft: ScenarioDraft, scenario_id: str | None) -> None:
    held = draft.fields.get("name")
    if scenario_id is None or held is None or held.value == scenario_id:
        return
    page.add_error(
        "SCENARIO_ID_MISMATCH",
        f"The registry's id {scenario_id!r} is not the name {held.value!r}",
        held.path,
        hint=f"write name: {scenario_id}, or change the id in the registry",
        details={"scenario_id": scenario_id, "name": held.value},
    )


def _check_state(page: Findings, thing: DraftProp) -> None:
    read_fact = thing.get_fact
    if read_fact("locked") and read_fact("open"):
        _add_contradiction(page, thing, "locked", "is locked and open", "LOCKED_OPEN")
    if read_fact("lockable") is False and (read_fact("locked") or thing.key):
        _add_contradiction(page, thing, "lockable", "has a lock and is not lockable")
    if read_fact("openable") is False and (read_fact("locked") or read_fact("open") is False):
        _add_contradiction(page, thing, "openable", "is closed and cannot be opened")
    if thing.kind == "door" and read_fact("takeable"):
        _add_contradiction(page, thing, "takeable", "is a door and cannot be taken")
    if thing.kind == "door" and thing.get_fact("contains") is not None:
        _add_contradiction(page, thing, "contains", "is a door and cannot hold things")


def _check_needs(page: Findings, draft: ScenarioDraft, thing: DraftProp) -> None:
    """Check that the thing needed to use another one exists."""
    held = thing.fields.get("attributes")
    use = held.value.get("use") if held is not None else None
    needed = use.get("needs") if isinstance(use, dict) else None
    if held is not None and isinstance(needed, str) and needed not in draft.things:
        mention = DraftMention(needed, (*held.path, "use", "needs"))
        known = [(t.id, t.name) for t in draft.things.values()]
        add_unknown_name(page, mention, "a thing", page.suggest_id(needed, known))


def _add_contradiction(
    page: Findings, thing: DraftProp, field: str, what: str, code: str = "STATE_CONTRADICTION"
) -> None:
    held = thing.fields.get(field)
    path = held.path if held is not None else thing.path
    page.add_error(code, f"{thing.id!r} {what}", path, hint="remove one of them")


def _check_cast(page: Findings, draft: ScenarioDraft) -> None:
    named = list_mentions(draft.fields.get("turn_order"))
    held = draft.fields.get("protagonist")
    if held is not None:
        named.append(DraftMention(held.value, held.path))
    for mention in named:
        if mention.name not in draft.people:
            known = [(p.id, p.name) for p in draft.people.values()]
            add_unknown_name(page, mention, "a character", page.suggest_id(mention.name, known))
    allowed = draft.fields.get("lint_allow")
    if allowed is not None:
        _check_allowed(page, draft)


def _check_allowed(page: Findings, draft: ScenarioDraft) -> None:
    for mention in list_one_way_rooms(draft):
        if mention.name not in draft.rooms:
            near = page.suggest_id(mention.name, draft.list_locations())
            add_unknown_name(page, mention, "a location", near)


def list_one_way_rooms(draft: ScenarioDraft) -> list[DraftMention]:
    """List the rooms whose exits need no exit back."""
    held = draft.fields.get("lint_allow")
    if held is None:
        return []
    for key, names in held.value.items():
        if key in ("unidirectional_exits", "unidirectionalExits"):
            items = names if isinstance(names, list) else []
            return [
                DraftMention(name, (*held.path, key, index))
                for index, name in enumerate(items)
                if isinstance(name, str)
            ]
    return []


def add_unknown_name(page: Findings, mention: DraftMention, what: str, hint: str) -> None:
    """Add a finding for a name that nothing has."""
    message = f"{mention.name!r} is the id of no {what.removeprefix('a ')}"
    hint = hint or "use the id of an existing one, or add one with this id"
    page.add_error("NAME_UNKNOWN", message, mention.path, hint=hint)


def _check_language(page: Findings, draft: ScenarioDraft) -> None:
    language = draft.fields.get_value("language")
    if language is not None and language not in LANGUAGES:
        page.add_warning(
            "UNKNOWN_VALUE",
            f"the language {language!r} is not supported; English is used",
            draft.fields["language"].path,
            hint=f"one of {', '.join(LANGUAGES)}",
        )


def _check_hour(page: Findings, draft: ScenarioDraft) -> None:
    held = draft.fields.get("time_of_day")
    if held is None or held.value in {*HOURS, *HOURS.values()}:
        return
    page.add_warning(
        "UNKNOWN_VALUE",
        f"{held.value!r} is not a known time of day; it is shown as written",
        held.path,
        hint=page.suggest_nearest(held.value, HOURS) or f"one of {', '.join(HOURS)}",
    )


def _check_hashable(page: Findings) -> None:
    """Find what `encode_canonical_json` would reject, with its place."""
    if _is_hashable(page.document.plain):
        return
    waiting: list[tuple[Any, KeyPath]] = [(page.document.plain, ())]
    while waiting:
        value, path = waiting.pop()
        if isinstance(value, dict):
            for key, inner in value.items():
                if not key.isascii() and any(ord(letter) > 0xFFFF for letter in key):
                    _add_hash_error(
                        page, f"the key {key!r} has characters outside the BMP", (*path, key)
                    )
                waiting.append((inner, (*path, key)))
        elif isinstance(value, list):
            waiting.extend((inner, (*path, i)) for i, inner in enumerate(value))
        elif isinstance(value, float):
            _add_hash_error(page, f"{value!r} is a fraction, which has no single text", path)
        elif isinstance(value, int) and abs(value) > LARGEST_NUMBER:
            _add_hash_error(page, "the number is beyond ±2^53", path)


def _is_hashable(document: Any) -> bool:
    """Whether there is nothing to find; fast, because it keeps no paths."""
    waiting = [document]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            if any(not key.isascii() and max(key) > "\uffff" for key in value):
                return False
            waiting.extend(v for v in value.values() if not isinstance(v, str))
        elif isinstance(value, list):
            waiting.extend(v for v in value if not isinstance(v, str))
        elif isinstance(value, int | float) and not _is_safe_number(value):
            return False
    return True


def _is_safe_number(number: float) -> bool:
    return isinstance(number, int) and abs(number) <= LARGEST_NUMBER


def _add_hash_error(page: Findings, why: str, path: KeyPath) -> None:
    page.add_error(
        "HASH_COMPUTATION_ERROR",
        f"cannot compute a hash: {why}",
        path,
        hint="use text, whole numbers within ±2^53, true, false, null",
    )
