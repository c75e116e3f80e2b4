from saniwa.core.errors import make_rate_limit_error


def test_a_caller_that_asks_too_often_learns_when_to_retry() -> None:
    """The wait is given in whole seconds, and is at least one."""
    soon, later = (make_rate_limit_error("too much", 0.1), make_rate_limit_error("too much", 2.5))

    assert "try again in 1 second" == soon.hint
    assert {"retry_after": 3} == later.details
    assert later.recoverable
