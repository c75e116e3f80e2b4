"""How a story grows: checking, telling and saving it, from 100 lines to 100,000."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.benchmark_run import BenchmarkRun
from benchmarks.row import GrowthTable, Measurements, format_duration
from benchmarks.stories import make_ring
from benchmarks.tell import check, walk_story
from benchmarks.timing import time_once

SIZES = (100, 1_000, 10_000, 100_000)


def measure(bench: BenchmarkRun) -> Measurements:
    """Stories of every length."""
    sizes = bench.choose_amount(SIZES, SIZES[:2])
    with TemporaryDirectory() as folder:
        lines = [_measure_story(bench, Path(folder), size) for size in sizes]
    return Measurements(rows=[], growth=[_make_growth_table(lines)])


def _measure_story(bench: BenchmarkRun, folder: Path, size: int) -> tuple[str, ...]:
    bench.say(f"a story of {size:,} lines")
    place = folder / f"story-{size}.md"
    place.write_text(make_ring(size).markdown, encoding="utf-8")
    spent = median(time_once(partial(check, place)) for _ in range(3))
    found = walk_story(place, bench.choose_amount(100_000, 20_000))
    return (
        f"{size:,}",
        format_duration(spent),
        format_duration(spent / size),
        format_duration(found["step_ms"]),
        format_duration(found["save_ms"] + found["restore_ms"]),
        f"{found['saved_bytes']:,} bytes",
        f"{found['peak_bytes'] / 1e6:.0f} MB",
    )


def _make_growth_table(lines: Sequence[tuple[str, ...]]) -> GrowthTable:
    return GrowthTable(
        title="One story of 100 to 100,000 lines",
        headings=(
            "lines",
            "check",
            "check, a line",
            "tell a line",
            "save and restore",
            "a save",
            "memory",
        ),
        lines=lines,
        note="Checking is the wall time of a fresh process; for a short story, most of it is the "
        "start of Python. Playing is CPU time; the longer a story, the more lines are played for "
        "the first time. Saved after 5,000 lines were played: in a longer story, more places "
        "were visited.",
    )
