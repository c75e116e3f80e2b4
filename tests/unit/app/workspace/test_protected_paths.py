from pathlib import Path

import pytest

from saniwa.app.gate.remote_evidence import ProtectedPaths, list_store_paths


def test_files_in_a_protected_folder_are_protected(tmp_path: Path) -> None:
    """Files in a protected folder are protected, in any case of letters."""
    kept = ProtectedPaths(tmp_path / "gate")

    assert kept.is_protected(tmp_path / "gate" / "people.json")
    assert kept.is_protected(tmp_path / "GATE")
    assert not kept.is_protected(tmp_path / "gates")
    assert not kept.is_protected(tmp_path)
    assert kept.is_overlapping(tmp_path)
    assert not kept.is_overlapping(tmp_path / "notes")


def test_a_place_behind_a_link_is_kept_where_it_is(tmp_path: Path) -> None:
    """A protected path behind a link is protected under its real path too."""
    (tmp_path / "link").symlink_to(tmp_path / "real")

    assert ProtectedPaths(tmp_path / "link" / "garden.key").is_protected(
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
    """A store's file is protected, with the files next to it."""
    found = {each.name for each in list_store_paths(store)}

    assert names <= found
    assert bool(names) is bool(found)
