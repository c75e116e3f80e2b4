"""The keys of a rulebook, each with the kind of its value.

Its readers are in `layers`, `conditions` and `effects`;
`docs/guide/rulebook.md` explains every key.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, get_args

from saniwa.documents.record_reader import (
    ANYTHING,
    FLAG,
    TEXT,
    TEXTS,
    RecordForm,
    ValueKind,
    is_whole,
    make_listed,
)
from saniwa.rulebook.book import EVERY_ACTION
from saniwa.rulebook.conditions import JOINTS, VOCABULARY
from saniwa.rulebook.effects import EFFECTS
from saniwa.rulebook.finding_collector import NOTATION
from saniwa.rulebook.verdict import ReasonCode
from saniwa.world.actions import RULED_ACTIONS

CODES: Final = tuple(code for code in get_args(ReasonCode) if code != "OK")
"""The reasons that a book's own words can stand for."""


def _make_form(
    owner: str, fields: Mapping[str, ValueKind], *required: str, **schema: Any
) -> RecordForm:
    return RecordForm(owner, fields, required=required, notation=NOTATION, schema=schema)


def _describe_condition() -> Any:
    return {"anyOf": [{"type": "string"}, CONDITION]}


_TEXT: Final = {"type": "string"}
STRING: Final = ValueKind(wanted="text", fits=lambda value: isinstance(value, str), schema=_TEXT)
_SWITCH: Final = replace(FLAG, told=True)
_TEXTS_BY_LANGUAGE: Final = {"type": "object", "additionalProperties": _TEXT}
_MESSAGE: Final = ValueKind(schema={"anyOf": [_TEXT, {**_TEXTS_BY_LANGUAGE, "minProperties": 1}]})
_SCALAR: Final = ValueKind(
    wanted="a text or a whole number",
    fits=lambda value: isinstance(value, str) or is_whole(value),
    schema={"type": ["string", "integer"]},
)
_CONDITION: Final = ValueKind(schema=_describe_condition)
_CONDITIONS: Final = {"type": "array", "items": _describe_condition, "minItems": 1}
_JOINED: Final = ValueKind(schema={"anyOf": [_CONDITIONS, {"type": "object"}]})
# Plugins add predicates, so a condition may have other keys.
CONDITION: Final = _make_form(
    "a condition",
    {
        "op": TEXT,
        "conditions": ValueKind(schema=_CONDITIONS),
        "condition not": _CONDITION,
        **{name: _JOINED for name in JOINTS if name != "not"},
        **dict.fromkeys(VOCABULARY, ANYTHING),
    },
    additionalProperties=True,
    minProperties=1,
)
EFFECT: Final = _make_form(
    "an effect",
    {
        "op": ValueKind(schema={"enum": [*EFFECTS]}),
        "when": _CONDITION,
        "role name attribute": TEXT,
        "facts": ValueKind(schema={"type": "object", "minProperties": 1}),
        "value": FLAG,
        **dict.fromkeys(EFFECTS, ANYTHING),
    },
)
CHECK: Final = _make_form(
    "a check",
    {
        "id description": STRING,
        "failReason": ValueKind(schema=_TEXT),
        "enabled": _SWITCH,
        "condition": _CONDITION,
        "failMessage hint": _MESSAGE,
    },
    "id",
)
RULE: Final = _make_form(
    "a rule",
    {
        "actionType": ValueKind(schema={"enum": [EVERY_ACTION, *RULED_ACTIONS]}),
        "enabled replace": _SWITCH,
        "checks": make_listed(CHECK),
    },
    "actionType",
)
CRAFT: Final = _make_form(
    "a craft",
    {
        "name description": STRING,
        "enabled replace": _SWITCH,
        "words": ValueKind(
            schema={"type": "object", "additionalProperties": {"anyOf": [_TEXT, TEXTS.schema]}}
        ),
        "told": ValueKind(schema=_TEXTS_BY_LANGUAGE),
        "checks": make_listed(CHECK),
        "effects": make_listed(EFFECT),
    },
    "name",
)
BOOK: Final = _make_form(
    "a rulebook",
    {
        "id name description extends worldId": replace(STRING, is_nullable=True),
        "version createdAt updatedAt": _SCALAR,
        "rules": make_listed(RULE),
        "crafts": make_listed(CRAFT),
        "reasons": ValueKind(schema={"type": "object", "additionalProperties": {"enum": [*CODES]}}),
        "plugins": make_listed(TEXTS.schema["items"]),
    },
)
