import pytest

from saniwa.core.errors import StoreError
from saniwa.runs.playing_record import MOST_TRIES, replace_content
from saniwa.store.play_records import MemoryPlayRecords
from tests.fakes.playing_stages import FailingPlayRecords


class BusyPlayRecords(MemoryPlayRecords):
    """Another writer adds a character just before each of the next writes."""

    def __init__(self, others: int) -> None:
        super().__init__()
        self.others = others

    def create(self, play_id: str, content: bytes) -> None:
        """Create it, unless the other writer is first."""
        if self.others:
            self.others -= 1
            super().create(play_id, b"o")
        super().create(play_id, content)

    def put(self, play_id: str, content: bytes, *, after: int) -> None:
        """Replace it, unless the other writer is first."""
        if self.others:
            self.others -= 1
            kept = self.get(play_id)
            assert kept is not None
            super().put(play_id, kept.content + b"o", after=kept.revision)
        super().put(play_id, content, after=after)


def _append_letter(content: bytes | None) -> bytes:
    return (content or b"") + b"x"


def _read_content(plays: MemoryPlayRecords) -> bytes:
    kept = plays.get("p")
    return kept.content if kept else b""


def test_a_record_is_made_and_then_replaced() -> None:
    """A record is created, and then replaced by a value computed from it."""
    plays = MemoryPlayRecords()
    replace_content(plays, "p", _append_letter)
    replace_content(plays, "p", _append_letter)

    assert b"xx" == _read_content(plays)


def test_what_needs_no_change_is_not_written() -> None:
    """If the function returns None, the record is not written."""
    plays = MemoryPlayRecords()
    plays.create("p", b"a")
    replace_content(plays, "p", lambda _: None)

    kept = plays.get("p")
    assert kept is not None
    assert (1, b"a") == (kept.revision, kept.content)


@pytest.mark.parametrize("others", range(MOST_TRIES))
def test_what_others_keep_in_the_meantime_is_kept_as_well(others: int) -> None:
    """After a conflict the function is applied to the new content, so that nothing is lost."""
    plays = BusyPlayRecords(others)
    replace_content(plays, "p", _append_letter)

    assert b"o" * others + b"x" == _read_content(plays)


def test_a_caller_overtaken_forever_is_informed() -> None:
    """After too many conflicts the error is raised."""
    plays = BusyPlayRecords(MOST_TRIES)
    with pytest.raises(StoreError, match="p") as caught:
        replace_content(plays, "p", _append_letter)

    assert "REVISION_CONFLICT" == caught.value.code
    assert b"o" * MOST_TRIES == _read_content(plays)


def test_a_record_that_is_dropped_in_the_meantime_is_made_again() -> None:
    """A record that is deleted meanwhile is created again."""
    plays = FailingPlayRecords()
    plays.create("p", b"old")
    plays.before = lambda: plays.drop("p")
    replace_content(plays, "p", _append_letter)

    assert b"x" == _read_content(plays)


def test_another_failure_is_reported_at_once() -> None:
    """Any other error is raised without a retry."""
    plays = FailingPlayRecords()
    plays.refused = "p"
    tried = []

    def note_and_write(content: bytes | None) -> bytes:
        tried.append(content)
        return b"x"

    with pytest.raises(StoreError, match="full"):
        replace_content(plays, "p", note_and_write)
    assert [None] == tried
