"""Reads the goal of a scenario: `clear_condition`, `is_goal` and milestones."""

from typing import Literal

from saniwa.documents.finding_collector import Findings, KeyPath, Located
from saniwa.documents.record_reader import LocatedFields
from saniwa.scenario import format
from saniwa.scenario.build import detect_language
from saniwa.scenario.check import LANGUAGES, add_unknown_name
from saniwa.scenario.draft import DraftMention, DraftNames, ScenarioDraft
from saniwa.world.model import HOLDERS, EntityCondition, Fact, Goal, Id, Milestone


def read_milestones(
    page: Findings, draft: ScenarioDraft, names: DraftNames, held: Located | None
) -> tuple[Milestone, ...]:
    """Return the milestones that are well-formed; findings for the rest."""
    if held is None:
        return ()
    read = [_read_milestone(page, draft, names, item) for item in held.list_items()]
    milestones = tuple(milestone for milestone in read if milestone is not None)
    _check_flags(page, milestones, held.path)
    return milestones


def _check_flags(page: Findings, milestones: tuple[Milestone, ...], path: KeyPath) -> None:
    """Check that no flag both reaches and spoils the goal, and that one reaches it."""
    wanted = {milestone.flag for milestone in milestones if not milestone.spoils}
    for flag in sorted(wanted & {milestone.flag for milestone in milestones if milestone.spoils}):
        page.report("STATE_CONTRADICTION/flag", path, flag=flag)
    if not wanted and page.passed:
        page.report("FIELD_MISSING/milestone", path)


def _read_milestone(
    page: Findings, draft: ScenarioDraft, names: DraftNames, held: Located
) -> Milestone | None:
    found = format.MILESTONE.read(held)
    facts = found.get("facts")
    if facts is None or "flag" not in found:
        return None
    if not facts.value:
        facts.report("FIELD_MISSING/milestone_fact")
    read = [read_fact(page, draft, names, fact) for fact in facts.list_items()]
    return Milestone(
        flag=str(found.get_value("flag")),
        facts=tuple(fact for fact in read if fact is not None),
        spoils=bool(found.get_value("spoils", False)),
    )


def read_fact(
    page: Findings, draft: ScenarioDraft, names: DraftNames, held: Located
) -> Fact | None:
    """Return the fact, with its references resolved; None, with a finding, if malformed."""
    found = format.FACT.read(held)
    said = {*found, *found.malformed} & {"place", "condition", "attribute"}
    if "entity" not in found and (said or "flag" not in found):
        if isinstance(held.value, dict) and "entity" not in held.value:
            held.report("FIELD_MISSING/fact")
        return None
    if "entity" in found and not said:
        held.report("FIELD_MISSING/fact_condition")
    entity = found.get("entity")
    about = entity and _find_named(page, draft, names, entity, "thing or character")
    place = found.get("place")
    inside = _find_place(page, draft, names, place) if place is not None else None
    return Fact(
        entity=Id(about or ""),
        place=Id(inside) if inside is not None else None,
        condition=_read_condition(found),
        attribute=str(found.get_value("attribute", "")),
        flag=str(found.get_value("flag", "")),
        value=bool(found.get_value("value", True)),
    )


def _read_condition(found: LocatedFields) -> EntityCondition | Literal[""]:
    held = found.get("condition")
    if held is None:
        return ""
    if held.value == "gone" and (more := {"place", "attribute"} & {*found}):
        held.report("STATE_CONTRADICTION/gone", other=min(more))
    condition: EntityCondition = held.value
    return condition


def _find_place(
    page: Findings, draft: ScenarioDraft, names: DraftNames, held: Located
) -> str | None:
    if held.value in draft.rooms:
        return str(held.value)
    inside = _find_named(page, draft, names, held, "place, holder or character")
    thing = draft.things.get(inside) if inside is not None else None
    if thing is not None and thing.kind not in HOLDERS:
        held.report("NOT_A_HOLDER/fact", name=held.value)
    return inside


def _find_named(
    page: Findings, draft: ScenarioDraft, names: DraftNames, held: Located, what: str
) -> str | None:
    if held.value in draft.people:
        return str(held.value)
    mention = DraftMention(str(held.value), held.path)
    thing = names.resolve(page, mention)
    if thing is None:
        add_unknown_name(page, mention, what, page.suggest_id(mention.name, draft.list_all()))
    return thing.id if thing is not None else None


def read_goal(
    page: Findings, draft: ScenarioDraft, names: DraftNames, first: str | None
) -> Goal | None:
    """Read the goal; `first` is the actor that counts unless the author names another."""
    marked = [r for r in draft.rooms.values() if r.fields.get_value("is_goal", False)]
    held = draft.fields.get("clear_condition")
    if held is not None:
        found = format.CLEAR_CONDITION.read(held)
        return _build_goal(page, draft, names, found, held, first)
    if len(marked) > 1:
        marked[1].fields["is_goal"].report("GOAL_AMBIGUOUS", count=len(marked))
    if not marked:
        return None
    return Goal(location=Id(marked[0].id), actor=Id(first) if first else None)


def _build_goal(
    page: Findings,
    draft: ScenarioDraft,
    names: DraftNames,
    found: LocatedFields,
    held: Located,
    first: str | None,
) -> Goal | None:
    _resolve_target(found, held)
    location, holding, actor = (found.get(n) for n in ("location", "holding", "actor"))
    if location is not None and location.value not in draft.rooms:
        mention = DraftMention(str(location.value), location.path)
        near = page.suggest_id(mention.name, draft.list_locations())
        add_unknown_name(page, mention, "location", near)
    thing = _find_prop(page, draft, names, holding)
    if actor is not None and actor.value is not None:
        if actor.value not in draft.people:
            mention = DraftMention(actor.value, actor.path)
            add_unknown_name(
                page, mention, "character", page.suggest_nearest(actor.value, draft.people)
            )
        first = actor.value
    elif actor is not None:
        first = None
    flag = str(found.get_value("flag", ""))
    place = found.get_value("location")
    stones = read_milestones(page, draft, names, found.get("milestones"))
    if place is None and thing is None and not flag and not stones:
        return None
    return Goal(
        location=Id(place) if place is not None else None,
        holding=Id(thing) if thing is not None else None,
        flag=flag,
        actor=Id(first) if first else None,
        message=_read_closing_message(draft, found.get("message")),
        milestones=stones,
    )


def _read_closing_message(draft: ScenarioDraft, held: Located | None) -> str:
    """Return the closing message in the language of the story."""
    if held is None or isinstance(held.value, str):
        return held.value if held is not None else ""
    detected = detect_language(draft)
    language = detected if detected in LANGUAGES else "en"
    text = held.value.get(language)
    if text is None and set(held.value) <= set(LANGUAGES):
        held.report("FIELD_MISSING/closing", language=language)
    return text if isinstance(text, str) else ""


def _resolve_target(found: LocatedFields, held: Located) -> None:
    """Move `target` to the part that `type` names."""
    kind = found.get("type")
    if kind is None:
        parts = {*format.GOAL_TYPES.values(), "milestones"}
        if not parts & {*found} and "type" not in found.malformed:
            held.report("FIELD_MISSING/goal_type", names=", ".join(format.GOAL_TYPES))
        return
    part = format.GOAL_TYPES[kind.value]
    if "target" in found:
        found.setdefault(part, found["target"])
    elif part not in found:
        held.report("FIELD_MISSING/target", kind=kind.value)


def _find_prop(
    page: Findings, draft: ScenarioDraft, names: DraftNames, held: Located | None
) -> str | None:
    if held is None:
        return None
    mention = DraftMention(str(held.value), held.path)
    thing = names.resolve(page, mention)
    if thing is None:
        add_unknown_name(page, mention, "thing", page.suggest_id(mention.name, draft.list_all()))
        return None
    return thing.id
