"""When a scenario's story has ended well: `clear_condition` and `is_goal`."""

from saniwa.scenario import form, shape
from saniwa.scenario.assemble import language_of
from saniwa.scenario.code import Code
from saniwa.scenario.draft import Draft, Mention, value_of
from saniwa.scenario.integrity import LANGUAGES, unknown
from saniwa.scenario.milestone import read_milestones
from saniwa.scenario.names import Names
from saniwa.scenario.page import Page
from saniwa.scenario.shape import Fields, Held
from saniwa.world.model import Goal, Id

TYPES = {"reach_location": "location", "hold_object": "holding", "set_flag": "flag"}
"""The types of a clear condition, and the part of a goal that `target` fills."""


def read_goal(page: Page, draft: Draft, names: Names, first: str | None) -> Goal | None:
    """The goal; `first` is whose doing counts unless the author says otherwise."""
    marked = [r for r in draft.rooms.values() if value_of(r.fields, "is_goal", False)]
    held = draft.fields.get("clear_condition")
    if held is not None:
        found = shape.fields(
            page, held.value, held.path, form.CLEAR_CONDITION, "a clear condition"
        )
        return _condition(page, draft, names, found, held, first)
    if len(marked) > 1:
        page.error(
            Code.GOAL_AMBIGUOUS,
            f"{len(marked)} locations are goals and nothing says which one counts",
            marked[1].fields["is_goal"].path,
            hint="keep one 'is_goal', or write a 'clear_condition'",
        )
    if not marked:
        return None
    return Goal(location=Id(marked[0].id), actor=Id(first) if first else None)


def _condition(
    page: Page,
    draft: Draft,
    names: Names,
    found: Fields,
    held: Held,
    first: str | None,
) -> Goal | None:
    _spread_target(page, found, held)
    location, holding, actor = (found.get(n) for n in ("location", "holding", "actor"))
    if location is not None and location.value not in draft.rooms:
        mention = Mention(str(location.value), location.path)
        near = page.near_id(mention.name, draft.known_rooms())
        unknown(page, mention, "a location", near)
    thing = _thing(page, draft, names, holding)
    if actor is not None and actor.value is not None:
        if actor.value not in draft.people:
            mention = Mention(actor.value, actor.path)
            unknown(page, mention, "a character", page.near(actor.value, draft.people))
        first = actor.value
    elif actor is not None:
        first = None
    flag = str(value_of(found, "flag", ""))
    place = value_of(found, "location")
    stones = read_milestones(page, draft, names, found.get("milestones"))
    if place is None and thing is None and not flag and not stones:
        return None
    return Goal(
        location=Id(place) if place is not None else None,
        holding=Id(thing) if thing is not None else None,
        flag=flag,
        actor=Id(first) if first else None,
        message=_last_words(page, draft, found.get("message")),
        milestones=stones,
    )


def _last_words(page: Page, draft: Draft, held: Held | None) -> str:
    """What is told at the end, in the language the story is told in."""
    if held is None or isinstance(held.value, str):
        return held.value if held is not None else ""
    spoken = language_of(draft)
    language = spoken if spoken in LANGUAGES else "en"
    text = held.value.get(language)
    if text is None and set(held.value) <= set(LANGUAGES):
        page.error(
            Code.FIELD_MISSING,
            f"the story is told in {language!r}, and its last words are not",
            held.path,
            hint=f"add {language!r}, or write the text alone",
        )
    return text if isinstance(text, str) else ""


def _spread_target(page: Page, found: Fields, held: Held) -> None:
    """`target` means what `type` says it means."""
    kind = found.get("type")
    if kind is None:
        if not set(found) & {*TYPES.values(), "milestones"}:
            page.error(
                Code.FIELD_MISSING,
                "a clear condition needs 'type'",
                held.path,
                hint=f"one of {', '.join(TYPES)}; or write 'milestones'",
            )
        return
    if kind.value not in TYPES:
        page.error(
            Code.UNKNOWN_VALUE,
            f"{kind.value!r} is no type of clear condition",
            kind.path,
            hint=page.near(kind.value, TYPES) or f"one of {', '.join(TYPES)}",
        )
        return
    part = TYPES[kind.value]
    if "target" in found:
        found.setdefault(part, found["target"])
    elif part not in found:
        message = f"a clear condition of type {kind.value!r} needs 'target'"
        page.error(Code.FIELD_MISSING, message, held.path)


def _thing(page: Page, draft: Draft, names: Names, held: Held | None) -> str | None:
    if held is None:
        return None
    mention = Mention(str(held.value), held.path)
    thing = names.one(page, mention)
    if thing is None:
        unknown(page, mention, "a thing", page.near_id(mention.name, draft.known()))
        return None
    return thing.id
