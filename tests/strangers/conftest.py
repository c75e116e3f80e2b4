"""Reports at the end of a run how much was compared."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

Tally = Callable[[str, int], None]
"""Counts something that was compared."""
_KEY = "compared"


@pytest.fixture
def tally(record_property: Callable[[str, object], None]) -> Tally:
    """Counts for the last line of the run, from any process."""
    return lambda what, count: record_property(_KEY, (what, count))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print what was compared, in one line."""
    total: Counter[str] = Counter()
    for report in terminalreporter.getreports("passed"):
        for key, value in report.user_properties:
            if key == _KEY and report.when == "call":
                total[value[0]] += value[1]
    if total:
        told = ", ".join(f"{count:,} {what}" for what, count in total.items())
        terminalreporter.write_line(f"compared with strangers: {told}")
