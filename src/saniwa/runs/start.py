"""Begin a new run, or resume a stored one."""

from collections.abc import Mapping, Sequence
from typing import Any

from saniwa.core.clock import Clock, SystemClock
from saniwa.core.ids import Ids, TimeOrderedIds
from saniwa.rulebook.loader import build_rulebook
from saniwa.runs.ports import Listener, Narrator, RunStore
from saniwa.runs.run import Run
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
    listener: Listener | None = None,
    narrator: Narrator | None = None,
    ids: Ids | None = None,
    clock: Clock | None = None,
) -> Run:
    """Begin a run of the scenario under these rulebook layers, lowest first.

    The run is stored at once, with the complete scenario and rulebooks: files edited
    later change nothing in it. `run_id` is an id reserved for it; empty for a new one.

    Raises:
        RunError: `ACTOR_UNKNOWN`, `LANGUAGE_UNKNOWN`.
        RulebookError: The layers make no valid rulebook.
        StoreError: The run could not be stored; `RUN_EXISTS` if its id is taken.
    """
    ids, clock = ids or TimeOrderedIds(), clock or SystemClock()
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
    return resume_run(
        record.run_id, store, listener=listener, narrator=narrator, ids=ids, clock=clock
    )


def resume_run(
    run_id: str,
    store: RunStore,
    *,
    listener: Listener | None = None,
    narrator: Narrator | None = None,
    ids: Ids | None = None,
    clock: Clock | None = None,
) -> Run:
    """Open a stored run in the state after its last turn.

    Raises:
        RunError: `RUN_DIVERGED` if a stored turn no longer leads to its recorded world.
        StoreError: `RUN_NOT_FOUND`, `TRACE_CORRUPT`.
    """
    record = store.load_record(run_id)
    return Run(record, store, listener=listener, narrator=narrator, ids=ids, clock=clock)
