import os
import socket
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest

from saniwa.core.errors import StoreError
from saniwa.store.play_records import StoredPlay
from saniwa.store.postgres_stores import PostgresPlayRecords
from tests.fakes.postgres import cut_off


@pytest.fixture
def url(postgres_url: str) -> str:
    """A database without records."""
    with psycopg.connect(postgres_url) as server:
        server.execute("DROP TABLE IF EXISTS saniwa_plays, saniwa_plays_shape")
    return postgres_url


@pytest.fixture
def play_records(url: str) -> Iterator[PostgresPlayRecords]:
    """An empty store."""
    opened = PostgresPlayRecords(url)
    yield opened
    opened.close()


def test_it_continues_after_the_server_went_away(
    url: str, play_records: PostgresPlayRecords
) -> None:
    """A closed connection is replaced by a new one, for every operation."""
    play_records.create("a", b"1")
    cut_off(url)
    play_records.put("a", b"2", after=1)
    cut_off(url)
    play_records.create("b", b"1")
    cut_off(url)
    assert StoredPlay(revision=2, content=b"2") == play_records.get("a")
    cut_off(url)
    assert ("a", "b") == play_records.list_ids()
    cut_off(url)
    play_records.drop("a")

    assert ("b",) == play_records.list_ids()


def test_a_connection_that_is_cut_is_opened_again(play_records: PostgresPlayRecords) -> None:
    """A connection that is cut during a write is replaced, and the record is stored."""
    play_records.create("a", b"1")
    with socket.socket(fileno=os.dup(play_records._database._connect()._server.fileno())) as line:
        line.shutdown(socket.SHUT_RDWR)
    play_records.put("a", b"2", after=1)

    assert StoredPlay(revision=2, content=b"2") == play_records.get("a")


def test_a_lost_answer_is_no_conflict(
    play_records: PostgresPlayRecords, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a lost answer, the own record is recognised, and there is no conflict."""
    send = play_records._database.query_once
    lost = iter([True])

    def query_once(*asked: Any) -> list[Any]:
        told = send(*asked)
        if next(lost, False):
            raise StoreError("STORE_UNREACHABLE", "the answer was lost")
        return told

    with monkeypatch.context() as deaf:
        deaf.setattr(play_records._database, "query_once", query_once)
        play_records.create("a", b"1")
        lost = iter([True])
        play_records.put("a", b"2", after=1)

    assert StoredPlay(revision=2, content=b"2") == play_records.get("a")


def test_another_writers_record_is_not_mistaken_for_this_ones(url: str) -> None:
    """After a lost answer, another writer's record is a conflict."""
    plays = PostgresPlayRecords(url)
    plays.create("a", b"1")
    plays.put("a", b"theirs", after=1)
    cut_off(url)

    with pytest.raises(StoreError, match="REVISION_CONFLICT"):
        plays.put("a", b"ours", after=1)
    assert StoredPlay(revision=2, content=b"theirs") == plays.get("a")
    plays.close()


def test_a_server_that_stays_away_is_reported(url: str) -> None:
    """An unreachable server is a recoverable error, and the store works when it is back."""
    plays = PostgresPlayRecords(url)
    plays.close()
    plays._database._url = "postgresql://127.0.0.1:1/nowhere"

    with pytest.raises(StoreError, match="STORE_UNREACHABLE") as caught:
        plays.get("a")
    assert caught.value.recoverable
    plays._database._url = url
    assert None is plays.get("a")
    plays.close()


def test_many_can_be_the_first_to_come(url: str) -> None:
    """Several clients can create the tables at once."""
    with ThreadPoolExecutor(6) as pool:
        opened = list(pool.map(lambda _: PostgresPlayRecords(url), range(6)))
    opened[0].create("a", b"1")

    assert [("a",)] * 6 == [each.list_ids() for each in opened]
    for each in opened:
        each.close()


def test_tables_of_a_later_shape_are_left_alone(url: str) -> None:
    """Tables of a newer version are refused."""
    PostgresPlayRecords(url).close()
    with psycopg.connect(url) as server:
        server.execute("INSERT INTO saniwa_plays_shape VALUES (2)")

    with pytest.raises(StoreError, match="STORE_TOO_NEW"):
        PostgresPlayRecords(url)


def test_missing_permissions_are_an_error(play_records: PostgresPlayRecords) -> None:
    """Missing permissions are an error that is not retried."""
    play_records._database._connect()._server.execute("SET default_transaction_read_only = on")

    with pytest.raises(StoreError, match="TRACE_UNWRITABLE") as caught:
        play_records.create("a", b"")
    assert not caught.value.recoverable


def test_without_its_library_the_command_that_installs_it_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without the package, the error names the command that installs it."""
    monkeypatch.setitem(sys.modules, "psycopg", None)

    with pytest.raises(StoreError) as caught:
        PostgresPlayRecords("postgresql://127.0.0.1/none")
    assert "EXTRA_MISSING" == caught.value.code
