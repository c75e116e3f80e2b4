"""`make bench`: measure Saniwa and its peers, print one table, write it to RESULTS.md."""

import argparse
import datetime
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks import machine
from benchmarks.benchmark_run import BenchmarkRun
from benchmarks.page import BenchmarkResult
from benchmarks.parts import PARTS, BenchmarkPart
from benchmarks.peers import saniwa_environment
from benchmarks.row import GrowthTable, ResultRow
from saniwa.core.atomic_files import write_atomically

RESULTS = Path(__file__).with_name("RESULTS.md")
STOPPED = 130
"""What a program ends with that was interrupted."""


def measure_parts(parts: Sequence[BenchmarkPart], *, quick: bool) -> BenchmarkResult:
    """One run over these parts."""
    bench, began = BenchmarkRun(machine.describe_machine(), quick=quick), machine.load()
    rows, growth = list[ResultRow](), list[GrowthTable]()
    for number, part in enumerate(parts, start=1):
        bench.say(f"part {number} of {len(parts)}: {part.name}")
        found = part.load_measure()(bench)
        answered = {row.asks for row in found.rows}
        owed = part.answers - answered if saniwa_environment.NAME not in bench.absent else ()
        assert not owed, f"{part.name} owes {owed}"
        rows += found.rows
        growth += found.growth
    bench.facts["load"] = f"{began} when it began, {machine.load()} when it ended"
    today = datetime.date.today().isoformat()  # noqa: DTZ011 - a date for people
    return BenchmarkResult(
        date=today,
        machine=bench.facts,
        rows=rows,
        growth=growth,
        absent=bench.absent,
        whole=len(parts) == len(PARTS),
    )


def main() -> int:
    """Measure and print. A missed mark is shown, not failed: a timing is no test."""
    wanted = _parse_arguments()
    parts = [part for part in PARTS if wanted.only in (None, part.name)]
    try:
        result = measure_parts(parts, quick=wanted.quick)
    except KeyboardInterrupt:
        print("stopped; RESULTS.md is as it was", file=sys.stderr)
        return STOPPED
    if wanted.json:
        print(json.dumps(result.to_document(), indent=2, ensure_ascii=False))
    else:
        print(result.render_page(), end="")
    if is_worth_keeping(quick=wanted.quick, only=wanted.only):
        write_atomically(RESULTS.parent, RESULTS.name, result.render_page().encode())
    return 0


def is_worth_keeping(*, quick: bool, only: str | None) -> bool:
    """Whether a run is worth keeping: whole, and in full."""
    return not quick and only is None


def _parse_arguments() -> argparse.Namespace:
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
