"""`make bench-self`: has our own work become dearer? Counts instructions, not time."""

import argparse
import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor

from benchmarks.row import render_markdown
from benchmarks.self.comparison import DEARER, WorkComparison, accept, compare_counts, load_baseline
from benchmarks.self.instruction_count import CannotCountError, count_instructions
from benchmarks.self.workloads import COMMANDS, WORKS

NAMES = [*WORKS, *COMMANDS]
PYTHON = "{}.{}".format(*sys.version_info)


def main() -> int:
    """0 where nothing has become dearer, 1 where something has, 3 where nobody can tell."""
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
            f"nothing is known of Python {PYTHON}: "
            "`python -m benchmarks.self --update` takes these counts as good",
            file=sys.stderr,
        )
        return 3
    dearer = [each.name for each in found if each.dearer]
    for name in dearer:
        print(f"dearer than it may be: {name}", file=sys.stderr)
    return 1 if dearer else 0


def _parse_arguments() -> argparse.Namespace:
    reader = argparse.ArgumentParser(
        prog="benchmarks.self",
        description=__doc__,
        epilog=f"Work may cost {DEARER - 1:.0%} over what it cost when it was found good.",
    )
    reader.add_argument("--only", nargs="*", choices=NAMES, metavar="WORK")
    reader.add_argument("--json", action="store_true", help="for machines")
    reader.add_argument("--update", action="store_true", help="take the counts as good")
    return reader.parse_args()


def _count_all(names: list[str]) -> dict[str, int]:
    """Instructions of each, as many at once as there are cores."""
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
            "**dearer**" if each.dearer else "",
        )
        for each in found
    ]
    return render_markdown(("work", "instructions", "before", "ratio", ""), lines)


if __name__ == "__main__":
    sys.exit(main())
