"""Names that look like a decision or a person's role, and are neither.

`Approve`, `ａｐｐｒｏｖｅ` and an `approve` with a Cyrillic letter in it would read in the log
like a person's word, and any agent could send them.
"""

from saniwa.process.authoring.draft import Draft
from saniwa.process.authoring.lint.letters import shape_of
from saniwa.process.authoring.page import Page, Path
from saniwa.process.definition import DECISIONS, PEOPLE


def look(page: Page, draft: Draft) -> None:
    """Note events that look like a decision, and roles that look like a person's."""
    decisions = {shape_of(name): name for name in sorted(DECISIONS)}
    people = {shape_of(name): name for name in sorted(PEOPLE)}
    for event in draft.events:
        _told(page, event.part.name, event.at("name"), decisions, "a decision")
    for way in draft.transitions:
        if way.part.after:
            _told(page, way.part.event, way.at("event"), decisions, "a decision")
    for role in draft.roles:
        _told(page, role.part.name, role.at("name"), people, "a person's role")


def _told(page: Page, name: str, path: Path, known: dict[str, str], what: str) -> None:
    meant = known.get(shape_of(name))
    if meant is not None and meant != name:
        page.error(
            "NAME_MISLEADING",
            f"{name!a} looks like {what}, {meant!r}, and is none",
            path,
            hint=f"write {meant!r} if you mean it, else choose another name",
        )
