import pytest

from saniwa.core.errors import SaniwaError
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
