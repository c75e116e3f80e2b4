import os
from pathlib import Path
from typing import Any

import pytest

from saniwa.core.atomic_files import ABANDONED_AFTER_MS
from saniwa.core.clock import FixedClock, SystemClock
from saniwa.core.errors import StoreError
from saniwa.store import outcome_store
from saniwa.store.outcome_store import FolderOutcomeStore
from tests.fakes.cell_writer import make_outcome

LEFT = ".saniwa-17-0.new"
"""A file that a killed writer left."""


def _list_names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def test_a_cell_is_one_plain_file(tmp_path: Path) -> None:
    """`KEY.json` contains the outcome, and there is no other file."""
    FolderOutcomeStore(tmp_path / "a" / "cells").keep("k", make_outcome("k"))

    assert ["k.json"] == _list_names(tmp_path / "a" / "cells")
    assert make_outcome("k") == (tmp_path / "a" / "cells" / "k.json").read_bytes()


@pytest.mark.parametrize(
    "content", [b"", make_outcome("k")[:-5], b"[]", b'{"key": 1}', b"\xff", make_outcome("other")]
)
def test_a_torn_or_alien_file_is_an_error(tmp_path: Path, content: bytes) -> None:
    """A file that is not a whole outcome of its cell is an error."""
    shelf = FolderOutcomeStore(tmp_path)
    (tmp_path / "k.json").write_bytes(content)

    with pytest.raises(StoreError, match="TRACE_CORRUPT"):
        shelf.get_outcome("k")


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    """A link in place of a cell's file is an error."""
    (tmp_path / "secret").write_bytes(make_outcome("k"))
    shelf = FolderOutcomeStore(tmp_path / "cells")
    (tmp_path / "cells" / "k.json").symlink_to(tmp_path / "secret")

    with pytest.raises(StoreError, match="it is a link"):
        shelf.get_outcome("k")


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    """A pipe in place of a cell's file is an error, without waiting."""
    shelf = FolderOutcomeStore(tmp_path)
    os.mkfifo(tmp_path / "k.json")

    with pytest.raises(StoreError, match="not a regular file"):
        shelf.get_outcome("k")


def test_what_is_too_large_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An outcome over the size limit is neither written nor read."""
    monkeypatch.setattr(outcome_store, "LARGEST_OUTCOME", 100)
    shelf = FolderOutcomeStore(tmp_path)
    (tmp_path / "there.json").write_bytes(make_outcome("there", 200))

    with pytest.raises(StoreError, match="TRACE_UNWRITABLE"):
        shelf.keep("k", make_outcome("k", 200))
    with pytest.raises(StoreError, match="more than 100 bytes"):
        shelf.get_outcome("there")
    assert ["there.json"] == _list_names(tmp_path)


def test_what_killed_writers_left_does_not_count(tmp_path: Path) -> None:
    """The temporary file of a killed writer is not a cell."""
    shelf = FolderOutcomeStore(tmp_path)
    (tmp_path / LEFT).write_bytes(make_outcome("k"))

    assert [] == list(shelf.list_keys())
    assert None is shelf.get_outcome("k")


def test_leftovers_go_when_their_writer_is_surely_dead(tmp_path: Path) -> None:
    """A temporary file is removed when it is a day old."""
    left = tmp_path / LEFT
    left.write_bytes(make_outcome("k"))
    now = SystemClock().now()

    FolderOutcomeStore(tmp_path, clock=FixedClock(now + ABANDONED_AFTER_MS - 60_000))
    assert left.exists()
    FolderOutcomeStore(tmp_path, clock=FixedClock(now + ABANDONED_AFTER_MS + 60_000))
    assert not left.exists()


def test_a_writer_that_was_taken_for_dead_writes_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If a temporary file is removed while it is written, it is written again."""
    lost: list[str] = []
    link = os.link

    def unlink_and_link(source: str, target: str, **folders: Any) -> None:
        if not lost:
            lost.append(source)
            Path(source).unlink()
        link(source, target, **folders)

    monkeypatch.setattr(os, "link", unlink_and_link)
    shelf = FolderOutcomeStore(tmp_path)

    assert True is shelf.keep("k", make_outcome("k"))
    assert 1 == len(lost)
    assert make_outcome("k") == shelf.get_outcome("k")


def test_an_answer_that_got_lost_on_the_way_is_no_second_writer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A link that succeeded although the disk reported that it exists counts as made."""
    link = os.link

    def link_and_fail(source: str, target: str, **folders: Any) -> None:
        link(source, target, **folders)
        raise FileExistsError

    monkeypatch.setattr(os, "link", link_and_fail)

    assert True is FolderOutcomeStore(tmp_path).keep("k", make_outcome("k"))


def test_a_disk_without_links_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk without hard links is refused, because it cannot decide who was first."""

    def refuse_link(*_: str, **__: Any) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse_link)
    shelf = FolderOutcomeStore(tmp_path)

    with pytest.raises(StoreError, match="hard links") as raised:
        shelf.keep("k", make_outcome("k"))
    assert not raised.value.recoverable
    assert [] == _list_names(tmp_path)


def test_cells_of_another_experiment_are_not_mixed_in(tmp_path: Path) -> None:
    """The folder of another experiment is refused."""
    FolderOutcomeStore(tmp_path, experiment="a" * 16)

    with pytest.raises(StoreError, match="STORE_UNREADABLE"):
        FolderOutcomeStore(tmp_path, experiment="b" * 16)


def test_a_folder_that_is_not_shared_is_reported(tmp_path: Path) -> None:
    """A worker does not create a missing folder, which should be shared."""
    with pytest.raises(StoreError, match="same one on"):
        FolderOutcomeStore(tmp_path / "cells", experiment="a" * 16, existing=True)

    assert [] == _list_names(tmp_path)


def test_a_folder_that_cannot_be_listed_is_reported(tmp_path: Path) -> None:
    """A folder that cannot be listed is an error, not an empty list."""
    shelf = FolderOutcomeStore(tmp_path / "cells")
    (tmp_path / "cells").rmdir()

    with pytest.raises(StoreError, match="STORE_UNREADABLE"):
        shelf.list_keys()
    with pytest.raises(StoreError, match="TRACE_UNWRITABLE"):
        shelf.keep("k", make_outcome("k"))
