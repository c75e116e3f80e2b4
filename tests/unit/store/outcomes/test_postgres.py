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
    """A database in which nobody has kept cells."""
    with psycopg.connect(postgres_url) as server:
        server.execute("DROP TABLE IF EXISTS saniwa_cells, saniwa_cells_shape")
    return postgres_url


@pytest.fixture
def outcome_store(url: str) -> Iterator[PostgresOutcomeStore]:
    """An empty shelf."""
    opened = PostgresOutcomeStore(url, "a" * 16, pauses=(0.0,))
    yield opened
    opened.close()


def test_it_connects_again_after_the_server_went_away(
    url: str, outcome_store: PostgresOutcomeStore
) -> None:
    """A cut connection costs nothing but a new one."""
    outcome_store.keep("k", make_outcome("k"))
    cut_off(url)
    assert True is outcome_store.keep("l", make_outcome("l"))
    cut_off(url)
    assert make_outcome("k") == outcome_store.get_outcome("k")
    cut_off(url)
    assert ["k", "l"] == list(outcome_store.list_keys())


def test_a_line_that_is_cut_without_a_word_is_taken_up_again(
    outcome_store: PostgresOutcomeStore,
) -> None:
    """A network that fails says nothing; what was to be kept is kept all the same."""
    with socket.socket(fileno=os.dup(outcome_store._database._connect()._server.fileno())) as line:
        line.shutdown(socket.SHUT_RDWR)

    assert True is outcome_store.keep("k", make_outcome("k"))
    assert make_outcome("k") == outcome_store.get_outcome("k")


def test_a_server_that_stays_away_is_told(url: str) -> None:
    """After a few attempts, with pauses between them, nobody waits any longer."""
    waited: list[float] = []
    shelf = PostgresOutcomeStore(url, "a" * 16, pauses=(0.5, 2.0), sleep=waited.append)
    shelf.close()
    shelf._database._url = "postgresql://127.0.0.1:1/nowhere"

    with pytest.raises(StoreError, match="STORE_UNREACHABLE"):
        shelf.get_outcome("k")
    assert [0.5, 2.0] == waited


def test_a_writer_that_gave_up_connects_anew_the_next_time(url: str) -> None:
    """A connection that was cut at the last attempt is not asked again."""
    shelf = PostgresOutcomeStore(url, "a" * 16, pauses=())
    cut_off(url)
    with pytest.raises(StoreError, match="STORE_UNREACHABLE"):
        shelf.keep("k", make_outcome("k"))

    assert True is shelf.keep("k", make_outcome("k"))
    shelf.close()


def test_experiments_share_a_database_and_no_cell(
    url: str, outcome_store: PostgresOutcomeStore
) -> None:
    """The same key in two plans is two cells."""
    other = PostgresOutcomeStore(url, "b" * 16)
    outcome_store.keep("k", make_outcome("k", by=1))

    assert None is other.get_outcome("k")
    assert True is other.keep("k", make_outcome("k", by=2))
    other.close()
    assert make_outcome("k", by=1) == outcome_store.get_outcome("k")


def test_many_can_be_the_first_to_come(url: str) -> None:
    """The tables are made once, whoever gets there at the same moment."""
    with ThreadPoolExecutor(6) as pool:
        opened = list(pool.map(lambda _: PostgresOutcomeStore(url, "a" * 16), range(6)))
    told = [each.keep("k", make_outcome("k")) for each in opened]
    for each in opened:
        each.close()

    assert [True, *[False] * 5] == told


def test_a_row_that_is_no_outcome_is_an_error(
    url: str, outcome_store: PostgresOutcomeStore
) -> None:
    """A hand in the table is noticed."""
    outcome_store.keep("k", make_outcome("k"))
    with psycopg.connect(url) as server:
        server.execute("UPDATE saniwa_cells SET outcome = '{'")

    with pytest.raises(StoreError, match="TRACE_CORRUPT"):
        outcome_store.get_outcome("k")


def test_tables_of_a_later_shape_are_left_alone(url: str) -> None:
    """A newer Saniwa made them: an update is asked for."""
    PostgresOutcomeStore(url, "a" * 16).close()
    with psycopg.connect(url) as server:
        server.execute("INSERT INTO saniwa_cells_shape VALUES (2)")

    with pytest.raises(StoreError, match="STORE_TOO_NEW"):
        PostgresOutcomeStore(url, "a" * 16)


def test_who_may_not_write_is_told(outcome_store: PostgresOutcomeStore) -> None:
    """A refusal of the server stops the plan: nothing more would be kept either."""
    outcome_store._database._connect()._server.execute("SET default_transaction_read_only = on")

    with pytest.raises(StoreError, match="TRACE_UNWRITABLE") as raised:
        outcome_store.keep("k", make_outcome("k"))
    assert not raised.value.recoverable
