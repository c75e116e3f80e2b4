from collections.abc import Callable

import pytest

from saniwa.app.creation_requests import CreationIndex
from saniwa.app.run_stores import open_play_records
from saniwa.core.errors import SaniwaError
from saniwa.core.idempotency import IdempotencyKey
from saniwa.store.play_records import MemoryPlayRecords, StoredPlay

ASKED = IdempotencyKey(key="mira/1", digest="d1")


def test_a_request_is_remembered_by_its_sender_and_its_name() -> None:
    """A request is found by its sender and key."""
    begun = CreationIndex(open_play_records("memory:"))
    begun.claim_run_id("mira", ASKED, "run-1", lambda _: True)

    assert "run-1" == begun.find_earlier("mira", ASKED)
    assert begun.find_earlier("ben", ASKED) is None
    assert begun.find_earlier("mira", None) is None


def test_another_request_under_the_name_is_refused() -> None:
    """Another request with the same key is refused."""
    begun = CreationIndex(open_play_records("memory:"))
    begun.claim_run_id("mira", ASKED, "run-1", lambda _: True)
    with pytest.raises(SaniwaError) as refused:
        begun.find_earlier("mira", IdempotencyKey(key="mira/1", digest="d2"))

    assert "IDEMPOTENCY_CONFLICT" == refused.value.code


def test_of_two_sent_at_once_the_first_counts() -> None:
    """Of two equal requests at once, the first one's run counts."""
    begun = CreationIndex(open_play_records("memory:"))

    assert "run-1" == begun.claim_run_id("mira", ASKED, "run-1", lambda _: True)
    assert "run-1" == begun.claim_run_id("mira", ASKED, "run-2", lambda _: True)
    assert "run-3" == begun.claim_run_id("mira", None, "run-3", lambda _: True)


def _is_empty(run: str) -> bool:
    return run == ""


def test_a_name_is_claimed_once() -> None:
    """Claiming a key again gives the same run id."""
    begun = CreationIndex(open_play_records("memory:"))

    assert "run-1" == begun.claim_run_id("mira", ASKED, "run-1", _is_empty)
    assert "run-1" == begun.claim_run_id("mira", ASKED, "run-2", _is_empty)
    assert "run-3" == begun.claim_run_id("ben", ASKED, "run-3", _is_empty)
    assert "run-4" == begun.claim_run_id("mira", None, "run-4", _is_empty)


def test_a_name_that_is_spent_is_claimed_again() -> None:
    """A key whose run failed is claimed again once, and everyone else gets the new id."""
    begun = CreationIndex(open_play_records("memory:"))
    begun.claim_run_id("mira", ASKED, "run-1", _is_empty)

    assert "run-2" == begun.claim_run_id("mira", ASKED, "run-2", _is_empty, spent="run-1")
    assert "run-2" == begun.claim_run_id("mira", ASKED, "run-3", _is_empty, spent="run-1")


def test_a_key_under_which_nothing_was_started_is_free() -> None:
    """A key whose run was never created may be used by another request."""
    begun, other = (
        CreationIndex(open_play_records("memory:")),
        IdempotencyKey(key="mira/1", digest="d2"),
    )
    begun.claim_run_id("mira", ASKED, "run-1", _is_empty)
    with pytest.raises(SaniwaError) as refused:
        begun.claim_run_id("mira", other, "run-2", lambda run: run == "run-1")

    assert "IDEMPOTENCY_CONFLICT" == refused.value.code
    assert "run-2" == begun.claim_run_id("mira", other, "run-2", _is_empty)


def test_of_two_claims_at_once_one_counts() -> None:
    """Of two claims at once, the second takes the id that the first has stored."""

    class OvertakenPlayRecords(MemoryPlayRecords):
        """Lets another writer be faster, once."""

        def get(self, play_id: str) -> StoredPlay | None:
            """The content before the other writer."""
            kept = super().get(play_id)
            if waiting:
                CreationIndex(self).claim_run_id("mira", ASKED, waiting.pop(), _is_empty)
            return kept

    waiting = ["theirs"]

    assert "theirs" == CreationIndex(OvertakenPlayRecords()).claim_run_id(
        "mira", ASKED, "ours", _is_empty
    )
    assert [] == waiting


@pytest.mark.parametrize("content", [b"{}", b'{"run":"\xff","digest":"d1"}'])
def test_a_start_request_that_is_damaged_is_reported(content: bytes) -> None:
    """A damaged record is an error, not a missing one."""
    plays = MemoryPlayRecords()
    begun = CreationIndex(plays)
    begun.claim_run_id("mira", ASKED, "run-1", lambda _: True)
    (id,) = plays.list_ids()
    plays.put(id, content, after=1)

    asked: tuple[Callable[[], object], ...] = (
        lambda: begun.find_earlier("mira", ASKED),
        lambda: begun.claim_run_id("mira", ASKED, "run-2", lambda _: True),
    )
    for ask in asked:
        with pytest.raises(SaniwaError) as caught:
            ask()
        assert "STORE_UNREADABLE" == caught.value.code
