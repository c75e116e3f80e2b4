import os
from pathlib import Path

import pytest

from saniwa.core.safe_open import (
    SymlinkError,
    make_folder_inside,
    open_folder_inside,
    open_folder_path,
    open_inside,
)


def test_a_folder_is_walked_to_and_let_go(tmp_path: Path) -> None:
    """Folders opened on the way are closed again, also after an error."""
    (tmp_path / "a" / "b").mkdir(parents=True)
    with open_folder_path(tmp_path, ["a", "b"]) as here:
        assert os.path.samestat(os.fstat(here), (tmp_path / "a" / "b").stat())
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(here)
    with pytest.raises(FileNotFoundError), open_folder_path(tmp_path, ["a", "no"]):
        pass


def test_no_link_is_followed_below_the_top(tmp_path: Path) -> None:
    """The top folder may be a symbolic link; a folder or a file inside it may not."""
    (tmp_path / "real" / "inner").mkdir(parents=True)
    (tmp_path / "top").symlink_to("real")
    (tmp_path / "real" / "link").symlink_to("inner")
    with open_folder_path(tmp_path / "top", []) as here:
        os.close(open_folder_inside(here, "inner"))
        with pytest.raises(SymlinkError):
            open_folder_inside(here, "link")
        with pytest.raises(SymlinkError):
            open_inside(here, "link")


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    """Opening a pipe returns at once."""
    os.mkfifo(tmp_path / "pipe")
    with open_folder_path(tmp_path, []) as here:
        os.close(open_inside(here, "pipe"))


def test_folders_are_made_on_the_way_and_never_behind_a_link(tmp_path: Path) -> None:
    """Missing folders are created, existing ones are used, and a symbolic link is refused."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (tmp_path / "link").symlink_to(outside)
    for _ in range(2):
        with open_folder_path(tmp_path, ["a", "b"], make_folder_inside) as here:
            assert os.path.samestat(os.fstat(here), (tmp_path / "a" / "b").stat())
    with pytest.raises(SymlinkError), open_folder_path(tmp_path, ["link", "c"], make_folder_inside):
        pass

    assert [] == list(outside.iterdir())
