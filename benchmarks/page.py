"""The result of one run, for people and for machines."""

from dataclasses import asdict, dataclass
from typing import Any

from benchmarks.row import GrowthTable, ResultRow, list_unanswered, render_table


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkResult:
    """Everything that was measured in one run."""

    date: str
    """The day it ended."""
    machine: dict[str, str]
    """The machine and the versions."""
    rows: list[ResultRow]
    """Saniwa's figures and its peers'."""
    growth: list[GrowthTable]
    """Ours as things grow."""
    absent: dict[str, str]
    """Peers that could not be had, and why."""
    whole: bool = True
    """Whether every part was measured."""

    @property
    def missed_rows(self) -> list[ResultRow]:
        """The rows whose mark was not met."""
        return [row for row in self.rows if row.met is False]

    def to_document(self) -> dict[str, Any]:
        """The result for machines."""
        return {
            "date": self.date,
            "machine": self.machine,
            "rows": [row.to_document() for row in self.rows],
            "growth": [asdict(each) for each in self.growth],
            "absent": self.absent,
        }

    def render_page(self) -> str:
        """The result for people."""
        parts = [
            "# Results",
            f"Measured on {self.date}, {self._by}.",
            "\n".join(f"- {name}: {value}" for name, value in self.machine.items()),
            *self._render_rows(),
            *self._render_growth(),
            "## Targets missed",
            _render_list([row.explain_miss() for row in self.missed_rows]),
        ]
        if self.absent:
            absent = [f"{name}: {why}" for name, why in self.absent.items()]
            parts += ["## Tools that could not be installed", _render_list(absent)]
        forgotten = list_unanswered(self.rows) if self.whole else []
        if forgotten:
            parts += ["## Not measured", _render_list(forgotten)]
        return "\n\n".join(parts) + "\n"

    @property
    def _by(self) -> str:
        return "by `make bench`, all in one run" if self.whole else "in part"

    def _render_rows(self) -> list[str]:
        return ["## Saniwa and other tools", render_table(self.rows)] if self.rows else []

    def _render_growth(self) -> list[str]:
        if not self.growth:
            return []
        return ["## Growth", *(each.render_markdown() for each in self.growth)]


def _render_list(lines: list[str]) -> str:
    return "\n".join(f"- {line}" for line in lines) or "None."
