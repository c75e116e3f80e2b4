import pytest

from saniwa.core.redaction import to_public_path
from saniwa.scenario.loader import load_scenario
from tests.fakes.scenarios import make_flat


def test_a_summary_counts_and_names_ten_items_in_the_author_s_order() -> None:
    """`objects_top10` has at most ten names in the author's order, as the contract says."""
    names = [f"thing {n}" for n in (3, 1, 2, 9, 8, 7, 5, 4, 6, 11, 10, 0)]
    rooms = {"kitchen": {"props": names, "exits": ["hall"]}, "hall": {"exits": ["kitchen"]}}  # fmt: skip

    summary = load_scenario(make_flat(locations=rooms)).summary

    assert (2, 12, 1) == (
        summary.counts.locations,
        summary.counts.objects,
        summary.counts.characters,
    )
    assert tuple(names[:10]) == summary.objects_top10
    assert ("kitchen", "hall") == summary.locations


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("experiments/scenarios/a.json", "experiments/scenarios/a.json"),
        ("/x/y/experiments/scenarios/sub/a.json", "experiments/scenarios/sub/a.json"),
        ("/x/y/a.json", "a.json"),
        ("a.json", "a.json"),
        ("built-in", "built-in"),
    ],
)
def test_no_absolute_path_is_ever_recorded(path: str, shown: str) -> None:
    """No absolute path is recorded."""
    assert shown == to_public_path(path)
