"""`make bench-self`: does Saniwa need more instructions than before? Time is not measured."""

import argparse
import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor

from benchmarks.row import render_markdown
from benchmarks.self.comparison import (
    HIGHEST_RATIO,
    WorkComparison,
    accept,
    compare_counts,
    load_baseline,
)
from benchmarks.self.instruction_count import CannotCountError, count_instructions
from benchmarks.self.workloads import COMMANDS, WORKS

NAMES = [*WORKS, *COMMANDS]
PYTHON = "{}.{}".format(*sys.version_info)


def main() -> int:
    """Return 0, 1 if some work needs too many instructions, or 3 without counts or baseline."""
    asked = _parse_arguments()
    try:
        now = _count_all(asked.only or NAMES)
    except CannotCountError as problem:
        print(problem, file=sys.stderr)
        return 3
    if asked.update:
        accept(PYTHON, now)
    before = load_baseline(PYTHON)
    found = compare_counts(now, before or {})
    print(json.dumps([each._asdict() for each in found]) if asked.json else _render_table(found))
    if before is None:
        print(
            f"no baseline for Python {PYTHON}: "
            "`python -m benchmarks.self --update` saves these counts as the baseline",
            file=sys.stderr,
        )
        return 3
    regressions = [each.name for each in found if each.is_regression]
    for name in regressions:
        print(f"needs too many instructions: {name}", file=sys.stderr)
    return 1 if regressions else 0


def _parse_arguments() -> argparse.Namespace:
    reader = argparse.ArgumentParser(
        prog="benchmarks.self",
        description=__doc__,
        epilog=f"Work may need {HIGHEST_RATIO - 1:.0%} more instructions than its baseline.",
    )
    reader.add_argument("--only", nargs="*", choices=NAMES, metavar="WORK")
    reader.add_argument("--json", action="store_true", help="print JSON")
    reader.add_argument("--update", action="store_true", help="save the counts as the new baseline")
    return reader.parse_args()


def _count_all(names: list[str]) -> dict[str, int]:
    """Count the instructions of each, with one process per core."""
    with ThreadPoolExecutor(os.cpu_count()) as crew:
        found = {}
        for name, count in zip(names, crew.map(count_instructions, names), strict=True):
            print(f"{name}: {count:,}", file=sys.stderr)
            found[name] = count
    return found


def _render_table(found: list[WorkComparison]) -> str:
    lines = [
        (
            each.name,
            f"{each.now:,}",
            "new" if each.before is None else f"{each.before:,}",
            "—" if each.ratio is None else f"{each.ratio:.3f}",
            "**too many**" if each.is_regression else "",
        )
        for each in found
    ]
    return render_markdown(("work", "instructions", "before", "ratio", ""), lines)


if __name__ == "__main__":
    sys.exit(main())
