from dataclasses import replace
from typing import Annotated, Any, Literal

import msgspec
import pytest

from saniwa.documents.document import make_document
from saniwa.documents.finding_collector import Findings, Located
from saniwa.documents.record_reader import (
    ANYTHING,
    CAMEL,
    COUNT,
    MAPPING,
    NOT_WRITTEN,
    TEXT,
    TEXTS,
    LocatedFields,
    Notation,
    RecordForm,
    ValueKind,
    is_well_formed,
    make_choice,
    make_form,
    to_camel,
)

FORM = RecordForm("a plan", {"name": TEXT, "maxTurns": COUNT, "tags": TEXTS, "more": MAPPING})


def _locate_value(value: Any, below: Located | None = None) -> Located:
    return Located(value, (), Findings(make_document(value)), below)


def _read_form(value: Any, form: RecordForm = FORM) -> tuple[LocatedFields, list[str]]:
    held = _locate_value(value)
    found = form.read(held)
    return found, [each.code for each in held.page.build_report().findings]


def test_keys_are_read_in_either_spelling_and_once() -> None:
    """CamelCase and snake_case are one key; the second of two is a finding."""
    found, codes = _read_form({"max_turns": 3, "name": "a"})
    assert ((3, "a"), []) == ((found.get_value("maxTurns"), found.get_value("name")), codes)

    found, codes = _read_form({"maxTurns": 3, "max_turns": 4})
    assert (3, ["DUPLICATE_KEY"]) == (found.get_value("maxTurns"), codes)


def test_an_unknown_key_is_reported_and_a_note_is_not() -> None:
    """An unknown key is reported, unless it begins with `_`."""
    found, codes = _read_form({"nmae": "a", "_why": 1})

    assert ({}, ["UNKNOWN_KEY"], {"name"}) == (found, codes, found.malformed)


@pytest.mark.parametrize(
    ("value", "kept"), [({"tags": ["a", 3, "b"]}, ("a", "b")), ({"tags": "a"}, ())]
)
def test_what_is_malformed_is_reported_and_the_rest_of_it_kept(
    value: Any, kept: tuple[str, ...]
) -> None:
    """A list with a wrong item is reported, and its good items are kept."""
    found, codes = _read_form(value)

    assert (kept, ["WRONG_TYPE"], {"tags"}) == (found.get_texts("tags"), codes, found.malformed)


def test_what_is_over_another_counts_key_by_key() -> None:
    """The value of the upper document counts; mappings are merged key by key."""
    below = _locate_value({"name": "low", "maxTurns": 2, "more": {"a": 1}})
    found = FORM.read(_locate_value({"name": "high", "more": {}}, below))

    assert ("high", 2) == (found.get_value("name"), found.get_value("maxTurns"))
    assert {"a": 1} == (found["more"].below or found["name"]).value


def test_each_kind_of_file_has_words_of_its_own() -> None:
    """A format defines its own kinds, its own names of keys, and what null means."""
    even = ValueKind(wanted="even", fits=lambda v: v % 2 == 0, told=True, code="ODD")
    notation = Notation(to_camel, {"turns": "maxTurns"})
    form = RecordForm(
        "a plan", {"maxTurns": even, "name": replace(TEXT, is_nullable=True)}, notation=notation
    )
    found, codes = _read_form({"turns": 4, "name": None}, form)

    assert (4, None, []) == (found.get_value("maxTurns"), found["name"].value, codes)
    assert ["ODD"] == _read_form({"turns": 3}, form)[1]
    assert ({}, []) == _read_form({"name": None})
    assert 4 == notation.find_inner(_locate_value({"turns": 4}), "maxTurns").value


def test_what_is_needed_or_none_of_its_choices_is_reported() -> None:
    """A missing key and an unknown choice are findings."""
    form = RecordForm("a plan", {"mode": make_choice("sim", "real")}, required=("mode",))

    assert ["FIELD_MISSING"] == _read_form({}, form)[1]
    found, codes = _read_form({"mode": "rael"}, form)
    assert ({}, {"mode"}, ["UNKNOWN_VALUE"]) == (found, found.malformed, codes)


def test_an_editor_may_find_the_schema_at_the_top_alone() -> None:
    """`$schema` is accepted at the top of a document only."""
    inner = RecordForm("an inner", {"x": ANYTHING}, notation=CAMEL)

    assert ({}, []) == _read_form({"$schema": "plan.schema.json"})
    held = _locate_value({"more": {"$schema": 1}})
    inner.read(held.list_items()[0])
    assert ["UNKNOWN_KEY"] == [each.code for each in held.page.build_report().findings]


def test_what_may_hold_a_password_is_not_repeated() -> None:
    """A message repeats a value, unless it has the character that marks a password."""
    place = ValueKind(wanted="an address", fits=lambda _: False, told=True, hides="@")
    for value, shown in (("a.b", "'a.b'"), ("me:pw@b", "text")):
        held = _locate_value(value)
        assert not is_well_formed(held, place, "'url'")
        [found] = held.page.build_report().findings
        assert f"'url' must be an address, not {shown}" == found.message


class _Lamp(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    name: str
    burn_hours: Annotated[int, COUNT] = 1
    colors: tuple[str, ...] = ()
    mode: Annotated[Literal["on", "off"], "switch"] = "off"
    place: Annotated[str, NOT_WRITTEN] = "hall"


def test_a_record_type_is_a_form_and_the_form_builds_the_record() -> None:
    """Keys, kinds, required keys and the built record come from the record's annotations."""
    form = make_form("a lamp", _Lamp, {"notes": TEXT})
    held = _locate_value(
        {"name": "a", "burn_hours": 3, "colors": ["red"], "switch": "on", "notes": "x"}
    )

    assert {"name", "burnHours", "colors", "switch", "notes"} == form.keys()
    assert _Lamp(name="a", burn_hours=3, colors=("red",), mode="on") == form.build(held)
    assert held.page.passed


def test_a_record_with_mistakes_keeps_what_could_be_read() -> None:
    """Every mistake is a finding, and a malformed field has its default."""
    form = make_form("a lamp", _Lamp)
    held = _locate_value({"burnHours": 0, "switch": "offf", "place": "yard"})

    assert _Lamp(name="") == form.build(held)
    assert ["FIELD_MISSING", "UNKNOWN_KEY", "UNKNOWN_VALUE", "WRONG_TYPE"] == sorted(
        each.code for each in held.page.findings
    )
