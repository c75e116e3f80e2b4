"""The keys of a rulebook, each with the kind of its value.

Its readers are in `layers`, `checks`, `conditions` and `effects`;
`docs/guide/rulebook.md` explains every key.
"""

from collections.abc import Mapping
from typing import Any, Final, get_args

from saniwa.documents.reader import (
    ANYTHING,
    FLAG,
    TEXT,
    TEXTS,
    Notation,
    RecordForm,
    ValueKind,
    make_listed,
)
from saniwa.rulebook.book import EVERY_ACTION
from saniwa.rulebook.conditions import JOINTS, VOCABULARY, to_camel
from saniwa.rulebook.effects import EFFECTS
from saniwa.rulebook.verdict import ReasonCode
from saniwa.world.actions import ACTIONS

NOTATION: Final = Notation(to_camel, is_lenient=False)
"""How keys are spelled in a rulebook; `_` begins no key of the author's own."""
CODES: Final = tuple(code for code in get_args(ReasonCode) if code != "OK")
"""The reasons that a book's own words can stand for."""


def _make_form(owner: str, fields: Mapping[str, ValueKind], **schema: Any) -> RecordForm:
    return RecordForm(owner, fields, notation=NOTATION, schema=schema)


def _describe_condition() -> Any:
    return {"anyOf": [{"type": "string"}, CONDITION]}


_TEXT: Final = {"type": "string"}
_TEXTS_BY_LANGUAGE: Final = {"type": "object", "additionalProperties": _TEXT}
_MESSAGE: Final = ValueKind(schema={"anyOf": [_TEXT, {**_TEXTS_BY_LANGUAGE, "minProperties": 1}]})
_SCALAR: Final = ValueKind(schema={"type": ["string", "integer"]})
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
        "id description failReason": TEXT,
        "enabled": FLAG,
        "condition": _CONDITION,
        "failMessage hint": _MESSAGE,
    },
    required=["id"],
)
RULE: Final = _make_form(
    "a rule",
    {
        "actionType": ValueKind(schema={"enum": [EVERY_ACTION, *ACTIONS]}),
        "enabled replace": FLAG,
        "checks": make_listed(CHECK),
    },
    required=["actionType"],
)
CRAFT: Final = _make_form(
    "a craft",
    {
        "name description": TEXT,
        "enabled replace": FLAG,
        "words": ValueKind(
            schema={"type": "object", "additionalProperties": {"anyOf": [_TEXT, TEXTS.schema]}}
        ),
        "told": ValueKind(schema=_TEXTS_BY_LANGUAGE),
        "checks": make_listed(CHECK),
        "effects": make_listed(EFFECT),
    },
    required=["name"],
)
BOOK: Final = _make_form(
    "a rulebook",
    {
        "id name description extends worldId": ValueKind(schema={"type": ["string", "null"]}),
        "version createdAt updatedAt": _SCALAR,
        "rules": make_listed(RULE),
        "crafts": make_listed(CRAFT),
        "reasons": ValueKind(schema={"type": "object", "additionalProperties": {"enum": [*CODES]}}),
        "plugins": TEXTS,
    },
)
