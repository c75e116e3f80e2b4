import socket
import sys
import traceback
from collections.abc import Iterator

import psycopg
import pytest

from saniwa.core.errors import StoreError
from saniwa.store.postgres_stores import SCHEMA_VERSION, PostgresRunStore
from saniwa.store.run_records import RunSave
from tests.fakes.coroutine_tests import finish_coroutine
from tests.fakes.postgres import cut_off
from tests.fakes.records import make_record, make_turn


@pytest.fixture
def url(postgres_url: str) -> str:
    """The address of a server without Saniwa's tables."""
    _do(
        postgres_url,
        "DROP TABLE IF EXISTS saniwa_saves, saniwa_turns, saniwa_heads, saniwa_runs, saniwa_shape",
    )
    return postgres_url


def _do(url: str, statement: str) -> None:
    with psycopg.connect(url, autocommit=True) as server:
        server.execute(statement.encode())


def test_without_its_library_the_command_that_installs_it_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without the package, the error names the command that installs it."""
    monkeypatch.setitem(sys.modules, "psycopg", None)

    with pytest.raises(StoreError) as caught:
        PostgresRunStore("postgresql://127.0.0.1/none")
    assert "EXTRA_MISSING" == caught.value.code
    assert "pip install 'saniwa[postgres]'" == caught.value.hint


def test_a_server_that_is_not_there_may_be_tried_again() -> None:
    """A server that does not answer is a recoverable error, without the password."""
    with pytest.raises(StoreError) as caught:
        PostgresRunStore("postgresql://me:secret@127.0.0.1:1/none")
    assert "STORE_UNREACHABLE" == caught.value.code
    assert caught.value.recoverable
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://user:secret@[::1/db",
        "postgresql://user:p%zzsecret@127.0.0.1:1/db",
        "postgresql://user:sec ret@127.0.0.1:1/db",
        "postgresql://user:se@cret@127.0.0.1:1/db?hostaddr=127.0.0.1",
        "postgresql://user:1/secret@127.0.0.1/db?hostaddr=127.0.0.1",
        "postgresql://user:se#cret@127.0.0.1:1/db",
        "postgresql:/user:secret@127.0.0.1:1/db",
        "postgresql://127.0.0.1:port/secret",
        "postgresql://127.0.0.1:1/x?secret=1",
        "postgresql://127.0.0.1:1/x?connect_timeout=secret",
        "postgresql://127.0.0.1:1/x?sslmode=secret",
        "postgresql://user:\ud800secret@127.0.0.1:1/db",
        "postgresql://user:\x00secret@127.0.0.1:1/db",
    ],
)
def test_a_broken_address_reveals_no_password(address: str) -> None:
    """The error for a malformed address repeats nothing of it."""
    with pytest.raises(StoreError) as caught:
        PostgresRunStore(address)
    told = "".join(traceback.format_exception(caught.value, chain=True))
    assert caught.value.code in ("STORE_UNKNOWN", "STORE_UNREACHABLE")
    assert "ret" not in str(caught.value)
    assert "During handling" not in told
    assert "direct cause" not in told


def test_a_database_of_a_later_shape_is_left_alone(url: str) -> None:
    """Tables of a newer version are refused."""
    PostgresRunStore(url).close()
    _do(url, f"UPDATE saniwa_shape SET version = {SCHEMA_VERSION + 1}")

    with pytest.raises(StoreError) as caught:
        PostgresRunStore(url)
    assert "STORE_TOO_NEW" == caught.value.code


def test_a_commit_waits_for_the_disk(url: str) -> None:
    """Commits are durable, whatever the server's default."""
    _do(url, "ALTER ROLE saniwa SET synchronous_commit = off")
    store = PostgresRunStore(url)
    found = store._database.query("SHOW synchronous_commit", {})
    store.close()
    _do(url, "ALTER ROLE saniwa RESET synchronous_commit")

    assert [("on",)] == found


@pytest.mark.parametrize(
    ("statement", "number"),
    [
        ("UPDATE saniwa_turns SET turn = '{}' WHERE number = 1", 1),
        ("UPDATE saniwa_turns SET seal = '' WHERE number = 0", 0),
        ("DELETE FROM saniwa_turns WHERE number = 1", 1),
        ("DELETE FROM saniwa_turns WHERE number = 2", 2),
        ("UPDATE saniwa_heads SET count = 2", 2),
        ("UPDATE saniwa_heads SET count = 4", 3),
        ("UPDATE saniwa_heads SET seal = ''", 2),
    ],
)
def test_a_turn_that_is_not_what_was_written_is_named(
    url: str, statement: str, number: int
) -> None:
    """A changed or missing turn is reported when it is read."""
    store = PostgresRunStore(url)
    store.create(make_record())
    for each in range(3):
        finish_coroutine(store.append("run-1", make_turn(each)))
    _do(url, statement)

    with pytest.raises(StoreError) as caught:
        list(store.read_turns("run-1"))
    assert "TRACE_CORRUPT" == caught.value.code
    assert {"run": "run-1", "turn": number} == caught.value.details
    store.close()


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM saniwa_turns WHERE number = 2",
        "UPDATE saniwa_heads SET seal = ''",
        "UPDATE saniwa_heads SET count = 2",
        "DELETE FROM saniwa_heads",
        "DELETE FROM saniwa_runs",
    ],
)
@pytest.mark.parametrize("number", [2, 3])
def test_nothing_is_added_to_a_run_that_lost_something(
    url: str, statement: str, number: int
) -> None:
    """A run with a missing turn accepts no turn."""
    store = PostgresRunStore(url)
    store.create(make_record())
    for each in range(3):
        finish_coroutine(store.append("run-1", make_turn(each)))
    _do(url, statement)

    with pytest.raises(StoreError) as caught:
        finish_coroutine(store.append("run-1", make_turn(number)))
    assert "TRACE_CORRUPT" == caught.value.code
    store.close()


def test_a_lost_run_or_turn_is_noticed_in_the_list(url: str) -> None:
    """A missing run or turn is an error in the list."""
    store = PostgresRunStore(url)
    store.create(make_record())
    finish_coroutine(store.append("run-1", make_turn(0)))
    for statement in ("DELETE FROM saniwa_turns", "DELETE FROM saniwa_runs"):
        _do(url, statement)

        with pytest.raises(StoreError, match="'run-1'") as caught:
            list(store.list_runs())
        assert "TRACE_CORRUPT" == caught.value.code
    store.close()


def test_saves_that_are_not_what_was_written_are_noticed(url: str) -> None:
    """A changed save is an error."""
    store = PostgresRunStore(url)
    store.create(make_record())
    store.save(RunSave(run_id="run-1", name="a", turn=-1))
    _do(url, "UPDATE saniwa_saves SET turn = 0")

    with pytest.raises(StoreError, match="the saves of run 'run-1'"):
        store.list_saves("run-1")
    store.close()


@pytest.mark.parametrize("mode", ["existing", "read"])
def test_reading_a_database_creates_no_tables(url: str, mode: str) -> None:
    """Opening a database without tables for reading is refused and creates none."""
    for _ in range(2):
        with pytest.raises(StoreError) as caught:
            PostgresRunStore(url, mode=mode)  # type: ignore[arg-type]
        assert "STORE_UNREADABLE" == caught.value.code


def test_a_reader_writes_nothing(url: str) -> None:
    """A store opened for reading can be read, and refuses every write."""
    first = PostgresRunStore(url)
    first.create(make_record())
    first.close()
    store = PostgresRunStore(url, mode="read")

    assert make_record() == store.load_record("run-1")
    with pytest.raises(StoreError, match="TRACE_UNWRITABLE"):
        finish_coroutine(store.append("run-1", make_turn(0)))
    store.close()


def test_a_server_that_never_answers_is_not_waited_for(silent_port: int) -> None:
    """A port that accepts and never answers is unreachable after the given time."""
    with pytest.raises(StoreError) as caught:
        PostgresRunStore(f"postgresql://127.0.0.1:{silent_port}/x", patience=1)
    assert "STORE_UNREACHABLE" == caught.value.code
    assert "the connection timed out" in caught.value.message


@pytest.fixture
def silent_port() -> Iterator[int]:
    """A port that accepts connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening.getsockname()[1]


def test_a_missing_database_is_distinguished(url: str) -> None:
    """A missing database is reported as such, without quoting the server."""
    other = url.replace("/postgres?", "/secretive?")

    with pytest.raises(StoreError) as caught:
        PostgresRunStore(other)
    assert "STORE_UNREACHABLE" == caught.value.code
    assert "there is no such database or user" in caught.value.message
    assert "secretive" not in str(caught.value)


def test_a_server_that_goes_away_is_distinguished(url: str) -> None:
    """A connection closed by the server is a recoverable error."""
    store = PostgresRunStore(url)
    store.create(make_record())
    cut_off(url)

    with pytest.raises(StoreError) as caught:
        finish_coroutine(store.append("run-1", make_turn(0)))
    assert "STORE_UNREACHABLE" == caught.value.code
    assert caught.value.recoverable
    store.close()


def test_it_continues_when_the_server_is_back(url: str) -> None:
    """When the server is back, a read is repeated, and a write can be sent again."""
    store = PostgresRunStore(url)
    store.create(make_record())
    cut_off(url)
    assert make_record() == store.load_record("run-1")
    cut_off(url)
    with pytest.raises(StoreError, match="STORE_UNREACHABLE"):
        finish_coroutine(store.append("run-1", make_turn(0)))
    finish_coroutine(store.append("run-1", make_turn(0)))
    cut_off(url)
    assert [make_turn(0)] == list(store.read_turns("run-1"))
    cut_off(url)
    store.save(RunSave(run_id="run-1", name="a", turn=0))

    assert ["a"] == [save.name for save in store.list_saves("run-1")]
    store.close()


def test_a_reader_stays_one_on_a_new_connection(url: str) -> None:
    """A store opened for reading stays read-only on a new connection."""
    PostgresRunStore(url).close()
    store = PostgresRunStore(url, mode="read")
    cut_off(url)

    assert [] == list(store.list_runs())
    with pytest.raises(StoreError, match="TRACE_UNWRITABLE"):
        store.create(make_record())
    store.close()


def test_a_database_that_may_not_be_written_to_keeps_nothing(url: str) -> None:
    """In a read-only database a turn is refused, and reading works."""
    store = PostgresRunStore(url)
    store.create(make_record())
    store._server._connect()._server.execute("SET default_transaction_read_only = on")

    with pytest.raises(StoreError) as caught:
        finish_coroutine(store.append("run-1", make_turn(0)))
    assert "TRACE_UNWRITABLE" == caught.value.code
    assert [] == list(store.read_turns("run-1"))
    store.close()


def test_waiting_too_long_for_a_lock_is_recoverable(url: str) -> None:
    """Waiting too long for a lock is a recoverable error."""
    store = PostgresRunStore(url)
    store.create(make_record())
    store._server._connect()._server.execute("SET lock_timeout = '10ms'")
    with psycopg.connect(url) as other:
        other.execute("LOCK TABLE saniwa_turns IN EXCLUSIVE MODE")
        with pytest.raises(StoreError) as caught:
            finish_coroutine(store.append("run-1", make_turn(0)))
    assert "STORE_BUSY" == caught.value.code
    assert caught.value.recoverable
    store.close()
