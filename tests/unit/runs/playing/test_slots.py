import pytest

from saniwa.core.errors import StoreError
from saniwa.runs.playing import SaveSlot
from saniwa.runs.playing_record import MOST_SLOTS, SaveSlots
from saniwa.store.play_records import MemoryPlayRecords
from tests.fakes.playing_stages import FailingPlayRecords


def _make_slots(plays: MemoryPlayRecords | None = None, run: str = "run-1") -> SaveSlots:
    return SaveSlots(run, plays or MemoryPlayRecords())


def test_a_place_keeps_its_state_to_the_byte() -> None:
    """A save keeps its state, whatever its name."""
    slots = _make_slots()
    for number, name in enumerate(["庭", "a/b", "..", "%2e", "A", "a"]):
        slots.put(name, number, b"%d" % number, "")

    assert [b"0", b"1", b"2", b"3", b"4", b"5"] == [
        slots.read_state(name) for name in ["庭", "a/b", "..", "%2e", "A", "a"]
    ]


def test_places_are_listed_by_name() -> None:
    """Saves are listed by name, with their time and line."""
    slots = _make_slots()
    slots.put("b", 2, b"{}", "second")
    slots.put("a", 1, b"{}", "first")

    first = SaveSlot(name="a", created=1, line="first")
    second = SaveSlot(name="b", created=2, line="second")
    assert (first, second) == slots.list_slots()
    assert first.removable


def test_runs_do_not_see_each_others_places() -> None:
    """A run sees only its own saves, even if another id begins the same."""
    plays = MemoryPlayRecords()
    for run in ("run-1", "run-10", "run-1-2", "run-2"):
        _make_slots(plays, run).put("here", 1, b'"%s"' % run.encode(), run)

    assert ("run-1",) == tuple(each.line for each in _make_slots(plays, "run-1").list_slots())
    assert b'"run-10"' == _make_slots(plays, "run-10").read_state("here")


def test_a_removed_place_is_gone() -> None:
    """Removing a missing save is an error that lists the others."""
    slots = _make_slots()
    slots.put("garden", 1, b"{}", "")
    slots.put("gate", 1, b"{}", "")
    slots.drop("gate")
    with pytest.raises(StoreError) as caught:
        slots.drop("gate")

    assert "SAVE_NOT_FOUND" == caught.value.code
    assert {"save": "gate", "saves": ["garden"]} == caught.value.details
    assert ["garden"] == [each.name for each in slots.list_slots()]


def test_there_are_only_so_many_places() -> None:
    """The number of saves is limited, but an existing one can be replaced."""
    slots = _make_slots()
    for number in range(MOST_SLOTS):
        slots.put(f"{number:03}", 1, b"{}", "")
    with pytest.raises(StoreError) as caught:
        slots.put("more", 1, b"{}", "")
    slots.put("000", 2, b'"moved"', "")

    assert "SAVES_TOO_MANY" == caught.value.code
    assert MOST_SLOTS == len(slots.list_slots())
    assert b'"moved"' == slots.read_state("000")


def test_a_place_that_two_move_at_once_is_the_last_ones() -> None:
    """Of two writers of a save, the last one counts, and neither is refused."""
    plays = FailingPlayRecords()
    slots = _make_slots(plays)
    slots.put("here", 1, b'"old"', "")
    plays.before = lambda: slots.put("here", 2, b'"theirs"', "")
    slots.put("here", 3, b'"ours"', "")

    assert b'"ours"' == slots.read_state("here")
    assert [3] == [each.created for each in slots.list_slots()]


def test_a_place_that_cannot_be_kept_stays_where_it_was() -> None:
    """If a save cannot be stored, the old one stays, and the error is raised."""
    plays = FailingPlayRecords()
    slots = _make_slots(plays)
    slots.put("here", 1, b'"old"', "")
    plays.refused = "save-"
    with pytest.raises(StoreError, match="full"):
        slots.put("here", 2, b'"new"', "")

    assert b'"old"' == slots.read_state("here")


@pytest.mark.parametrize("content", [b"", b"{}", b'{"slot":{"name":"\xff"}}', b'{"x":' * 9_000])
def test_a_place_that_no_longer_exists_is_reported(content: bytes) -> None:
    """A damaged save is an error."""
    plays = MemoryPlayRecords()
    slots = _make_slots(plays)
    slots.put("a", 1, b"{}", "")
    (id,) = plays.list_ids()
    plays.put(id, content, after=1)

    for read in (slots.list_slots, lambda: slots.read_state("a")):
        with pytest.raises(StoreError) as caught:
            read()
        assert "STORE_UNREADABLE" == caught.value.code
