import pytest

from saniwa.core.findings import Finding
from saniwa.documents.document import make_document
from saniwa.documents.finding_collector import Findings, Located
from saniwa.experiment.plan_fields import derive_experiment_name, read_subjects


def _read_names(value: object) -> tuple[list[str], tuple[Finding, ...]]:
    page = Findings(make_document(value))
    named = list(read_subjects(Located(value, (), page)))
    return named, page.build_report().findings


def test_one_or_several_are_named_in_order() -> None:
    """A plan names one scenario, or a list of ids, files and tags."""
    assert ["default"] == _read_names("default")[0]
    assert ["b", "a.yaml", "tag:demo"] == _read_names(["b", "a.yaml", "tag:demo"])[0]


def test_ids_joined_by_commas_are_answered_with_the_right_spelling() -> None:
    """Ids joined by commas are reported with the correct spelling."""
    named, found = _read_names(["a,b"])

    assert [] == named
    assert [("NAME_UNUSABLE", "write: a b")] == [(f.code, f.hint) for f in found]


@pytest.mark.parametrize("value", [[], 3, [""], [["a"]], ["a", "a"], ["a\x1b"]])
def test_what_names_no_scenario_is_a_finding(value: object) -> None:
    """An empty value, a number, a duplicate or invisible characters are findings."""
    assert 1 == len(_read_names(value)[1])


@pytest.mark.parametrize(
    ("name", "expected"), [("coffee_trap", "coffee_trap"), ("a/b.yaml", "b"), ("tag:demo", "demo")]
)
def test_what_an_experiment_is_called_after(name: str, expected: str) -> None:
    """The experiment is named after the id, the file's name or the tag."""
    assert expected == derive_experiment_name(name)
