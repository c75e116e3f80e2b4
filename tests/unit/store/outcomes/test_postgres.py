import os
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from saniwa.core.errors import StoreError
from saniwa.store.postgres_stores import PostgresOutcomeStore
from tests.fakes.cell_writer import make_outcome
from tests.fakes.postgres import cut_off


@pytest.fixture
def url(postgres_url: str) -> str:
    """A database without cells."""
    with psycopg.connect(postgres_url) as server:
        server.execute("DROP TABLE IF EXISTS saniwa_cells, saniwa_cells_shape")
    return postgres_url


@pytest.fixture
def outcome_store(url: str) -> Iterator[PostgresOutcomeStore]:
    """An empty store."""
    opened = PostgresOutcomeStore(url, "a" * 16, pauses=(0.0,))
    yield opened
    opened.close()


def test_it_connects_again_after_the_server_went_away(
    url: str, outcome_store: PostgresOutcomeStore
) -> None:
    """A closed connection is replaced by a new one."""
    outcome_store.keep("k", make_outcome("k"))
    cut_off(url)
    assert True is outcome_store.keep("l", make_outcome("l"))
    cut_off(url)
    assert make_outcome("k") == outcome_store.get_outcome("k")
    cut_off(url)
    assert ["k", "l"] == list(outcome_store.list_keys())


def test_a_connection_that_is_cut_is_opened_again(outcome_store: PostgresOutcomeStore) -> None:
    """A connection that is cut during a write is replaced, and the outcome is stored."""
    with socket.socket(fileno=os.dup(outcome_store._database._connect()._server.fileno())) as line:
        line.shutdown(socket.SHUT_RDWR)

    assert True is outcome_store.keep("k", make_outcome("k"))
    assert make_outcome("k") == outcome_store.get_outcome("k")


def test_a_server_that_stays_away_is_reported(url: str) -> None:
    """If the server stays unreachable, the call fails after a few attempts with pauses."""
    waited: list[float] = []
    shelf = PostgresOutcomeStore(url, "a" * 16, pauses=(0.5, 2.0), sleep=waited.append)
    shelf.close()
    shelf._database._url = "postgresql://127.0.0.1:1/nowhere"

    with pytest.raises(StoreError, match="STORE_UNREACHABLE"):
        shelf.get_outcome("k")
    assert [0.5, 2.0] == waited


def test_a_writer_that_gave_up_connects_again_the_next_time(url: str) -> None:
    """After a failed call, the next one reconnects."""
    shelf = PostgresOutcomeStore(url, "a" * 16, pauses=())
    cut_off(url)
    with pytest.raises(StoreError, match="STORE_UNREACHABLE"):
        shelf.keep("k", make_outcome("k"))

    assert True is shelf.keep("k", make_outcome("k"))
    shelf.close()


def test_experiments_share_a_database_and_no_cell(
    url: str, outcome_store: PostgresOutcomeStore
) -> None:
    """The same key in two experiments is two cells."""
    other = PostgresOutcomeStore(url, "b" * 16)
    outcome_store.keep("k", make_outcome("k", by=1))

    assert None is other.get_outcome("k")
    assert True is other.keep("k", make_outcome("k", by=2))
    other.close()
    assert make_outcome("k", by=1) == outcome_store.get_outcome("k")


def test_many_can_be_the_first_to_come(url: str) -> None:
    """Several clients can create the tables at once."""
    with ThreadPoolExecutor(6) as pool:
        opened = list(pool.map(lambda _: PostgresOutcomeStore(url, "a" * 16), range(6)))
    told = [each.keep("k", make_outcome("k")) for each in opened]
    for each in opened:
        each.close()

    assert [True, *[False] * 5] == told


def test_a_row_that_is_no_outcome_is_an_error(
    url: str, outcome_store: PostgresOutcomeStore
) -> None:
    """A changed row is an error."""
    outcome_store.keep("k", make_outcome("k"))
    with psycopg.connect(url) as server:
        server.execute("UPDATE saniwa_cells SET outcome = '{'")

    with pytest.raises(StoreError, match="TRACE_CORRUPT"):
        outcome_store.get_outcome("k")


def test_tables_of_a_later_shape_are_left_alone(url: str) -> None:
    """Tables of a newer version are refused."""
    PostgresOutcomeStore(url, "a" * 16).close()
    with psycopg.connect(url) as server:
        server.execute("INSERT INTO saniwa_cells_shape VALUES (2)")

    with pytest.raises(StoreError, match="STORE_TOO_NEW"):
        PostgresOutcomeStore(url, "a" * 16)


def test_missing_permissions_are_an_error(outcome_store: PostgresOutcomeStore) -> None:
    """Missing permissions are an error that is not recoverable."""
    outcome_store._database._connect()._server.execute("SET default_transaction_read_only = on")

    with pytest.raises(StoreError, match="TRACE_UNWRITABLE") as raised:
        outcome_store.keep("k", make_outcome("k"))
    assert not raised.value.recoverable
