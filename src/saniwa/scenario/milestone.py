"""The milestones of a clear condition: what must once have been so, or never."""

from typing import Literal

from saniwa.scenario import form, shape
from saniwa.scenario.code import Code
from saniwa.scenario.draft import Draft, Mention, value_of
from saniwa.scenario.integrity import unknown
from saniwa.scenario.names import Names
from saniwa.scenario.page import Page, Path
from saniwa.scenario.shape import Fields, Held
from saniwa.world.model import CONDITIONS, HOLDERS, Condition, Fact, Id, Milestone


def read_milestones(
    page: Page, draft: Draft, names: Names, held: Held | None
) -> tuple[Milestone, ...]:
    """The milestones that are well-formed; findings for the rest."""
    if held is None:
        return ()
    read = [
        _milestone(page, draft, names, value, (*held.path, index))
        for index, value in enumerate(held.value)
    ]
    stones = tuple(stone for stone in read if stone is not None)
    _check_flags(page, stones, held.path)
    return stones


def _check_flags(page: Page, stones: tuple[Milestone, ...], path: Path) -> None:
    """A flag leads to the goal or away from it, and something must lead there."""
    wanted = {stone.flag for stone in stones if not stone.spoils}
    for flag in sorted(wanted & {stone.flag for stone in stones if stone.spoils}):
        message = (
            f"the flag {flag!r} of a milestone both leads to the goal and spoils it"
        )
        page.error(Code.STATE_CONTRADICTION, message, path, hint="use two flags")
    if not wanted and page.passed:
        page.error(
            Code.FIELD_MISSING,
            "no milestone leads to the goal",
            path,
            hint="add one without 'spoils'",
        )


def _milestone(
    page: Page, draft: Draft, names: Names, value: object, path: Path
) -> Milestone | None:
    found = shape.fields(page, value, path, form.MILESTONE, "a milestone")
    facts = found.get("facts")
    if not _whole(page, found, ("flag", "facts"), path, "a milestone"):
        return None
    assert facts is not None
    if not facts.value:
        page.error(Code.FIELD_MISSING, "a milestone needs a fact", facts.path)
    read = [
        _fact(page, draft, names, fact, (*facts.path, index))
        for index, fact in enumerate(facts.value)
    ]
    return Milestone(
        flag=str(value_of(found, "flag")),
        facts=tuple(fact for fact in read if fact is not None),
        spoils=bool(value_of(found, "spoils", False)),
    )


def _fact(
    page: Page, draft: Draft, names: Names, value: object, path: Path
) -> Fact | None:
    found = shape.fields(page, value, path, form.FACT, "a fact")
    if not _whole(page, found, ("entity",), path, "a fact"):
        return None
    if not set(found) & {"place", "condition", "attribute"}:
        hint = "add 'place', 'condition' or 'attribute'"
        page.error(Code.FIELD_MISSING, "a fact says nothing", path, hint=hint)
    about = _named(page, draft, names, found["entity"], "a thing or character")
    place = found.get("place")
    inside = _place(page, draft, names, place) if place is not None else None
    return Fact(
        entity=Id(about or ""),
        place=Id(inside) if inside is not None else None,
        condition=_condition(page, found),
        attribute=str(value_of(found, "attribute", "")),
    )


def _whole(
    page: Page, found: Fields, needed: tuple[str, ...], path: Path, owner: str
) -> bool:
    missing = [name for name in needed if name not in found]
    for name in missing:
        page.error(Code.FIELD_MISSING, f"{owner} needs {name!r}", path)
    return not missing


def _condition(page: Page, found: Fields) -> Condition | Literal[""]:
    held = found.get("condition")
    if held is None:
        return ""
    if held.value not in CONDITIONS:
        page.error(
            Code.UNKNOWN_VALUE,
            f"{held.value!r} is no condition of a fact",
            held.path,
            hint=page.near(held.value, CONDITIONS) or f"one of {', '.join(CONDITIONS)}",
        )
    elif held.value == "gone" and (more := {"place", "attribute"} & {*found}):
        message = "what is gone is in no place, and nothing else is so of it"
        hint = f"drop {min(more)!r}"
        page.error(Code.STATE_CONTRADICTION, message, held.path, hint=hint)
    stands: Condition = held.value
    return stands


def _place(page: Page, draft: Draft, names: Names, held: Held) -> str | None:
    if held.value in draft.rooms:
        return str(held.value)
    inside = _named(page, draft, names, held, "a place, holder or character")
    thing = draft.things.get(inside) if inside is not None else None
    if thing is not None and thing.kind not in HOLDERS:
        message = f"{held.value!r} is no container or supporter and can hold nothing"
        page.error(Code.NOT_A_HOLDER, message, held.path)
    return inside


def _named(page: Page, draft: Draft, names: Names, held: Held, what: str) -> str | None:
    if held.value in draft.people:
        return str(held.value)
    mention = Mention(str(held.value), held.path)
    thing = names.one(page, mention)
    if thing is None:
        unknown(page, mention, what, page.near_id(mention.name, draft.known()))
    return thing.id if thing is not None else None
