import pytest

from saniwa.documents.document import make_document
from saniwa.documents.finding_collector import Findings, Located
from saniwa.experiment.plan_fields import read_seeds


def _read_seed_values(value: object) -> tuple[tuple[int, ...], list[str]]:
    page = Findings(make_document(value))
    return read_seeds(Located(value, (), page)), [f.code for f in page.build_report().findings]


def test_a_count_counts_from_nought() -> None:
    """Five seeds are 0 to 4; a list is used as given."""
    assert ((0, 1, 2, 3, 4), []) == _read_seed_values(5)
    assert ((7, 3), []) == _read_seed_values([7, 3])


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (0, "WRONG_TYPE"),
        (100_001, "WRONG_TYPE"),
        (True, "WRONG_TYPE"),
        ("5", "WRONG_TYPE"),
        ([], "WRONG_TYPE"),
        ([1, 1], "DUPLICATE_KEY"),
        ([-1], "WRONG_TYPE"),
        ([2**31], "WRONG_TYPE"),
        ([1.5], "WRONG_TYPE"),
    ],
)
def test_what_is_not_a_seed_is_a_finding(value: object, code: str) -> None:
    """Seeds are distinct whole numbers that a model accepts, and their number is limited."""
    assert [code] == _read_seed_values(value)[1]
