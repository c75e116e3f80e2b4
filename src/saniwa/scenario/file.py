"""The files a scenario names: there, and in the scenario's own folder.

They are not read here. The rulebook is looked at by whoever can read one.
"""

from itertools import islice
from pathlib import Path

from saniwa.core.document import FORMATS
from saniwa.core.there import is_file
from saniwa.scenario.code import Code
from saniwa.scenario.draft import Draft
from saniwa.scenario.entry import BUILT_IN
from saniwa.scenario.page import Page
from saniwa.scenario.registry import stays_inside
from saniwa.scenario.shape import Held

ALWAYS_FILES = ("script", "process")
"""The keys under which any text names a file; an agent may also be a mere name."""
_MOST_NEIGHBOURS = 1000


def check_files(page: Page, draft: Draft) -> None:
    """Note every file that is not there, and every one that is elsewhere."""
    # A document kept with a run has no folder, and must open where its files are not.
    if page.document.file in ("", BUILT_IN):
        return
    for name in ALWAYS_FILES:
        if name in draft.fields:
            _check(page, name, draft.fields[name])
    for person in draft.people.values():
        held = person.fields.get("agent")
        if held is not None and _names_file(held.value):
            _check(page, "agent", held)


def _names_file(value: object) -> bool:
    if not isinstance(value, str):
        return False
    return "/" in value or "\\" in value or Path(value).suffix.lower() in FORMATS


def _check(page: Page, what: str, held: Held) -> None:
    if not isinstance(held.value, str):
        return
    scenario, file = page.document.file, held.value
    if not stays_inside(scenario, file):
        page.error(
            Code.FILE_OUTSIDE,
            f"the {what} {file!r} is not in the scenario's own folder",
            held.path,
            hint="keep it beside the scenario, or in a folder below it",
        )
    elif not is_file(Path(scenario).parent / file):
        page.warn(
            Code.FILE_MISSING,
            f"the {what} {file!r} is no file beside the scenario",
            held.path,
            hint=page.near(file, _neighbours(scenario))
            or f"create it, or drop {what!r}",
        )


def _neighbours(scenario: str) -> list[str]:
    """Files one may have meant; none where the folder cannot be looked into."""
    try:
        found = (entry.name for entry in Path(scenario).parent.iterdir())
        return list(islice(found, _MOST_NEIGHBOURS))
    except OSError:
        return []
