"""The result of one run, for people and for machines."""

from dataclasses import asdict, dataclass
from typing import Any

from benchmarks.row import Growth, Row, table, unanswered


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """Everything that was measured in one run."""

    date: str
    """The day it ended."""
    machine: dict[str, str]
    """The machine and the versions."""
    rows: list[Row]
    """Ours beside others'."""
    growth: list[Growth]
    """Ours as things grow."""
    absent: dict[str, str]
    """Peers that could not be had, and why."""
    whole: bool = True
    """Whether every part was measured."""

    @property
    def missed(self) -> list[Row]:
        """The rows whose mark was not met."""
        return [row for row in self.rows if row.met is False]

    def as_document(self) -> dict[str, Any]:
        """The result for machines."""
        return {
            "date": self.date,
            "machine": self.machine,
            "rows": [row.as_document() for row in self.rows],
            "growth": [asdict(each) for each in self.growth],
            "absent": self.absent,
        }

    def as_page(self) -> str:
        """The result for people."""
        parts = [
            "# Results",
            f"Measured on {self.date}, {self._by}.",
            "\n".join(f"- {name}: {value}" for name, value in self.machine.items()),
            *self._beside_others(),
            *self._grown(),
            "## Marks missed",
            _listed([row.missed() for row in self.missed]),
        ]
        if self.absent:
            absent = [f"{name}: {why}" for name, why in self.absent.items()]
            parts += ["## Peers that could not be had", _listed(absent)]
        forgotten = unanswered(self.rows) if self.whole else []
        if forgotten:
            parts += ["## Asked and not answered", _listed(forgotten)]
        return "\n\n".join(parts) + "\n"

    @property
    def _by(self) -> str:
        return "by `make bench`, all in one run" if self.whole else "in part"

    def _beside_others(self) -> list[str]:
        return ["## Ours and theirs", table(self.rows)] if self.rows else []

    def _grown(self) -> list[str]:
        if not self.growth:
            return []
        return ["## As things grow", *(each.as_markdown() for each in self.growth)]


def _listed(lines: list[str]) -> str:
    return "\n".join(f"- {line}" for line in lines) or "None."
