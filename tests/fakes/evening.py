"""An evening with agents in a process of its own: `python -m tests.fakes.evening STORE RUN`.

Says a word on standard output for every turn it sees kept, until it is over or killed.
"""

import asyncio
import sys

from saniwa.app.agents import make_journal_opener
from saniwa.app.store import open_store
from saniwa.core.clock import FixedClock
from saniwa.runs.start import resume_run
from saniwa.turn.record import Turn
from tests.fakes.company import company_of, play_on


def main(place: str, run_id: str) -> None:
    """Play on until the evening is over."""
    store = open_store(place)
    run = resume_run(run_id, store, clock=FixedClock())
    kept = store.append

    async def told(run_id: str, turn: Turn) -> None:
        await kept(run_id, turn)
        print(turn.number, flush=True)  # noqa: T201 - who started us listens

    store.append = told  # type: ignore[method-assign]
    asyncio.run(play_on(company_of(run, journals=make_journal_opener(place, run_id))))
    store.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
