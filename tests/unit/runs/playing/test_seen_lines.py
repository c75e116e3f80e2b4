import pytest

from saniwa.core.errors import StoreError
from saniwa.runs.playing_record import PlayOrigin, SeenLines
from saniwa.store.play_records import MemoryPlayRecords
from tests.fakes.playing_stages import FailingPlayRecords

TALE = PlayOrigin(story="tale", owner="ana")


def test_what_was_seen_stays_seen() -> None:
    """Seen lines are stored for later playings, and others are added."""
    plays = MemoryPlayRecords()
    SeenLines(TALE, plays).add_ids(frozenset({"a", "b"}))
    SeenLines(TALE, plays).add_ids(frozenset({"b", "庭"}))

    assert {"a", "b", "庭"} == SeenLines(TALE, plays).list_ids()


def test_at_first_nothing_was_seen() -> None:
    """At first no line was seen, and reading stores nothing."""
    plays = MemoryPlayRecords()

    assert frozenset() == SeenLines(TALE, plays).list_ids()
    assert () == plays.list_ids()


def test_everyone_has_seen_their_own() -> None:
    """Seen lines are stored per person and story."""
    plays = MemoryPlayRecords()
    SeenLines(TALE, plays).add_ids(frozenset({"a"}))

    assert frozenset() == SeenLines(PlayOrigin(story="tale", owner="ben"), plays).list_ids()
    assert frozenset() == SeenLines(PlayOrigin(story="other", owner="ana"), plays).list_ids()
    assert {"a"} == SeenLines(PlayOrigin(story="tale", owner="ana", seed=3), plays).list_ids()


def test_a_draft_is_not_remembered() -> None:
    """Seen lines of a draft are not stored."""
    plays = MemoryPlayRecords()
    for story in ("", "tale"):
        draft = SeenLines(PlayOrigin(story=story, draft="# T\n\nHello.\n"), plays)
        draft.add_ids(frozenset({"a"}))

        assert frozenset() == draft.list_ids()
    assert () == plays.list_ids()


def test_nothing_new_is_not_written() -> None:
    """Seeing the same lines again writes nothing."""
    plays = FailingPlayRecords()
    SeenLines(TALE, plays).add_ids(frozenset({"a", "b"}))
    plays.refused = "seen-"
    SeenLines(TALE, plays).add_ids(frozenset({"a"}))

    assert {"a", "b"} == SeenLines(TALE, plays).list_ids()


def test_lines_of_two_concurrent_readers_are_merged() -> None:
    """Lines that another process stores meanwhile are merged."""
    plays = FailingPlayRecords()
    seen = SeenLines(TALE, plays)
    seen.add_ids(frozenset({"a"}))
    plays.before = lambda: SeenLines(TALE, plays).add_ids(frozenset({"theirs"}))
    seen.add_ids(frozenset({"ours"}))

    assert {"a", "theirs", "ours"} == seen.list_ids()


@pytest.mark.parametrize("content", [b"{", b'["\xff"]', b"[3]"])
def test_what_was_seen_and_is_damaged_is_reported(content: bytes) -> None:
    """A damaged record is an error, and is not overwritten."""
    plays = MemoryPlayRecords()
    seen = SeenLines(PlayOrigin(story="s"), plays)
    seen.add_ids(frozenset({"a"}))
    (id,) = plays.list_ids()
    plays.put(id, content, after=1)

    for read in (seen.list_ids, lambda: seen.add_ids(frozenset({"b"}))):
        with pytest.raises(StoreError) as caught:
            read()
        assert "STORE_UNREADABLE" == caught.value.code
