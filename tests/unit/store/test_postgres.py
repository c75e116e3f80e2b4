import sys

import psycopg
import pytest

from saniwa.core.errors import StoreError
from saniwa.store.postgres import VERSION, PostgresStore
from tests.fakes.records import record, turn


@pytest.fixture
def url(postgres_url: str) -> str:
    """The address of a server without our tables."""
    _do(
        postgres_url,
        "DROP TABLE IF EXISTS"
        " saniwa_saves, saniwa_turns, saniwa_heads, saniwa_runs, saniwa_shape",
    )
    return postgres_url


def _do(url: str, statement: str) -> None:
    with psycopg.connect(url, autocommit=True) as server:
        server.execute(statement.encode())


def test_without_its_library_the_command_that_installs_it_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A missing extra is an error that says how to install it."""
    monkeypatch.setitem(sys.modules, "psycopg", None)

    with pytest.raises(StoreError) as caught:
        PostgresStore("postgresql://127.0.0.1/none")
    assert "EXTRA_MISSING" == caught.value.code
    assert "pip install 'saniwa[postgres]'" == caught.value.hint


def test_a_server_that_is_not_there_may_be_tried_again() -> None:
    """An address where nobody answers is a recoverable error without its password."""
    with pytest.raises(StoreError) as caught:
        PostgresStore("postgresql://me:secret@127.0.0.1:1/none")
    assert "STORE_UNREACHABLE" == caught.value.code
    assert caught.value.recoverable
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "address", ["postgresql://%zz", "postgresql://127.0.0.1:port/x"]
)
def test_an_address_that_is_none_is_an_error(address: str) -> None:
    """A broken address is refused like a server that is not there."""
    with pytest.raises(StoreError):
        PostgresStore(address)


def test_a_database_of_a_later_shape_is_left_alone(url: str) -> None:
    """A newer Saniwa's tables are refused by number."""
    PostgresStore(url).close()
    _do(url, f"UPDATE saniwa_shape SET version = {VERSION + 1}")

    with pytest.raises(StoreError) as caught:
        PostgresStore(url)
    assert "STORE_TOO_NEW" == caught.value.code


def test_a_commit_waits_for_the_disk(url: str) -> None:
    """Whatever the server's own setting, our commits are durable when they return."""
    _do(url, "ALTER ROLE saniwa SET synchronous_commit = off")
    store = PostgresStore(url)
    found = store._ask("SHOW synchronous_commit")
    store.close()
    _do(url, "ALTER ROLE saniwa RESET synchronous_commit")

    assert [("on",)] == found


@pytest.mark.parametrize(
    ("statement", "number"),
    [
        ("UPDATE saniwa_turns SET turn = '{}' WHERE number = 1", 1),
        ("UPDATE saniwa_turns SET seal = '' WHERE number = 0", 0),
        ("DELETE FROM saniwa_turns WHERE number = 1", 1),
    ],
)
def test_a_turn_that_is_not_what_was_written_is_named(
    url: str, statement: str, number: int
) -> None:
    """A changed or missing turn is found on reading."""
    store = PostgresStore(url)
    store.create(record())
    for each in range(3):
        store.append("run-1", turn(each))
    _do(url, statement)

    with pytest.raises(StoreError) as caught:
        list(store.turns("run-1"))
    assert "TRACE_CORRUPT" == caught.value.code
    assert {"run": "run-1", "turn": number} == caught.value.details
    store.close()


def test_a_server_that_goes_away_is_told_apart(url: str) -> None:
    """A connection cut from the other side is an error one may recover from."""
    store = PostgresStore(url)
    store.create(record())
    _do(
        url,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'",
    )

    with pytest.raises(StoreError) as caught:
        store.append("run-1", turn(0))
    assert "STORE_UNREACHABLE" == caught.value.code
    assert caught.value.recoverable
    store.close()


def test_a_database_that_may_not_be_written_to_keeps_nothing(url: str) -> None:
    """A read-only database refuses the turn and still reads."""
    store = PostgresStore(url)
    store.create(record())
    store._server.execute("SET default_transaction_read_only = on")

    with pytest.raises(StoreError) as caught:
        store.append("run-1", turn(0))
    assert "TRACE_UNWRITABLE" == caught.value.code
    assert [] == list(store.turns("run-1"))
    store.close()


def test_who_waits_too_long_for_another_is_busy(url: str) -> None:
    """A lock that is not given in time is an error one may recover from."""
    store = PostgresStore(url)
    store.create(record())
    store._server.execute("SET lock_timeout = '10ms'")
    with psycopg.connect(url) as other:
        other.execute("LOCK TABLE saniwa_turns IN EXCLUSIVE MODE")
        with pytest.raises(StoreError) as caught:
            store.append("run-1", turn(0))
    assert "STORE_BUSY" == caught.value.code
    assert caught.value.recoverable
    store.close()
