import asyncio
import threading

import pytest

from saniwa.runs.word_interpreter import SHORT_WORK, run_in_thread
from tests.fakes.worlds import make_courtyard


@pytest.mark.parametrize(("letters", "aside"), [(1, False), (SHORT_WORK, True)])
def test_long_work_is_done_in_a_thread(letters: int, aside: bool) -> None:
    """Long work runs in a thread, short work at once."""
    done_by = asyncio.run(run_in_thread(threading.get_ident, make_courtyard(), "x" * letters))

    assert aside == (done_by != threading.get_ident())


def test_without_an_event_loop_the_work_is_done_at_once() -> None:
    """Without an event loop the work runs at once."""
    steps = run_in_thread(threading.get_ident, make_courtyard(), "x" * SHORT_WORK)
    with pytest.raises(StopIteration) as ended:
        steps.send(None)

    assert threading.get_ident() == ended.value.value


def test_what_the_work_raises_reaches_who_asked() -> None:
    """An exception in the thread is raised to the caller."""

    def fail() -> None:
        raise KeyError("x")

    with pytest.raises(KeyError):
        asyncio.run(run_in_thread(fail, make_courtyard(), "x" * SHORT_WORK))
