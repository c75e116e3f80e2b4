from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saniwa.core.errors import DocumentError
from saniwa.documents.document import make_document, parse_document
from saniwa.experiment.plan import ExperimentPlan
from saniwa.experiment.plan_fields import FACTOR_FIELDS, PLAN
from saniwa.experiment.plan_reader import PlanReadResult, read_plan


def _read_plan_text(text: str, options: dict[str, Any] | None = None) -> PlanReadResult:
    return read_plan(parse_document(text, "plans/truth.yaml"), options)


def _get_plan(read: PlanReadResult) -> ExperimentPlan:
    assert () == read.report.errors
    assert read.authored is not None
    return read.authored.plan


def test_a_plan_of_one_line_is_a_whole_2x2() -> None:
    """The defaults are A to D, one seed, stand-ins, and the file's name."""
    made = _get_plan(_read_plan_text("scenarios: coffee_trap\n"))

    assert ("truth", "sim", (0,), 10) == (made.experiment_id, made.mode, made.seeds, made.max_turns)
    assert ["A", "B", "C", "D"] == [each.name for each in made.conditions]
    assert ("coffee_trap",) == made.scenarios


def test_a_profile_says_what_the_plan_leaves_open() -> None:
    """A profile gives conditions, seeds, turns and tokens; the plan overrides it."""
    made = _get_plan(_read_plan_text("scenarios: [default]\nprofile: gate\nseeds: 2\n"))

    assert ["B", "D"] == [each.name for each in made.conditions]
    assert ((0, 1), 10, 256) == (made.seeds, made.max_turns, made.max_tokens)


def test_options_stand_over_the_file() -> None:
    """An option overrides the same key of the file, even if the file crosses it."""
    text = "scenarios: [default]\nseeds: 9\nfactors: {inject: [off, on]}\n"
    made = _get_plan(_read_plan_text(text, {"seeds": 2, "conditions": ["A"], "experiment_id": "b"}))

    assert ("b", (0, 1)) == (made.experiment_id, made.seeds)
    assert ["A"] == [each.name for each in made.conditions]


def test_options_alone_are_a_plan() -> None:
    """A plan needs no file; the experiment is named after its only scenario."""
    made = _get_plan(read_plan(None, {"scenarios": ["coffee_trap"]}))

    assert "coffee_trap" == made.experiment_id


def test_every_mistake_is_reported_with_its_place() -> None:
    """All mistakes are found in one pass, in reading order, with line and column."""
    read = _read_plan_text(
        "experiment_id: a/b\nscenario: x\nscenarios: [a]\nprofile: deev\nmax_turns: 0\n"
    )
    found = [(f.code, f.where.line, f.where.column) for f in read.report.findings]

    assert read.authored is None
    assert [
        ("NAME_UNUSABLE", 1, 16),
        ("UNKNOWN_KEY", 2, 1),
        ("UNKNOWN_VALUE", 4, 10),
        ("WRONG_TYPE", 5, 12),
    ] == found


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("scenarios: a\nprofil: dev\n", "did you mean 'profile'?"),
        ("scenarios: a\nmode: reel\n", "did you mean 'real'?"),
        ("experiment_id: a b\nscenarios: a\n", "'a-b'"),
    ],
)
def test_a_near_name_is_offered(text: str, hint: str) -> None:
    """The hint suggests the likely name, but it is not used instead."""
    read = _read_plan_text(text)

    assert read.authored is None
    assert hint in read.report.findings[0].hint


@pytest.mark.parametrize("text", ["", "[]", "3", "null", "- a\n- b\n"])
def test_what_is_not_a_mapping_is_a_finding(text: str) -> None:
    """Any document gives findings instead of an exception."""
    read = _read_plan_text(text)

    assert read.authored is None
    assert {"WRONG_TYPE"} >= {f.code for f in read.report.findings} - {"FIELD_MISSING"}


def test_a_file_that_is_not_yaml_is_an_error() -> None:
    """A file that is not YAML gives the usual error."""
    with pytest.raises(DocumentError) as caught:
        _read_plan_text("a: [")

    assert "DOCUMENT_SYNTAX" == caught.value.code


def test_where_scenarios_are_named_is_remembered() -> None:
    """A missing scenario is reported at the place that names it."""
    authored = _read_plan_text("scenarios:\n  - one\n  - two\n").authored
    assert authored is not None
    where = authored.find_position("scenarios", "two")

    assert where is not None
    assert ("plans/truth.yaml", 3) == (where.file, where.line)
    assert authored.find_position("scenarios", "three") is None


_SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
    | st.sampled_from(["on", "A", "D", "strict", "real", "sim", "ja", "gate", "a.yaml"])
)
_ANYTHING = st.recursive(
    _SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from([*PLAN, *FACTOR_FIELDS, "usual", "x_y", "invent"]), inner)
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(sorted(PLAN)), _ANYTHING))
def test_whatever_a_plan_says_is_answered(document: dict[str, Any]) -> None:
    """The result is a plan or findings, and never an exception."""
    read = read_plan(make_document(document, "plan.yaml"))

    assert (read.authored is None) == bool(read.report.errors)
    if read.authored is not None:
        names = [each.name for each in read.authored.plan.conditions]
        assert len({*names}) == len(names) > 0


def test_a_scenario_in_place_of_a_plan_is_reported_once(tmp_path: Path) -> None:
    """There is one finding with advice on how to play it, not one for each key."""
    path = tmp_path / "coin.yaml"
    path.write_text(
        "name: coin\nlocations: {a: {exits: []}}\ncharacters: {b: {location: a}}\n",
        encoding="utf-8",
    )
    (found,) = read_plan(path).report.findings

    assert ("WRONG_TYPE", "this is a scenario, not a plan") == (found.code, found.message)
    assert f"--scenario {path}" in found.hint
