from typing import Any

import pytest

from saniwa.documents.document import make_document
from saniwa.documents.finding_collector import Findings, Located
from saniwa.documents.reader import VALUE_CHECKS, LocatedFields, MappingReader, ValueCheck

FORM = {"name": "text", "maxTurns": "count", "tags": "texts", "more": "mapping"}


def _held(value: Any, below: Located | None = None) -> Located:
    return Located(value, (), Findings(make_document(value)), below)


def _read(value: Any, reader: MappingReader | None = None) -> tuple[LocatedFields, list[str]]:
    held = _held(value)
    found = (reader or MappingReader()).read_fields(held, FORM, "a plan")
    return found, [each.code for each in held.page.build_report().findings]


def test_keys_are_read_in_either_spelling_and_once() -> None:
    """CamelCase and snake_case are one key; the second of two is a finding."""
    found, codes = _read({"max_turns": 3, "name": "a"})
    assert ((3, "a"), []) == ((found.get_value("maxTurns"), found.get_value("name")), codes)

    found, codes = _read({"maxTurns": 3, "max_turns": 4})
    assert (3, ["DUPLICATE_KEY"]) == (found.get_value("maxTurns"), codes)


def test_an_unknown_key_is_told_and_a_note_is_not() -> None:
    """What begins with `_` is the author's own."""
    found, codes = _read({"nmae": "a", "_why": 1})

    assert ({}, ["UNKNOWN_KEY"], {"name"}) == (found, codes, found.malformed)


@pytest.mark.parametrize(
    ("value", "kept"), [({"tags": ["a", 3, "b"]}, ["a", "b"]), ({"tags": "a"}, None)]
)
def test_what_is_malformed_is_told_and_the_rest_of_it_kept(
    value: Any, kept: list[str] | None
) -> None:
    """Good items of a list are looked at all the same."""
    found, codes = _read(value)

    assert (kept, ["WRONG_TYPE"], {"tags"}) == (found.get_value("tags"), codes, found.malformed)


def test_what_stands_over_another_counts_key_by_key() -> None:
    """The upper value counts; mappings are laid over one another."""
    below = _held({"name": "low", "maxTurns": 2, "more": {"a": 1}})
    found = MappingReader().read_fields(_held({"name": "high", "more": {}}, below), FORM, "it")

    assert ("high", 2) == (found.get_value("name"), found.get_value("maxTurns"))
    assert {"a": 1} == (found["more"].below or found["name"]).value


def test_each_kind_of_file_has_words_of_its_own() -> None:
    """Shapes, old names of keys and what null means are the reader's."""
    even = ValueCheck("even", lambda v: v % 2 == 0, told=True, code="ODD")
    reader = MappingReader(
        {**VALUE_CHECKS, "count": even}, {"turns": "maxTurns"}, frozenset({"name"})
    )
    found, codes = _read({"turns": 4, "name": None}, reader)

    assert (4, ["WRONG_TYPE"]) == (found.get_value("maxTurns"), codes)
    assert ["ODD"] == _read({"turns": 3}, reader)[1]
    assert [] == _read({"name": None})[1]
    assert 4 == reader.find_inner(_held({"turns": 4}), "maxTurns").value


def test_what_may_hold_a_password_is_not_repeated() -> None:
    """A value is told where it helps, unless it has the letter that hides it."""
    place = ValueCheck("an address", lambda _: False, told=True, hides="@")
    for value, shown in (("a.b", "'a.b'"), ("me:pw@b", "text")):
        held = _held(value)
        assert not MappingReader({"x": place}).is_well_formed(held, "x", "url")
        [found] = held.page.build_report().findings
        assert f"'url' must be an address, not {shown}" == found.message
