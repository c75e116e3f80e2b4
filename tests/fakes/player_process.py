"""A process that plays until killed and prints a line for every turn that is kept.

Run as `python -m tests.fakes.player_process STORE RUN WHO`; prints `kept NUMBER` for each
turn of its own. After a conflict it reads the new turns and tries again.
"""

import asyncio
import sys

from saniwa.app.run_stores import open_store
from saniwa.core.errors import StoreError
from saniwa.runs.run import Run
from saniwa.runs.run_factory import resume_run

ROUND = ("shed", "yard")


async def _play(run: Run, who: str) -> None:
    while True:
        place = ROUND[run.count % 2]
        action = {"type": "move", "actorId": who, "targetId": place}
        try:
            turn, _ = await run.act(action)
        except StoreError as problem:
            if not problem.recoverable:
                raise
            continue
        sys.stdout.write(f"kept {turn.number} {turn.id}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    place, run_id, who = sys.argv[1:]
    asyncio.run(_play(resume_run(run_id, open_store(place)), who))
