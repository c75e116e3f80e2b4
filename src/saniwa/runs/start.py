"""Begin a new run, or resume a stored one."""

from collections.abc import Mapping, Sequence
from typing import Any, Unpack

from saniwa.core.clock import SystemClock
from saniwa.core.ids import TimeOrderedIds
from saniwa.rulebook.loader import build_rulebook
from saniwa.runs.ports import RunStore
from saniwa.runs.run import Run, RunPorts
from saniwa.runs.timeline import make_run_record
from saniwa.scenario.loader import Scenario


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
