"""Reads what people say: `greeting`, `topics`, `no_answer` and `refusal`.

Conditions are facts as in milestones; their references and those of gifts are resolved.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from saniwa.documents.finding_collector import Findings, Located
from saniwa.documents.record_reader import LocatedFields
from saniwa.scenario.check import add_unknown_name
from saniwa.scenario.draft import DraftNames, ScenarioDraft
from saniwa.scenario.goal_reader import read_fact
from saniwa.scenario.reader import list_mentions, read_records
from saniwa.world.model import AuthoredLine, Dialogue, Goal, Id, Topic

_SPOKEN = ("greeting", "no_answer", "refusal")


def read_dialogues(
    page: Findings, draft: ScenarioDraft, names: DraftNames, goal: Goal | None
) -> dict[str, Dialogue]:
    """Return the dialogue of every character that has one; findings for mistakes."""
    found: dict[str, Dialogue] = {}
    conditions: list[Located] = []
    for person in draft.people.values():
        if not {*_SPOKEN, "topics"} & set(person.fields):
            continue
        records = list(read_records(person.fields, "topics"))
        topics = tuple(_read_topic(page, draft, names, id, fields) for id, fields in records)
        conditions += [fields["if"] for _, fields in records if "if" in fields]
        _check_reachable(person.fields.get("topics"), topics)
        lines = {part: _read_lines(person.fields.get(part)) for part in _SPOKEN}
        found[person.id] = Dialogue(topics=topics, **lines)
    known = _list_flags(draft, found.values(), goal)
    for fact in (fact for held in conditions for fact in held.list_items()):
        # The effects of a rulebook may set any flag.
        if "rulebook" not in draft.fields:
            _check_flag(page, fact, known)
    return found


def _read_topic(
    page: Findings, draft: ScenarioDraft, names: DraftNames, id: str, fields: LocatedFields
) -> Topic:
    held = fields.get("if")
    facts = [read_fact(page, draft, names, item) for item in held.list_items()] if held else []
    return Topic(
        id=id,
        aliases=tuple(fields.get_value("aliases", ())),
        lines=_read_lines(fields.get("text")),
        when=tuple(fact for fact in facts if fact is not None),
        request=bool(fields.get_value("request", False)),
        flags=dict(fields.get_value("flags", {})),
        gives=tuple(_read_gifts(page, draft, names, fields.get("gives"))),
    )


def _read_lines(held: Located | None) -> tuple[AuthoredLine, ...]:
    if held is None:
        return ()
    lines = held.value if isinstance(held.value, list) else [held.value]
    return tuple(line for line in lines if isinstance(line, str | dict))


def _read_gifts(
    page: Findings, draft: ScenarioDraft, names: DraftNames, held: Located | None
) -> Iterator[Id]:
    for mention in list_mentions(held):
        thing = names.resolve(page, mention)
        if thing is None:
            hint = page.suggest_id(mention.name, [(t.id, t.name) for t in draft.things.values()])
            add_unknown_name(page, mention, "thing", hint)
        else:
            yield Id(thing.id)


def _check_reachable(held: Located | None, topics: Iterable[Topic]) -> None:
    """Warn of a topic that an unconditional one before it hides."""
    hiding: dict[tuple[bool, str], str] = {}
    for topic in topics:
        called = [(topic.request, name.casefold()) for name in (topic.id, *topic.aliases)]
        if held is not None and all(name in hiding for name in called):
            held.report("NAME_AMBIGUOUS/topic", topic=topic.id, other=hiding[called[0]])
        if not topic.when and not topic.gives:
            hiding |= {name: topic.id for name in called if name not in hiding}


def _list_flags(draft: ScenarioDraft, dialogues: Iterable[Dialogue], goal: Goal | None) -> set[str]:
    """List the flags that something in the scenario sets."""
    known = {*draft.fields.get_value("flags", {}), *_list_use_flags(draft)}
    known |= {m.flag for m in goal.milestones} if goal is not None else set()
    topics = [topic for dialogue in dialogues for topic in dialogue.topics]
    return known | {flag for topic in topics for flag in topic.flags}


def _check_flag(page: Findings, fact: Located, known: set[str]) -> None:
    """Warn of a condition on a flag that nothing sets."""
    flag = fact.value.get("flag") if isinstance(fact.value, dict) else None
    if isinstance(flag, str) and flag not in known:
        near = page.suggest_nearest(flag, known)
        fact.make_inner("flag", flag).report("NAME_UNKNOWN/flag", hint=near, flag=flag)


def _list_use_flags(draft: ScenarioDraft) -> Iterator[Any]:
    for thing in draft.things.values():
        use = (thing.get_fact("attributes") or {}).get("use")
        flags = use.get("flags") if isinstance(use, dict) else None
        yield from flags if isinstance(flags, dict) else ()
