"""Which scenarios a plan names: ids, files, or a tag that several have."""

from pathlib import PurePath
from typing import Final

from saniwa.core.document import FORMATS
from saniwa.core.paper.held import Held
from saniwa.core.quoted import quoted
from saniwa.core.where import Where

TAG: Final = "tag:"
"""What a tag begins with, where a scenario is named."""


def scenarios_of(held: Held) -> dict[str, Where]:
    """The scenarios as named, in order, each with its place; findings for the rest."""
    listed = held.value if isinstance(held.value, list) else [held.value]
    if not listed:
        held.error("WRONG_TYPE", "'scenarios' names none", hint="name one: 'default'")
    found = dict[str, Where]()
    for nth, name in enumerate(listed):
        item = held.inner(nth, name) if isinstance(held.value, list) else held
        if not isinstance(name, str) or not name or not name.isprintable():
            item.error(
                "WRONG_TYPE", f"a scenario is an id or a file, not {quoted(name)}"
            )
        elif "," in name:
            # The trap of an older runner: ids are words of their own, not one list.
            ids = [each.strip() for each in name.split(",") if each.strip()]
            message = f"{quoted(name)} is no scenario: ids stand apart, without commas"
            item.error("NAME_UNUSABLE", message, hint=f"write: {' '.join(ids)}")
        elif name in found:
            message = f"the scenario {quoted(name)} stands here a second time"
            item.error("DUPLICATE_KEY", message, hint="keep one of the two")
        else:
            found[name] = item.page.document.where(item.path)
    return found


def id_of(name: str) -> str:
    """What an experiment on one scenario may be called."""
    path = PurePath(name)
    known = path.stem if path.suffix.lower() in FORMATS else name
    return known.removeprefix(TAG)
