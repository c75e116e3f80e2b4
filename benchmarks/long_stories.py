"""How a story grows: checking, telling and saving it, from 100 lines to 100,000."""

from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.bench import Bench
from benchmarks.row import Found, Growth, duration
from benchmarks.stories import ring
from benchmarks.tell import check, walked
from benchmarks.timing import once_ms

SIZES = (100, 1_000, 10_000, 100_000)


def measured(bench: Bench) -> Found:
    """Stories of every length."""
    sizes = bench.amount(SIZES, SIZES[:2])
    with TemporaryDirectory() as folder:
        lines = [_measured(bench, Path(folder), size) for size in sizes]
    return Found(rows=[], growth=[_table(lines)])


def _measured(bench: Bench, folder: Path, size: int) -> tuple[str, ...]:
    bench.say(f"a story of {size:,} lines")
    place = folder / f"story-{size}.md"
    place.write_text(ring(size).markdown, encoding="utf-8")
    spent = median(once_ms(partial(check, place)) for _ in range(3))
    found = walked(place, bench.amount(100_000, 20_000))
    return (
        f"{size:,}",
        duration(spent),
        duration(spent / size),
        duration(found["step_ms"]),
        duration(found["save_ms"] + found["restore_ms"]),
        f"{found['saved_bytes']:,} bytes",
        f"{found['peak_bytes'] / 1e6:.0f} MB",
    )


def _table(lines: list[tuple[str, ...]]) -> Growth:
    return Growth(
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
        note="Checking is a fresh process on the wall, most of it Python's own start where "
        "the story is short. Telling is CPU time; the longer a story, the more of it is told "
        "for the first time, and is worked out then. Saved after 5,000 lines told: a longer "
        "story has more places to have been to.",
    )
