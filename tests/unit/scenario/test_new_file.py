from pathlib import Path

import pytest

from saniwa.scenario.scaffold import create_file, is_usable_id


@pytest.mark.parametrize(
    ("name", "usable"),
    [("tea_house", True), ("tw-1", True), ("9", True), ("a" * 80, True)]
    + [(bad, False) for bad in ("", "-a", "a b", "../a", "a.b", "a" * 81, "家", "a\n")],
)
def test_an_id_is_a_plain_file_name(name: str, usable: bool) -> None:
    """An id that could lead to another folder is not usable."""
    assert usable == is_usable_id(name)


def test_a_file_is_made_once(tmp_path: Path) -> None:
    """Creating an existing file fails, leaves it unchanged, and leaves no other file."""
    file = tmp_path / "a.txt"
    create_file(file, b"one")

    with pytest.raises(FileExistsError):
        create_file(file, b"two")
    assert [(file, b"one")] == [(f, f.read_bytes()) for f in tmp_path.iterdir()]
