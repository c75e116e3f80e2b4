import pytest

from saniwa.core.errors import StoreError
from saniwa.run.hosted.record import Origin
from saniwa.run.hosted.seen import Seen
from saniwa.store.plays.memory import MemoryPlays
from tests.fakes.hosted import FailingPlays

TALE = Origin(story="tale", owner="ana")


def test_what_was_seen_stays_seen() -> None:
    """In every later playing, and more is added."""
    plays = MemoryPlays()
    Seen(TALE, plays).keep(frozenset({"a", "b"}))
    Seen(TALE, plays).keep(frozenset({"b", "庭"}))

    assert {"a", "b", "庭"} == Seen(TALE, plays).ids()


def test_at_first_nothing_was_seen() -> None:
    """And looking keeps nothing."""
    plays = MemoryPlays()

    assert frozenset() == Seen(TALE, plays).ids()
    assert () == plays.ids()


def test_everybody_has_seen_their_own() -> None:
    """Another person, and another story, are told apart."""
    plays = MemoryPlays()
    Seen(TALE, plays).keep(frozenset({"a"}))

    assert frozenset() == Seen(Origin(story="tale", owner="ben"), plays).ids()
    assert frozenset() == Seen(Origin(story="other", owner="ana"), plays).ids()
    assert {"a"} == Seen(Origin(story="tale", owner="ana", seed=3), plays).ids()


def test_a_draft_is_remembered_by_nobody() -> None:
    """Its lines are new each time."""
    plays = MemoryPlays()
    for story in ("", "tale"):
        draft = Seen(Origin(story=story, draft="# T\n\nHello.\n"), plays)
        draft.keep(frozenset({"a"}))

        assert frozenset() == draft.ids()
    assert () == plays.ids()


def test_nothing_new_is_not_written() -> None:
    """Reading a story again costs no writing."""
    plays = FailingPlays()
    Seen(TALE, plays).keep(frozenset({"a", "b"}))
    plays.refused = "seen-"
    Seen(TALE, plays).keep(frozenset({"a"}))

    assert {"a", "b"} == Seen(TALE, plays).ids()


def test_two_who_read_at_once_lose_nothing() -> None:
    """What the other keeps in between is joined."""
    plays = FailingPlays()
    seen = Seen(TALE, plays)
    seen.keep(frozenset({"a"}))
    plays.before = lambda: Seen(TALE, plays).keep(frozenset({"theirs"}))
    seen.keep(frozenset({"ours"}))

    assert {"a", "theirs", "ours"} == seen.ids()


@pytest.mark.parametrize("content", [b"{", b'["\xff"]', b"[3]"])
def test_what_was_seen_and_is_damaged_is_told(content: bytes) -> None:
    """It is not taken for nothing, and nothing is written over it."""
    plays = MemoryPlays()
    seen = Seen(Origin(story="s"), plays)
    seen.keep(frozenset({"a"}))
    (id,) = plays.ids()
    plays.put(id, content, after=1)

    for read in (seen.ids, lambda: seen.keep(frozenset({"b"}))):
        with pytest.raises(StoreError) as caught:
            read()
        assert "STORE_UNREADABLE" == caught.value.code
