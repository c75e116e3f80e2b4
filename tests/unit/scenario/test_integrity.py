from typing import Any

import pytest

from saniwa.documents.document import make_document
from saniwa.scenario.loader import inspect_scenario_document
from tests.fakes.scenarios import list_codes, list_findings, make_flat

_KEY: dict[str, Any] = {"location": "hall"}


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ({"kind": "container", "locked": True, "open": True}, "LOCKED_OPEN"),
        ({"kind": "container", "locked": True, "lockable": False}, "STATE_CONTRADICTION"),
        ({"kind": "container", "required_key": "key", "lockable": False}, "STATE_CONTRADICTION"),
        ({"kind": "container", "openable": False, "open": False}, "STATE_CONTRADICTION"),
        ({"kind": "container", "openable": False, "locked": True}, "STATE_CONTRADICTION"),
        ({"kind": "door", "connects": ["hall", "kitchen"], "takeable": True}, "STATE_CONTRADICTION"),
        ({"kind": "door", "connects": ["hall", "kitchen"], "contains": []}, "STATE_CONTRADICTION"),
        ({"kind": "dor"}, "UNKNOWN_VALUE"),
        ({"kind": "character"}, "UNKNOWN_VALUE"),
        ({"attributes": {"use": {"needs": "oil"}}}, "NAME_UNKNOWN"),
    ],
)  # fmt: skip
def test_what_cannot_be_true_together_is_found(said: Any, code: str) -> None:
    """A contradictory state, or one its kind does not allow, is a mistake."""
    document = make_flat(props={"it": {"location": "hall"} | said, "key": _KEY})

    assert [code] == [f.code for f in list_findings(document) if f.severity == "error"]


def test_the_registry_and_the_file_must_agree_on_the_name() -> None:
    """A registry entry that points at another scenario's file is a mistake."""
    same = inspect_scenario_document(make_document(make_flat()), "flat").report
    other = inspect_scenario_document(make_document(make_flat()), "house").report

    assert same.has_passed
    assert ["SCENARIO_ID_MISMATCH"] == [f.code for f in other.errors]
    assert {"scenario_id": "house", "name": "flat"} == other.errors[0].details


@pytest.mark.parametrize("value", [1.5, 2**53 + 1, -(2**60), {"😀": 1}])
def test_what_cannot_be_hashed_is_found_where_it_is(value: Any) -> None:
    """A number that cannot be hashed is a finding at its place."""
    document = make_flat(props={"cup": {"location": "hall", "attributes": {"x": [value]}}})

    (found,) = list_findings(document)

    assert "HASH_COMPUTATION_ERROR" == found.code
    assert found.where.path.startswith("props.cup.attributes.x[0]")


def test_lint_can_be_allowed_for_rooms_that_exist() -> None:
    """`lint_allow` is checked, and must name existing rooms."""
    one_way = {"kitchen": {"exits": ["hall"]}, "hall": {}}

    def lint_allowed(*rooms: object) -> list[str]:
        allow = {"unidirectional_exits": list(rooms)}
        return list_codes(make_flat(locations=one_way, lint_allow=allow))

    assert [] == lint_allowed("kitchen")
    assert ["ONE_WAY_EXIT"] == lint_allowed("hall")
    assert ["NAME_UNKNOWN"] == lint_allowed("kitchn")
    assert ["WRONG_TYPE"] == lint_allowed(3)
    assert ["UNKNOWN_KEY"] == list_codes(make_flat(lint_allow={"one_way": []}))
