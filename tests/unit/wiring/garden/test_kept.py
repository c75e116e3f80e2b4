from pathlib import Path

import pytest

from saniwa.wiring.garden.kept import Kept, store_kept


def test_what_lies_in_a_kept_place_is_kept(tmp_path: Path) -> None:
    """And a folder that holds one is touched by it, however its letters are written."""
    kept = Kept(tmp_path / "gate")

    assert kept.holds(tmp_path / "gate" / "people.json")
    assert kept.holds(tmp_path / "GATE")
    assert not kept.holds(tmp_path / "gates")
    assert not kept.holds(tmp_path)
    assert kept.touches(tmp_path)
    assert not kept.touches(tmp_path / "notes")


def test_a_place_behind_a_link_is_kept_where_it_lies(tmp_path: Path) -> None:
    """Whoever serves may name it by another way."""
    (tmp_path / "link").symlink_to(tmp_path / "real")

    assert Kept(tmp_path / "link" / "garden.key").holds(
        tmp_path.resolve() / "real" / "garden.key"
    )


@pytest.mark.parametrize(
    ("store", "names"),
    [
        ("memory:", set()),
        ("postgresql://garden", set()),
        ("a/runs.sqlite", {"runs.sqlite", "runs.sqlite-wal", "plays.sqlite"}),
    ],
)
def test_a_store_that_is_a_file_is_kept(store: str, names: set[str]) -> None:
    """With what lies beside it."""
    found = {each.name for each in store_kept(store)}

    assert names <= found
    assert bool(names) is bool(found)
