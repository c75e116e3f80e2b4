import psycopg
import pytest

from saniwa.store.postgres_connection import make_postgres_error


@pytest.mark.parametrize("code", ["TRACE_UNWRITABLE", "STORE_UNREADABLE"])
def test_a_line_that_broke_is_reported_as_such(code: str) -> None:
    """A broken connection is a recoverable error during any operation."""
    cut = psycopg.OperationalError("server closed the connection unexpectedly")
    told = make_postgres_error(code, cut, "postgresql:runs")

    assert ("STORE_UNREACHABLE", True) == (told.code, told.recoverable)


def test_what_cannot_be_written_at_all_is_not_tried_again() -> None:
    """Text that no database can store is an error that is not recoverable."""
    told = make_postgres_error("TRACE_UNWRITABLE", UnicodeError("surrogates"), "postgresql:runs")

    assert ("TRACE_UNWRITABLE", False) == (told.code, told.recoverable)
