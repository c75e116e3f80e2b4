from collections.abc import Callable

import pytest

from saniwa.core.errors import SaniwaError
from saniwa.store.plays.memory import MemoryPlays
from saniwa.store.plays.port import Kept
from saniwa.turn.trace import Asked
from saniwa.wiring.garden.begun import Begun
from saniwa.wiring.plays import open_plays

ASKED = Asked(key="mira/1", digest="d1")


def test_a_request_is_remembered_by_its_sender_and_its_name() -> None:
    """Another sender's same name stands for nothing."""
    begun = Begun(open_plays("memory:"))
    begun.remember("mira", ASKED, "run-1")

    assert "run-1" == begun.before("mira", ASKED)
    assert begun.before("ben", ASKED) is None
    assert begun.before("mira", None) is None


def test_another_request_under_the_name_is_refused() -> None:
    """A name stands for one request."""
    begun = Begun(open_plays("memory:"))
    begun.remember("mira", ASKED, "run-1")
    with pytest.raises(SaniwaError) as refused:
        begun.before("mira", Asked(key="mira/1", digest="d2"))

    assert "IDEMPOTENCY_CONFLICT" == refused.value.code


def test_of_two_sent_at_once_the_first_counts() -> None:
    """Whoever comes second is told of the other's run."""
    begun = Begun(open_plays("memory:"))

    assert "run-1" == begun.remember("mira", ASKED, "run-1")
    assert "run-1" == begun.remember("mira", ASKED, "run-2")
    assert "run-3" == begun.remember("mira", None, "run-3")


def _nowhere(run: str) -> bool:
    return run == ""


def test_a_name_is_claimed_once() -> None:
    """The same request means the same run, whether or not it was begun."""
    begun = Begun(open_plays("memory:"))

    assert "run-1" == begun.claim("mira", ASKED, "run-1", _nowhere)
    assert "run-1" == begun.claim("mira", ASKED, "run-2", _nowhere)
    assert "run-3" == begun.claim("ben", ASKED, "run-3", _nowhere)
    assert "run-4" == begun.claim("mira", None, "run-4", _nowhere)


def test_a_name_that_is_spent_is_claimed_anew() -> None:
    """Once: whoever else finds it spent is given the new one."""
    begun = Begun(open_plays("memory:"))
    begun.claim("mira", ASKED, "run-1", _nowhere)

    assert "run-2" == begun.claim("mira", ASKED, "run-2", _nowhere, spent="run-1")
    assert "run-2" == begun.claim("mira", ASKED, "run-3", _nowhere, spent="run-1")


def test_a_key_under_which_nothing_was_begun_is_free() -> None:
    """Another request may have it; once its run is there, it is taken."""
    begun, other = Begun(open_plays("memory:")), Asked(key="mira/1", digest="d2")
    begun.claim("mira", ASKED, "run-1", _nowhere)
    with pytest.raises(SaniwaError) as refused:
        begun.claim("mira", other, "run-2", lambda run: run == "run-1")

    assert "IDEMPOTENCY_CONFLICT" == refused.value.code
    assert "run-2" == begun.claim("mira", other, "run-2", _nowhere)


def test_of_two_claims_at_once_one_counts() -> None:
    """Whoever writes second takes what the first has written."""

    class Overtaken(MemoryPlays):
        """Lets somebody else be faster, once."""

        def get(self, play_id: str) -> Kept | None:
            """What is there, before the other comes."""
            kept = super().get(play_id)
            if waiting:
                Begun(self).claim("mira", ASKED, waiting.pop(), _nowhere)
            return kept

    waiting = ["theirs"]

    assert "theirs" == Begun(Overtaken()).claim("mira", ASKED, "ours", _nowhere)
    assert [] == waiting


@pytest.mark.parametrize("content", [b"{}", b'{"run":"\xff","digest":"d1"}'])
def test_a_beginning_that_is_damaged_is_told(content: bytes) -> None:
    """Neither is it forgotten, which would begin a second run."""
    plays = MemoryPlays()
    begun = Begun(plays)
    begun.remember("mira", ASKED, "run-1")
    (id,) = plays.ids()
    plays.put(id, content, after=1)

    asked: tuple[Callable[[], object], ...] = (
        lambda: begun.before("mira", ASKED),
        lambda: begun.claim("mira", ASKED, "run-2", lambda _: True),
    )
    for ask in asked:
        with pytest.raises(SaniwaError) as caught:
            ask()
        assert "STORE_UNREADABLE" == caught.value.code
