from pathlib import Path

import pytest

from saniwa.app.run_stores import open_play_records
from saniwa.core.errors import StoreError
from saniwa.store.play_records import MemoryPlayRecords


def test_plays_are_next_to_a_store_that_is_a_file(tmp_path: Path) -> None:
    """Plays are stored in a file of their own next to the store's."""
    open_play_records(tmp_path / ".saniwa" / "runs.db").close()

    assert (tmp_path / ".saniwa" / "plays.sqlite").is_file()


def test_a_store_in_memory_has_plays_in_memory() -> None:
    """With a store in memory, plays are in memory."""
    assert isinstance(open_play_records("memory:"), MemoryPlayRecords)


def test_another_kind_of_address_is_refused() -> None:
    """An unknown kind of address is refused, with the known ones."""
    with pytest.raises(StoreError, match="'mysql' address") as caught:
        open_play_records("mysql://127.0.0.1/x")
    assert "STORE_UNKNOWN" == caught.value.code
