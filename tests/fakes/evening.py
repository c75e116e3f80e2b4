"""An evening with agents in a process of its own: `python -m tests.fakes.evening STORE RUN`.

Says a word on standard output for every turn it sees kept, until it is over or killed.
"""

import asyncio
import sys

from saniwa.core.clock import FixedClock
from saniwa.run.begin import resume
from saniwa.turn.trace import Turn
from saniwa.wiring import open_store
from saniwa.wiring.journals import journals_beside
from tests.fakes.company import company_of, play_on


def main(place: str, run_id: str) -> None:
    """Play on until the evening is over."""
    store = open_store(place)
    run = resume(run_id, store, clock=FixedClock())
    kept = store.append

    def told(run_id: str, turn: Turn) -> None:
        kept(run_id, turn)
        print(turn.number, flush=True)  # noqa: T201 - who started us listens

    store.append = told  # type: ignore[method-assign]
    asyncio.run(play_on(company_of(run, journals=journals_beside(place, run_id))))
    store.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
