import os
from pathlib import Path

import pytest

from saniwa.core.errors import StoreError
from saniwa.experiment.output.output_folder import OutputFolder, open_output_folder


def test_a_file_that_holds_the_same_is_left_alone(tmp_path: Path) -> None:
    """A file whose contents would not change is not rewritten."""
    with open_output_folder(tmp_path) as place:
        place.write("a.txt", b"same")
        before = (tmp_path / "a.txt").stat()
        place.write("a.txt", b"same")
        with place.open_stream("a.txt") as file:
            file.write(b"same")
    after = (tmp_path / "a.txt").stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)
    assert ["a.txt"] == os.listdir(tmp_path)  # noqa: PTH208 - names are what counts


@pytest.mark.parametrize("other", [b"else", b"same and more", b"sam", b""])
def test_a_file_that_holds_something_else_is_replaced(tmp_path: Path, other: bytes) -> None:
    """The new contents replace the old."""
    with open_output_folder(tmp_path) as place:
        place.write("a.txt", b"same")
        place.write("a.txt", other)
    assert other == (tmp_path / "a.txt").read_bytes()


def test_what_is_broken_off_leaves_the_old_file(tmp_path: Path) -> None:
    """An interrupted write leaves neither half a file nor a temporary file."""
    with open_output_folder(tmp_path) as place:
        place.write("a.txt", b"old")
        with pytest.raises(KeyboardInterrupt):
            _break_off(place, "a.txt")
    assert b"old" == (tmp_path / "a.txt").read_bytes()
    assert [tmp_path / "a.txt"] == list(tmp_path.iterdir())


def _break_off(place: OutputFolder, name: str) -> None:
    with place.open_stream(name) as file:
        file.write(b"half")
        raise KeyboardInterrupt


def test_a_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    """Nothing outside the folder is written through a link."""
    outside = tmp_path / "outside.txt"
    outside.write_bytes(b"mine")
    with open_output_folder(tmp_path / "inside") as place:
        (tmp_path / "inside" / "a.txt").symlink_to(outside)
        place.write("a.txt", b"ours")
    assert b"mine" == outside.read_bytes()
    assert b"ours" == (tmp_path / "inside" / "a.txt").read_bytes()


def test_a_link_in_place_of_the_new_file_is_not_followed(tmp_path: Path) -> None:
    """A link in place of the temporary file is not written through."""
    outside = tmp_path / "outside.txt"
    outside.write_bytes(b"mine")
    with open_output_folder(tmp_path / "inside") as place:
        (place.path / f".saniwa-{os.getpid()}-0.new").symlink_to(outside)
        place.write("a.txt", b"ours")
    assert b"mine" == outside.read_bytes()


def test_a_folder_behind_a_link_is_refused(tmp_path: Path) -> None:
    """Nothing is written into a folder that is a link."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / "artifacts").symlink_to(elsewhere)
    with pytest.raises(StoreError) as told, open_output_folder(tmp_path, "artifacts"):
        pass
    assert "TRACE_UNWRITABLE" == told.value.code
    assert [] == list(elsewhere.iterdir())


def test_a_folder_where_a_file_should_be_is_reported(tmp_path: Path) -> None:
    """A file that cannot be written is an error with a code and the file's name."""
    (tmp_path / "results.json").mkdir()
    with pytest.raises(StoreError) as told, open_output_folder(tmp_path) as place:
        place.write("results.json", b"{}")
    assert "TRACE_UNWRITABLE" == told.value.code
    assert "'results.json'" in told.value.message
