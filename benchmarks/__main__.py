"""`make bench`: measure ours beside the peers, print one table, keep it in RESULTS.md."""

import argparse
import datetime
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks import machine
from benchmarks.bench import Bench
from benchmarks.page import Result
from benchmarks.parts import PARTS, Part
from benchmarks.peers import ours
from benchmarks.row import Growth, Row
from saniwa.core.atomic_files import write_atomically

RESULTS = Path(__file__).with_name("RESULTS.md")
STOPPED = 130
"""What a program ends with that was interrupted."""


def measured(parts: Sequence[Part], *, quick: bool) -> Result:
    """One run over these parts."""
    bench, began = Bench(machine.described(), quick=quick), machine.load()
    rows, growth = list[Row](), list[Growth]()
    for number, part in enumerate(parts, start=1):
        bench.say(f"part {number} of {len(parts)}: {part.name}")
        found = part.opened()(bench)
        answered = {row.asks for row in found.rows}
        owed = part.answers - answered if ours.NAME not in bench.absent else ()
        assert not owed, f"{part.name} owes {owed}"
        rows += found.rows
        growth += found.growth
    bench.facts["load"] = f"{began} when it began, {machine.load()} when it ended"
    today = datetime.date.today().isoformat()  # noqa: DTZ011 - a date for people
    return Result(
        date=today,
        machine=bench.facts,
        rows=rows,
        growth=growth,
        absent=bench.absent,
        whole=len(parts) == len(PARTS),
    )


def main() -> int:
    """Measure and print. A missed mark is shown, not failed: a timing is no test."""
    wanted = _wanted()
    parts = [part for part in PARTS if wanted.only in (None, part.name)]
    try:
        result = measured(parts, quick=wanted.quick)
    except KeyboardInterrupt:
        print("stopped; RESULTS.md is as it was", file=sys.stderr)
        return STOPPED
    if wanted.json:
        print(json.dumps(result.as_document(), indent=2, ensure_ascii=False))
    else:
        print(result.as_page(), end="")
    if lasts(quick=wanted.quick, only=wanted.only):
        write_atomically(RESULTS.parent, RESULTS.name, result.as_page().encode())
    return 0


def lasts(*, quick: bool, only: str | None) -> bool:
    """Whether a run is worth keeping: whole, and in full."""
    return not quick and only is None


def _wanted() -> argparse.Namespace:
    reader = argparse.ArgumentParser(prog="benchmarks", description=__doc__)
    reader.add_argument("--json", action="store_true", help="print JSON")
    reader.add_argument(
        "--quick", action="store_true", help="fewer rounds; RESULTS.md stays as it is"
    )
    reader.add_argument(
        "--only",
        metavar="PART",
        choices=[part.name for part in PARTS],
        help="measure one part; RESULTS.md stays as it is. Parts: %(choices)s",
    )
    return reader.parse_args()


if __name__ == "__main__":
    sys.exit(main())
