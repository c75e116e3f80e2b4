"""The keys of a scenario and a registry, each with the kind of its value.

References are resolved later, in `placement`. `docs/reference/scenario-format.md`
explains every key.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any

from saniwa.documents.finding_collector import Findings, KeyPath, Located
from saniwa.documents.record_reader import (
    ANYTHING,
    FLAG,
    LIST,
    MAPPING,
    LocatedFields,
    Notation,
    RecordForm,
    ValueKind,
    add_type_error,
    make_listed,
    make_named,
    make_record,
    suggest_flag,
    to_snake,
)
from saniwa.world.model import ENTITY_CONDITIONS, KINDS
from saniwa.world.well_formedness_laws import (
    LONGEST_NAME,
    LONGEST_TEXT,
    find_invisible_in_name,
    find_invisible_in_text,
)

HOURS = {"morning": "朝", "afternoon": "昼", "evening": "夕方", "night": "夜"}
"""The times of day, and the published label of each."""
SPELLINGS = {"connected_to": "exits", "location_id": "location"}
"""Other spellings of a key, as other systems write them."""
KEY_GUESSES: Mapping[str, tuple[str, ...]] = {
    "actors": ("characters",),
    "appearance": ("description",),
    "carries": ("holding",),
    "carrying": ("holding",),
    "connections": ("exits", "connects"),
    "contains": ("props",),
    "contents": ("contains", "props"),
    "default": ("no_answer",),
    "desc": ("description",),
    "dialog": ("topics",),
    "dialogue": ("topics",),
    "doors": ("locked_exits", "exits"),
    "eatable": ("edible",),
    "end": ("clear_condition",),
    "ending": ("clear_condition",),
    "food": ("edible",),
    "fallback": ("no_answer",),
    "give": ("gives",),
    "goal": ("clear_condition", "is_goal", "goals"),
    "greet": ("greeting",),
    "greetings": ("greeting",),
    "has": ("holding", "contains", "props"),
    "in": ("location",),
    "intro": ("gm_opening_message",),
    "introduction": ("gm_opening_message",),
    "inventory": ("holding", "contains"),
    "is_locked": ("locked",),
    "is_open": ("open",),
    "items": ("props", "contains", "holding"),
    "key": ("required_key",),
    "lines": ("text",),
    "names": ("aliases",),
    "npcs": ("characters",),
    "objects": ("props", "contains"),
    "opening": ("gm_opening_message",),
    "opening_message": ("gm_opening_message",),
    "people": ("characters",),
    "place": ("location",),
    "places": ("locations",),
    "player": ("protagonist",),
    "portable": ("takeable",),
    "position": ("location",),
    "requires": ("required_key", "needs"),
    "room": ("location",),
    "rooms": ("locations",),
    "start": ("gm_opening_message",),
    "says": ("text", "greeting"),
    "set": ("flags",),
    "subjects": ("topics",),
    "synonyms": ("aliases",),
    "talk": ("topics", "greeting"),
    "text": ("message", "description"),
    "things": ("props", "contains"),
    "type": ("kind",),
    "unlocked_by": ("required_key",),
    "when": ("if",),
    "win": ("clear_condition",),
    "win_condition": ("clear_condition",),
}
"""Keys that authors try; the first meaning that the mapping knows is suggested."""

NOTATION = Notation(to_snake, SPELLINGS, KEY_GUESSES, counts_typos=True)
"""How keys are spelled in a scenario."""


def is_good_name(name: str) -> bool:
    """Whether the text can be a name."""
    return (
        0 < len(name) <= LONGEST_NAME and name == name.strip() and not find_invisible_in_name(name)
    )


def check_name(page: Findings, name: str, path: KeyPath, *, key: bool = False) -> bool:
    """Whether the text can be a name; a finding if not."""
    if is_good_name(name):
        return True
    if len(name) > LONGEST_NAME:
        why = f"has {len(name)} characters, more than {LONGEST_NAME}"
    elif not name.strip():
        why = "is empty"
    elif name != name.strip():
        why = "begins or ends with a space"
    else:
        why = f"has the control character U+{ord(find_invisible_in_name(name)):04X}"
    page.add_error("NAME_UNUSABLE", f"the name {name[:40]!r} {why}", path, key=key)
    return False


def _check_name_value(held: Located) -> bool:
    check_name(held.page, held.value, held.path)
    return True


def _is_good_text(text: str) -> bool:
    return len(text) <= LONGEST_TEXT and not find_invisible_in_text(text)


def _check_text(held: Located) -> bool:
    letter = find_invisible_in_text(held.value)
    if letter or len(held.value) > LONGEST_TEXT:
        why = f"{len(held.value)} characters are more than {LONGEST_TEXT}"
        if letter:
            why = f"it has the control character U+{ord(letter):04X}"
        held.add_error("TEXT_UNUSABLE", f"the text cannot be shown: {why}")
    return True


def _suggest_quotes(held: Located) -> str:
    return "put it in quotes" if isinstance(held.value, int | float) else ""


def _suggest_list(held: Located) -> str:
    return f"write [{held.value[:40]}]" if isinstance(held.value, str) else ""


def _suggest_flags(held: Located) -> str:
    first = held.value[0] if isinstance(held.value, list) and held.value else held.value
    name = first[:40] if isinstance(first, str) and first else "lamp_lit"
    return f"write {{{name}: true}}"


def _make_quick_check(is_good: Callable[[str], bool]) -> Callable[[Any], bool]:
    def check_items(value: Any) -> bool:
        if not isinstance(value, list):
            return False
        for item in value:  # noqa: SIM110 - faster than `all`
            if not isinstance(item, str) or not is_good(item):
                return False
        return True

    return check_items


def _make_item_check(check: Callable[[Located], bool]) -> Callable[[Located], bool]:
    def check_items(held: Located) -> bool:
        single = isinstance(held.value, str)
        for item in [held.make_inner(0, held.value)] if single else held.list_items():
            if isinstance(item.value, str):
                check(item)
            else:
                add_type_error(item, "an item", "text", hint=_suggest_quotes(item))
        return True

    return check_items


def _make_entry_check(kind: type, wanted: str, hint: Callable[[Located], str]) -> Any:
    """Return the check of a mapping from names to values of one type."""

    def check_entries(held: Located) -> bool:
        for item in held.list_items():
            name = str(item.path[-1])
            check_name(held.page, name, item.path, key=True)
            if not isinstance(item.value, kind):
                add_type_error(item, repr(name), wanted, hint=hint(item))
        return True

    return check_entries


def _check_attributes(held: Located) -> bool:
    if held.value.get("use") is not None:
        USE.read(held.make_inner("use", held.value["use"]))
    return True


def _check_narration(held: Located) -> bool:
    if isinstance(held.value, dict):
        TELLING.read(held)
        return True
    return _check_text(held)


def _check_lines(held: Located) -> bool:
    """Check the lines that a character says one after the other."""
    lines = held.list_items() if isinstance(held.value, list) else [held]
    if not lines or any(line.value in ("", {}) for line in lines):
        held.add_error("FIELD_MISSING", "a line has no text", hint="write the character's words")
    for line in lines:
        if isinstance(line.value, str | dict):
            _check_narration(line)
        else:
            add_type_error(line, "a line", _TELLING.wanted, hint=_suggest_quotes(line))
    return True


def _make_type_check(*kinds: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, kinds)


_STRING = {"type": "string"}
_NAME_SCHEMA = {"type": "string", "minLength": 1, "maxLength": LONGEST_NAME}
TEXT = ValueKind(
    wanted="text",
    fits=_make_type_check(str),
    schema=_STRING,
    hint=_suggest_quotes,
    inside=_check_text,
    is_good=lambda value: isinstance(value, str) and _is_good_text(value),
)
NAME = replace(
    TEXT,
    wanted="a name",
    schema=_NAME_SCHEMA,
    inside=_check_name_value,
    is_good=lambda value: isinstance(value, str) and is_good_name(value),
)
TEXTS = ValueKind(
    wanted="a list of strings",
    fits=_make_type_check(list),
    schema={"type": "array", "items": _STRING},
    hint=_suggest_list,
    inside=_make_item_check(_check_text),
    is_good=_make_quick_check(_is_good_text),
)
NAMES = replace(
    TEXTS,
    wanted="a list of names",
    schema={"type": "array", "items": _NAME_SCHEMA},
    inside=_make_item_check(_check_name_value),
    is_good=_make_quick_check(is_good_name),
)
LISTED = replace(LIST, hint=_suggest_list)
SWITCH = replace(FLAG, hint=suggest_flag)
_WORDS = ValueKind(
    wanted="text or a list of strings",
    fits=_make_type_check(str, list),
    schema={"anyOf": [_STRING, TEXTS.schema]},
    inside=TEXTS.inside,
)
_FLAGS = ValueKind(
    wanted="a mapping from names to true or false",
    fits=_make_type_check(dict),
    schema={"type": "object", "additionalProperties": {"type": "boolean"}},
    hint=_suggest_flags,
    inside=_make_entry_check(bool, "true or false", suggest_flag),
)
_ALIASES = ValueKind(
    wanted="a mapping from names to names",
    fits=_make_type_check(dict),
    schema={"type": "object", "additionalProperties": _STRING},
    inside=_make_entry_check(str, "a name", _suggest_quotes),
)
_PART = ValueKind(
    wanted="a name, a file or a mapping",
    fits=_make_type_check(str, dict),
    schema={"type": ["string", "object"]},
)


def _choose(*words: str) -> ValueKind:
    """Return the kind of a name that must be one of a few."""
    return replace(NAME, schema={"enum": [*words]}, choices=words)


def _suggest(*words: str) -> ValueKind:
    """Return the kind of a name of which some are known, and others allowed."""
    return replace(NAME, schema={**_NAME_SCHEMA, "examples": [*words]})


def _make_form(
    owner: str, fields: Mapping[str, ValueKind], required: Collection[str] = (), key_hint: str = ""
) -> RecordForm:
    return RecordForm(owner, fields, required=required, notation=NOTATION, key_hint=key_hint)


def _make_records(form: RecordForm) -> ValueKind:
    """Return the kind of several records by id, or in a list with ids."""
    records = [
        {"type": "object", "additionalProperties": {"anyOf": [form, {"type": "null"}]}},
        {"type": "array", "items": form},
    ]
    return ValueKind(
        wanted="a mapping, or a list of mappings with an id",
        fits=_make_type_check(dict, list),
        schema={"anyOf": records},
        form=form,
    )


TELLING: RecordForm = _make_form("a text for each language", {"en ja": TEXT})
_TELLING = ValueKind(
    wanted="text, or a text for each language",
    fits=_make_type_check(str, dict),
    schema={"anyOf": [_STRING, TELLING]},
    inside=_check_narration,
)
_LINES = ValueKind(
    wanted="text, a text for each language, or a list of them",
    fits=_make_type_check(str, dict, list),
    schema={
        "anyOf": [
            *_TELLING.schema["anyOf"],
            {"type": "array", "minItems": 1, "items": _TELLING.schema},
        ]
    },
    inside=_check_lines,
)
USE: RecordForm = _make_form(
    "'use'", {"needs": NAME, "state": TEXTS, "flags": _FLAGS, "message": _TELLING}
)
_ATTRIBUTES = replace(
    MAPPING, schema={"type": "object", "properties": {"use": USE}}, inside=_check_attributes
)
EXIT: RecordForm = _make_form("an exit", {"to door label": NAME}, ("to",))
_EXIT = {"anyOf": [_NAME_SCHEMA, EXIT]}
_EXITS = ValueKind(
    wanted="a list of places, or a mapping to places",
    fits=_make_type_check(dict, list),
    schema={
        "anyOf": [
            {"type": "array", "items": _EXIT},
            {"type": "object", "additionalProperties": _EXIT},
        ]
    },
    hint=_suggest_list,
)
LOCKED_EXIT: RecordForm = _make_form(
    "an entry of 'locked_exits'",
    {
        "door_name required_key": NAME,
        "locked open": SWITCH,
        "description hint_on_locked": TEXT,
        "aliases": NAMES,
        "suggestions": TEXTS,
    },
)
RED_HERRING: RecordForm = _make_form("an entry of 'red_herrings'", {"description hint": TEXT})
LOCATION: RecordForm = _make_form(
    "a location",
    {
        "id name": NAME,
        "description": TEXT,
        "aliases props hidden_objects": NAMES,
        "is_goal": SWITCH,
        "exits": _EXITS,
        "containers": make_named({"anyOf": [NAMES.schema, {"type": "null"}]}),
        "locked_exits": make_named({"anyOf": [LOCKED_EXIT, {"type": "null"}]}),
        "red_herrings": make_named({"anyOf": [RED_HERRING, {"type": "null"}]}),
    },
)
PROP_KINDS = tuple(kind for kind in KINDS if kind != "character")
"""The kinds of things; `reader` checks them, since people are no things."""
PROP: RecordForm = _make_form(
    "a prop",
    {
        "id name required_key leads_to": NAME,
        "kind": replace(_choose(*PROP_KINDS), choices=()),
        "location": replace(NAME, is_nullable=True),
        "description hint": TEXT,
        "aliases connects contains": NAMES,
        "takeable openable open lockable locked edible hidden is_container": SWITCH,
        "state": _WORDS,
        "attributes": _ATTRIBUTES,
    },
)
FACT: RecordForm = _make_form(
    "a fact",
    {
        "entity place attribute flag": NAME,
        "condition": _choose(*ENTITY_CONDITIONS),
        "value": SWITCH,
    },
    key_hint="its keys are entity, place, condition, attribute, flag and value; "
    "“the reader holds the card” is {entity: card, place: reader}",
)
TOPIC: RecordForm = _make_form(
    "a topic",
    {
        "id": NAME,
        "aliases gives": NAMES,
        "text": _LINES,
        "if": make_listed(FACT, LISTED),
        "request": SWITCH,
        "flags": _FLAGS,
    },
    {"text": "write the character's words under 'text'"},
)
CHARACTER: RecordForm = _make_form(
    "a character",
    {
        "id name": NAME,
        "location": replace(NAME, is_nullable=True),
        "holding aliases": NAMES,
        "status": _WORDS,
        "description": TEXT,
        "goals": TEXTS,
        "greeting no_answer refusal": _LINES,
        "topics": _make_records(TOPIC),
        "agent": _PART,
        "attributes": _ATTRIBUTES,
    },
)
MILESTONE: RecordForm = _make_form(
    "a milestone",
    {"flag": NAME, "facts": make_listed(FACT, LISTED), "spoils": SWITCH},
    ("flag", "facts"),
)
GOAL_TYPES = {"reach_location": "location", "hold_object": "holding", "set_flag": "flag"}
"""The types of a clear condition, and the part of a goal that `target` fills."""
CLEAR_CONDITION: RecordForm = _make_form(
    "a clear condition",
    {
        "type": _choose(*GOAL_TYPES),
        "target holding flag": NAME,
        "actor location": replace(NAME, is_nullable=True),
        "message": _TELLING,
        "milestones": make_listed(MILESTONE, LISTED),
    },
)
LINT_ALLOW: RecordForm = _make_form("'lint_allow'", {"unidirectional_exits": NAMES})
SCENARIO: RecordForm = _make_form(
    "a scenario",
    {
        "name protagonist": NAME,
        "title description notes author gm_opening_message": TEXT,
        "language": replace(TEXT, schema={**_STRING, "examples": ["en", "ja"]}),
        "time_of_day": _suggest(*HOURS),
        "locations": _make_records(LOCATION),
        "characters": _make_records(CHARACTER),
        "props": _make_records(PROP),
        "prop_aliases": _ALIASES,
        "clear_condition": make_record(CLEAR_CONDITION),
        "preflight_messages": ANYTHING,
        "lint_allow": make_record(LINT_ALLOW),
        "rulebook script process": _PART,
        "turn_order": NAMES,
        "flags": _FLAGS,
    },
    {name: f"add {name!r} at the top level" for name in ("locations", "characters")},
)
ENTRY: RecordForm = _make_form(
    "a registry entry",
    {
        "scenario_id": NAME,
        "path": replace(NAME, is_nullable=True),
        "tags": NAMES,
        "recommended_profile": _choose("dev", "gate", "full"),
        "description": TEXT,
    },
    {"scenario_id": "", "path": "null is for the built-in scenario"},
)
REGISTRY: RecordForm = _make_form(
    "a registry",
    {"scenarios": make_listed(ENTRY, replace(LISTED, is_nullable=True))},
    ("scenarios",),
)


def read_top(page: Findings, form: RecordForm) -> LocatedFields:
    """Read the top of a document; nothing is missing in one that is no mapping."""
    held = Located(page.document.plain, (), page)
    if isinstance(held.value, dict):
        return form.read(held)
    add_type_error(held, form.owner, "a mapping")
    return LocatedFields(held, form)
