"""A process that plays an evening with agents.

Run as `python -m tests.fakes.table_process STORE RUN`; prints the number of every turn that
is kept, until the evening is over or the process is killed.
"""

import asyncio
import sys

from saniwa.app.agent_journals import make_journal_opener
from saniwa.app.run_stores import open_store
from saniwa.core.clock import FixedClock
from saniwa.runs.run_factory import resume_run
from saniwa.turn.record import Turn
from tests.fakes.scripted_cast import make_cast, play_on


def main(place: str, run_id: str) -> None:
    """Play until the evening is over."""
    store = open_store(place)
    run = resume_run(run_id, store, clock=FixedClock())
    kept = store.append

    async def keep_and_print(run_id: str, turn: Turn) -> None:
        await kept(run_id, turn)
        print(turn.number, flush=True)  # noqa: T201 - read by the parent process

    store.append = keep_and_print  # type: ignore[method-assign]
    asyncio.run(play_on(make_cast(run, journals=make_journal_opener(place, run_id))))
    store.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
