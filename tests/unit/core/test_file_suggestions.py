from pathlib import Path

import pytest

from saniwa.core.suggestions import suggest_file


@pytest.mark.parametrize(
    ("asked", "hint"),
    [
        ("bakry.md", "did you mean 'bakery.md'?"),
        ("harbour.md", ""),
        ("bakry.yaml", ""),
        ("gone/bakry.md", ""),
        ("a\0b.md", ""),
    ],
)
def test_a_misspelt_file_is_found_by_a_near_name(tmp_path: Path, asked: str, hint: str) -> None:
    """The hint suggests only a file of the same kind in the same folder with a similar name."""
    (tmp_path / "bakery.md").touch()
    (tmp_path / "xbook.yaml").touch()

    assert hint == suggest_file(str(tmp_path / asked))
