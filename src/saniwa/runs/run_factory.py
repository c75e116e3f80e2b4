"""Begin a new run with its record, or resume a stored one."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.metadata import version
from typing import Any, Unpack

from saniwa.core.clock import SystemClock
from saniwa.core.errors import RunError
from saniwa.core.ids import TimeOrderedIds
from saniwa.rulebook.loader import build_rulebook
from saniwa.runs import describe
from saniwa.runs.ports import RunStore
from saniwa.runs.run import Run, RunPorts
from saniwa.runs.seat_order import find_player_character
from saniwa.runs.timeline import LANGUAGES
from saniwa.scenario.loader import Scenario
from saniwa.store.run_records import RunRecord

_read_version = lru_cache(version)


def open_run(
    scenario: Scenario,
    books: Sequence[Mapping[str, Any]],
    store: RunStore,
    *,
    actor: str | None = None,
    language: str | None = None,
    seed: int = 0,
    run_id: str = "",
    **ports: Unpack[RunPorts],
) -> Run:
    """Begin a run of the scenario under these rulebook layers, lowest first.

    The run is stored at once, with the complete scenario and rulebooks: files edited
    later change nothing in it. `run_id` is an id reserved for it; empty for a new one.

    Raises:
        RunError: `ACTOR_UNKNOWN`, `LANGUAGE_UNKNOWN`.
        RulebookError: The layers make no valid rulebook.
        StoreError: The run could not be stored; `RUN_EXISTS` if its id is taken.
    """
    ids = ports.get("ids") or TimeOrderedIds()
    clock = ports.get("clock") or SystemClock()
    record = make_run_record(
        scenario,
        books,
        run_id=run_id or ids.create_id("run"),
        created=clock.now(),
        actor=actor,
        language=language,
        seed=seed,
    )
    build_rulebook(record.books)
    store.create(record)
    return resume_run(record.run_id, store, **ports)


def resume_run(run_id: str, store: RunStore, **ports: Unpack[RunPorts]) -> Run:
    """Open a stored run in the state after its last turn.

    Raises:
        RunError: `RUN_DIVERGED` if a stored turn no longer leads to its recorded world.
        StoreError: `RUN_NOT_FOUND`, `TRACE_CORRUPT`.
    """
    return Run(store.load_record(run_id), store, **ports)


def make_run_record(
    scenario: Scenario,
    books: Sequence[Mapping[str, Any]],
    *,
    run_id: str,
    created: int,
    actor: str | None = None,
    language: str | None = None,
    seed: int = 0,
) -> RunRecord:
    """Make the record of a new run: everything needed to play it again from nothing.

    Raises:
        RunError: `ACTOR_UNKNOWN`, `LANGUAGE_UNKNOWN`.
    """
    return RunRecord(
        run_id=run_id,
        scenario_id=scenario.id,
        scenario=scenario.document,
        scenario_hash=scenario.scenario_hash,
        world_hash=scenario.world_hash,
        books=tuple(dict(layer) for layer in books),
        actor_id=find_player_character(scenario.world, actor),
        language=_check_language(language or scenario.world.language),
        seed=seed,
        created=created,
        version=_read_version("saniwa"),
    )


def _check_language(named: str) -> str:
    if named not in LANGUAGES:
        names = ", ".join(LANGUAGES)
        raise describe("LANGUAGE_UNKNOWN", language=named, names=names).to_error(RunError)
    return named
