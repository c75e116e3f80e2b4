"""Finds contradictions, missing files, and values that cannot be hashed.

`placement` and `doors` check references; this module checks each thing and the document
as a whole.
"""

from itertools import islice
from pathlib import Path
from typing import Any

from saniwa.core.paths import is_file
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
        held.report("FILE_OUTSIDE", what=what, file=file)
    elif not is_file(Path(scenario).parent / file):
        near = page.suggest_nearest(file, _list_neighbour_files(scenario))
        held.report("FILE_MISSING", hint=near, what=what, file=file)


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
    _check_id(draft, scenario_id)
    for thing in draft.things.values():
        _check_state(page, thing)
        _check_needs(page, draft, thing)
    _check_cast(page, draft)
    _check_language(draft)
    _check_hour(page, draft)
    _check_hashable(page)


def _check_id(draft: ScenarioDraft, scenario_id: str | None) -> None:
    held = draft.fields.get("name")
    if scenario_id is None or held is None or held.value == scenario_id:
        return
    held.report("SCENARIO_ID_MISMATCH", scenario_id=scenario_id, name=held.value)


def _check_state(page: Findings, thing: DraftProp) -> None:
    read_fact = thing.get_fact

    def locate(name: str) -> Located:
        return thing.fields.get(name) or Located(None, thing.path, page)

    if read_fact("locked") and read_fact("open"):
        locate("locked").report("LOCKED_OPEN", id=thing.id)
    if read_fact("lockable") is False and (read_fact("locked") or thing.key):
        locate("lockable").report("STATE_CONTRADICTION/lockable", id=thing.id)
    if read_fact("openable") is False and (read_fact("locked") or read_fact("open") is False):
        locate("openable").report("STATE_CONTRADICTION/openable", id=thing.id)
    if thing.kind == "door" and read_fact("takeable"):
        locate("takeable").report("STATE_CONTRADICTION/takeable", id=thing.id)
    if thing.kind == "door" and read_fact("contains") is not None:
        locate("contains").report("STATE_CONTRADICTION/contains", id=thing.id)


def _check_needs(page: Findings, draft: ScenarioDraft, thing: DraftProp) -> None:
    """Check that the thing needed to use another one exists."""
    held = thing.fields.get("attributes")
    use = held.value.get("use") if held is not None else None
    needed = use.get("needs") if isinstance(use, dict) else None
    if held is not None and isinstance(needed, str) and needed not in draft.things:
        mention = DraftMention(needed, (*held.path, "use", "needs"))
        known = [(t.id, t.name) for t in draft.things.values()]
        add_unknown_name(page, mention, "thing", page.suggest_id(needed, known))


def _check_cast(page: Findings, draft: ScenarioDraft) -> None:
    named = list_mentions(draft.fields.get("turn_order"))
    held = draft.fields.get("protagonist")
    if held is not None:
        named.append(DraftMention(held.value, held.path))
    for mention in named:
        if mention.name not in draft.people:
            known = [(p.id, p.name) for p in draft.people.values()]
            add_unknown_name(page, mention, "character", page.suggest_id(mention.name, known))
    allowed = draft.fields.get("lint_allow")
    if allowed is not None:
        _check_allowed(page, draft)


def _check_allowed(page: Findings, draft: ScenarioDraft) -> None:
    for mention in list_one_way_rooms(draft):
        if mention.name not in draft.rooms:
            near = page.suggest_id(mention.name, draft.list_locations())
            add_unknown_name(page, mention, "location", near)


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
    page.report("NAME_UNKNOWN", mention.path, hint=hint, name=mention.name, what=what)


def _check_language(draft: ScenarioDraft) -> None:
    held = draft.fields.get("language")
    if held is not None and held.value not in LANGUAGES:
        names = ", ".join(LANGUAGES)
        held.report("UNKNOWN_VALUE/language", language=held.value, names=names)


def _check_hour(page: Findings, draft: ScenarioDraft) -> None:
    held = draft.fields.get("time_of_day")
    if held is None or held.value in {*HOURS, *HOURS.values()}:
        return
    near, names = page.suggest_nearest(held.value, HOURS), ", ".join(HOURS)
    held.report("UNKNOWN_VALUE/hour", hint=near, hour=held.value, names=names)


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
                    page.report("HASH_COMPUTATION_ERROR/key", (*path, key), key_text=key)
                waiting.append((inner, (*path, key)))
        elif isinstance(value, list):
            waiting.extend((inner, (*path, i)) for i, inner in enumerate(value))
        elif isinstance(value, float):
            page.report("HASH_COMPUTATION_ERROR/fraction", path, value=value)
        elif isinstance(value, int) and abs(value) > LARGEST_NUMBER:
            page.report("HASH_COMPUTATION_ERROR/large", path)


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
