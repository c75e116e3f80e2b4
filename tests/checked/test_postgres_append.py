"""Two callers that append to one log in PostgreSQL, their statements in random orders.

The log is that of a gate's run or of a story's run. Not exhaustive: a number of orders is
drawn from a seed. The tests rely on the server for what happens inside a statement.
"""

from collections.abc import Callable
from contextlib import closing
from random import Random  # noqa: TID251 - seeded here
from typing import Any
from unittest.mock import patch

import psycopg
import pytest
from msgspec.structs import replace

from saniwa.core.clock import FixedClock
from saniwa.core.errors import SaniwaError
from saniwa.core.idempotency import IdempotencyKey
from saniwa.process.event_record import EventRecord
from saniwa.process.gate import Gate
from saniwa.process.ruling import EventAcceptance
from saniwa.process.submission import Visitor
from saniwa.runs.playing import PlayRequest
from saniwa.runs.replay import replay_run
from saniwa.runs.run_factory import resume_run
from saniwa.runs.scenario_playing import ScenarioPlaying
from saniwa.store import sql_sealed_log
from saniwa.store.gate import postgres_log
from saniwa.store.gate.postgres_log import PostgresGateLog
from saniwa.store.postgres_stores import PostgresRunStore
from saniwa.store.sql_run_store import build_turn_tables
from saniwa.store.sql_sealed_log import SqlLogTables, build_postgres_append
from tests.checked.gate_world import make_knock
from tests.checked.own_ids import OwnIds
from tests.checked.statements import play
from tests.fakes.coroutine_tests import finish_coroutine
from tests.fakes.gate import make_door_process, make_opening_record, make_run_id
from tests.fakes.nightly import NIGHTLY
from tests.fakes.paper_process import EvidenceFiles, ProcessCollection
from tests.fakes.runs import open_courtyard_run, summarize_replay

ORDERS = 600 if NIGHTLY else 20
_MISTAKEN_ORDERS = range(2_000, 2_000 + 2 * ORDERS)
"""The orders to try until a mistake is found."""
Told = list[str]
Answer = Callable[[int, str], str]
"""Sends a request as a caller under a key, and returns the answer in one word."""


@pytest.fixture(scope="module")
def url(postgres_url: str) -> str:
    """A separate database for this module."""
    with psycopg.connect(postgres_url, autocommit=True) as server:
        server.execute("DROP DATABASE IF EXISTS explored")
        server.execute("CREATE DATABASE explored")
    return postgres_url.replace("/postgres?", "/explored?")


def _run_order(url: str, keys: tuple[str, str], answer: Answer, seed: int) -> Told:
    """Two callers with a key each, in one order; returns their answers, sorted."""
    told = Told()
    errands = [lambda n=n: told.append(answer(n, keys[n])) for n in (0, 1)]
    order = play(url, errands, Random(f"{seed}"))
    assert {"0", "1"} == set(order)
    return sorted(told)


def _make_gate(log: PostgresGateLog, caller: int) -> Gate:
    visitor = Visitor("agent", name=f"caller-{caller}")
    clock = FixedClock(1_767_225_700_000)
    return Gate(
        log, ProcessCollection(), EvidenceFiles({}), visitor, clock=clock, ids=OwnIds(caller)
    )


def _answer_at_gate(url: str, keys: tuple[str, str], number: int) -> tuple[Told, list[Any]]:
    run, process = make_run_id(number + 1), make_door_process()
    with closing(PostgresGateLog(url)) as log:
        log.create(run, make_opening_record(process), process)

    def answer(caller: int, key: str) -> str:
        with closing(PostgresGateLog(url, mode="existing")) as log:
            sent = replace(make_knock(key, who=key), run_id=run)
            try:
                ruling = _make_gate(log, caller).submit(sent)
            except SaniwaError as problem:
                return problem.code
            if isinstance(ruling, EventAcceptance):
                return "replayed" if ruling.replayed else "accepted"
            return ruling.code

    told = _run_order(url, keys, answer, number)
    with closing(PostgresGateLog(url)) as log:
        kept = [each for each in log.read_entries(run) if isinstance(each, EventRecord)]
        assert () == log.find_faults(run)
    return told, kept


def _answer_on_run(url: str, keys: tuple[str, str], number: int) -> tuple[Told, list[Any]]:
    with closing(PostgresRunStore(url)) as store:
        run = open_courtyard_run(store, run_id=f"run-{number}").id

    def answer(caller: int, key: str) -> str:
        with closing(PostgresRunStore(url, mode="existing")) as store:
            hosted = ScenarioPlaying(resume_run(run, store, ids=OwnIds(caller), clock=FixedClock()))
            request = PlayRequest(revision=0, asked=IdempotencyKey(key=key, digest=key))
            try:
                finish_coroutine(hosted.say(request, "look"))
            except SaniwaError as problem:
                return problem.code
            return "done"

    told = _run_order(url, keys, answer, number)
    with closing(PostgresRunStore(url)) as store:
        kept = list(store.read_turns(run))
        assert (len(kept), None) == summarize_replay(replay_run(store, run))
    return told, kept


def test_of_two_at_a_gate_one_is_accepted_and_the_other_leaves_nothing(url: str) -> None:
    """Of two events for one revision, one is accepted and the other is a conflict."""
    for number in range(ORDERS):
        told, kept = _answer_at_gate(url, ("a", "b"), number)

        assert ["REVISION_CONFLICT", "accepted"] == told, number
        assert [1, 2] == [each.revision for each in kept], number
        assert kept[1].key in ("a", "b"), number


def test_one_event_sent_twice_to_a_gate_is_one(url: str) -> None:
    """The second copy of an event gets the first answer and adds no record."""
    for number in range(ORDERS, 2 * ORDERS):
        told, kept = _answer_at_gate(url, ("a", "a"), number)

        assert ["accepted", "replayed"] == told, number
        assert ["", "a"] == [each.key for each in kept], number


def test_of_two_turns_at_once_one_is_kept_and_the_other_refused(url: str) -> None:
    """Of two turns for one revision one is kept, and the run replays without a difference."""
    for number in range(ORDERS):
        told, kept = _answer_on_run(url, ("a", "b"), number)

        assert ["REVISION_CONFLICT", "done"] == told, number
        assert [0] == [turn.number for turn in kept], number


def test_one_request_sent_twice_in_a_run_is_one_turn(url: str) -> None:
    """Both senders of one request get the answer that it is done, and one turn is kept."""
    for number in range(ORDERS, 2 * ORDERS):
        told, kept = _answer_on_run(url, ("a", "a"), number)

        assert (["done", "done"], 1) == (told, len(kept)), number


def test_a_gate_without_its_lock_is_found_out(url: str) -> None:
    """Without the run's lock, some order gives a caller the wrong answer."""
    free = patch.object(postgres_log, "LOCK_RUN", "SELECT :lock::bigint")
    with free, patch.object(postgres_log, "_release_lock", lambda *_: None):
        told = (_answer_at_gate(url, ("a", "a"), order)[0] for order in _MISTAKEN_ORDERS)

        assert any(["accepted", "replayed"] != each for each in told)


def test_an_unchecked_turn_number_is_found_out(url: str) -> None:
    """Without the check of the turn's number, some order has two turns for one revision."""
    checks = "h.count = :count AND h.seal = :before"
    assert checks in build_postgres_append(build_turn_tables("saniwa_"))
    told = set[tuple[str, ...]]()

    def build_blind(tables: SqlLogTables) -> str:
        # Without its checks, and replacing a turn that is already there.
        blind = build_postgres_append(tables).replace(
            checks, ":count >= 0 AND :before <> ''::bytea"
        )
        over = "ON CONFLICT (run_id, number) DO UPDATE SET seal = EXCLUDED.seal"
        return blind.replace("FROM moved", f"FROM moved {over}, turn = EXCLUDED.turn")

    with patch.object(sql_sealed_log, "build_postgres_append", build_blind):
        for order in _MISTAKEN_ORDERS:
            try:
                told.add(tuple(_answer_on_run(url, ("a", "b"), order)[0]))
            except (AssertionError, SaniwaError) as broken:
                told.add((type(broken).__name__,))
            if told - {("REVISION_CONFLICT", "done")}:
                break

    assert told - {("REVISION_CONFLICT", "done")}, told
