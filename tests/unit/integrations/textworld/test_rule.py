import json
from typing import Any

import pytest

from saniwa.core.findings import Finding
from saniwa.documents.document import make_document
from saniwa.documents.finding_collector import Findings
from saniwa.integrations.textworld.game_format import STRICT, check_rules
from tests.fakes.textworld import make_small_game

_TYPES = ("P", "I", "r", "d", "c", "s", "o", "k", "f")


def _find_faults(logic: str, types: tuple[str, ...] = _TYPES) -> list[Finding]:
    knowledge: Any = {"logic": logic}
    page = Findings(make_document({"KB": knowledge}))
    check_rules(page, knowledge, ("KB",), types)
    return list(page.build_report().findings)


def _read_logic() -> str:
    logic: str = json.loads(make_small_game())["KB"]["logic"]
    return logic


def test_the_rules_of_textworld_are_known() -> None:
    """The strict book knows every rule of a usual game, and none is missing."""
    assert [] == _find_faults(_read_logic())


def test_spaces_and_comments_make_no_other_rule() -> None:
    """Spaces and comments do not change a rule."""
    assert [] == _find_faults(_read_logic().replace(" & ", "   &\n # and\n"))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("eat :: in(f, I)", "eat :: on(f, s)"),
        ("eat :: in(f, I)", "melt :: at(f, r) -> gone(f); eat :: in(f, I)"),
    ],
)
def test_a_rule_that_is_new_or_another_is_an_error(before: str, after: str) -> None:
    """A new or changed rule is an error that names it."""
    assert before in _read_logic()
    found = _find_faults(_read_logic().replace(before, after))

    assert ["error"] == [f.severity for f in found]
    assert ["KB.logic"] == [f.where.path for f in found]
    assert found[0].details["rules"] == [after.split(" ")[0]]


def test_a_rule_that_is_lacking_is_reported_where_it_matters() -> None:
    """A missing rule is a warning if the game has its types."""
    logic = "rules { " + "; ".join(f"{name} :: x" for name in STRICT.rules if name != "eat") + " }"
    lacking = [f.message for f in _find_faults(logic) if f.severity == "warning"]

    assert ["the 'strict' book has rules that the game has not: 'eat'"] == lacking
    assert [] == [f for f in _find_faults(logic, ("r",)) if f.severity == "warning"]


def test_many_strange_rules_are_counted() -> None:
    """The message lists a few unknown rules and the number of the others."""
    logic = "rules {" + ";".join(f"melt/{n} :: x" for n in range(500)) + "}"
    found = [f for f in _find_faults(logic, ()) if f.severity == "error"]

    assert found[0].message.endswith("'melt/9' and 490 more")
