"""How a run is begun, and how one that was kept is taken up again."""

from collections.abc import Mapping, Sequence
from typing import Any

from saniwa.core.clock import Clock, SystemClock
from saniwa.core.ids import Ids, TimeOrderedIds
from saniwa.rulebook.load import book_from_layers
from saniwa.run.conductor import Run
from saniwa.run.opening import opening_record
from saniwa.run.ports import Listener, Narrator, Store
from saniwa.scenario.load import Scenario


def open_run(
    scenario: Scenario,
    books: Sequence[Mapping[str, Any]],
    store: Store,
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
    """A new run of the scenario under these layers of books, lowest first; kept at once.

    The run keeps scenario and books whole: files edited later change nothing in it.
    `run_id` is a name that was given out for it; empty for a fresh one.

    Raises:
        RunError: `ACTOR_UNKNOWN`, `LANGUAGE_UNKNOWN`.
        RulebookError: The layers make no book.
        StoreError: The run could not be kept; `RUN_EXISTS` if its name is taken.
    """
    ids, clock = ids or TimeOrderedIds(), clock or SystemClock()
    record = opening_record(
        scenario,
        books,
        run_id=run_id or ids.fresh("run"),
        created=clock.now(),
        actor=actor,
        language=language,
        seed=seed,
    )
    book_from_layers(record.books)
    store.create(record)
    return resume(
        record.run_id,
        store,
        listener=listener,
        narrator=narrator,
        ids=ids,
        clock=clock,
    )


def resume(
    run_id: str,
    store: Store,
    *,
    listener: Listener | None = None,
    narrator: Narrator | None = None,
    ids: Ids | None = None,
    clock: Clock | None = None,
) -> Run:
    """A kept run, standing where its last turn left it.

    Raises:
        RunError: `RUN_DIVERGED` if a kept turn no longer leads where it led.
        StoreError: `RUN_NOT_FOUND`, `TRACE_CORRUPT`.
    """
    record = store.record(run_id)
    return Run(
        record, store, listener=listener, narrator=narrator, ids=ids, clock=clock
    )
