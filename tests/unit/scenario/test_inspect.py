from typing import Any

import pytest

from saniwa.documents.document import parse_document
from saniwa.scenario.loader import inspect_scenario_document, make_report_error
from tests.fakes.scenarios import find_in_text, list_codes, list_findings, make_flat

_BROKEN = """\
name: 家
locations:
  キッチン:
    exits: [寝室, リビンク]
    prop: [椀]
  リビング: {exits: [キッチン]}
characters:
  やな: {location: キッチソ, holding: [杯]}
  あゆ: {location: キッチン, holding: [杯]}
props:
  戸: {kind: door, locked: true, open: true}
  匙: {location: 引き出し}
"""


def test_all_mistakes_are_found_at_once_each_with_its_place() -> None:
    """All findings are reported at once, in reading order, with line and column."""
    assert [
        ("EXIT_TARGET_MISSING", "4:13"),
        ("EXIT_TARGET_MISSING", "4:17"),
        ("UNKNOWN_KEY", "5:5"),
        ("CHAR_LOCATION_MISSING", "8:18"),
        ("HELD_BY_TWO", "9:34"),
        ("DOOR_SIDES", "11:6"),
        ("LOCKED_OPEN", "11:27"),
        ("OBJ_LOCATION_MISSING", "12:17"),
    ] == find_in_text(_BROKEN)


def test_a_finding_offers_the_nearest_name_and_never_adopts_it() -> None:
    """A near name is a hint; the scenario stays invalid."""
    document = make_flat(characters={"Ann": {"location": "kichen"}})

    (found,) = list_findings(document)

    assert "did you mean 'kitchen'?" == found.hint
    assert inspect_scenario_document(parse_document(str(document).replace("'", '"'))).world is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"props": {"cup": {"location": "zzzz"}}},
        {"props": {"cup": {"kind": "character", "location": "kitchen"}}},
        {"protagonist": "zzzz"},
        {"turn_order": ["zzzz"]},
        {"prop_aliases": {"mug": "zzzz"}},
        {"lint_allow": {"unidirectional_exits": ["zzzz"]}},
        {"clear_condition": {"type": "reach_location", "target": "zzzz"}},
        {"locations": {"kitchen": {"exits": {"out": {"to": "hall", "door": "zzzz"}}}, "hall": {"exits": ["kitchen"]}}},
    ],
)  # fmt: skip
def test_a_finding_has_a_hint_also_without_a_near_name(wrong: dict[str, Any]) -> None:
    """A finding has a hint even if no name is near."""
    assert all(found.hint for found in list_findings(make_flat(**wrong)))
    assert list_findings(make_flat(**wrong))


def test_a_name_used_for_an_id_is_answered_with_the_id() -> None:
    """A name used in place of an id gets the id as a hint."""
    document = make_flat(
        locations={"k1": {"name": "Kitchen"}}, characters={"Ann": {"location": "Kitchen"}}
    )

    (found,) = list_findings(document)

    assert ("CHAR_LOCATION_MISSING", "its id is 'k1'") == (found.code, found.hint)


def test_one_error_represents_the_whole_report() -> None:
    """The error has the code and text of its first finding, and carries all the others."""
    report = inspect_scenario_document(parse_document(_BROKEN, "a.yaml")).report

    error = make_report_error(report.errors[0], report)

    assert (
        "[EXIT_TARGET_MISSING] Exit target '寝室' from 'キッチン' does not exist"
        == str(error).split("\n")[0]
    )
    assert 8 == len(error.details["findings"])
    assert {"location": "キッチン", "target": "寝室"}.items() <= error.details.items()


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ([], ["WRONG_TYPE"]),
        (None, ["WRONG_TYPE"]),
        ("text", ["WRONG_TYPE"]),
        ({}, ["FIELD_MISSING"] * 2),
        ({"name": "x", "locations": None, "characters": None}, ["FIELD_MISSING"] * 2),
        ({"name": "x", "locations": {}, "characters": {}}, ["EMPTY_WORLD"] * 2),
        ({"name": 1, "locations": 2, "characters": "3"}, ["WRONG_TYPE"] * 3),
        ({"name": "x", "locations": {"a": 1}, "characters": {"b": []}}, ["WRONG_TYPE", "CHAR_LOCATION_MISSING", "WRONG_TYPE"]),
    ],
)  # fmt: skip
def test_what_is_not_a_scenario_is_a_report_and_no_crash(
    document: object, expected: list[str]
) -> None:
    """Any document that is not a scenario gives findings."""
    assert sorted(expected) == sorted(list_codes(document))  # type: ignore[arg-type]


def test_a_scenario_without_mistakes_has_no_findings() -> None:
    """A scenario without mistakes has no findings."""
    assert [] == list_codes(make_flat())
