"""The parts of `make bench`, in the order of the table, and what each of them answers."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, cast

from benchmarks.peer_questions import PeerRow

if TYPE_CHECKING:
    from benchmarks.benchmark_run import BenchmarkRun
    from benchmarks.row import Measurements


@dataclass(frozen=True, slots=True)
class BenchmarkPart:
    """One part, which can be measured alone."""

    name: str
    """What `--only` calls it; its module has `measure(bench)`."""
    answers: frozenset[PeerRow] = frozenset()
    """The rows of the table of peers that it answers."""

    def load_measure(self) -> "Callable[[BenchmarkRun], Measurements]":
        """What measures it. Late: most parts load much of Saniwa."""
        module = import_module(f"benchmarks.{self.name}")
        return cast("Callable[[BenchmarkRun], Measurements]", module.measure)


PARTS = (
    BenchmarkPart("decide", frozenset({PeerRow.ACTION, PeerRow.ADMISSIBLE})),
    BenchmarkPart("others", frozenset({PeerRow.ACTION_TOO})),
    BenchmarkPart("restore", frozenset({PeerRow.RESTORE})),
    BenchmarkPart("keep"),
    BenchmarkPart(
        "table", frozenset({PeerRow.TURN, PeerRow.CALLS, PeerRow.PROMPT, PeerRow.SAME_PROMPTS})
    ),
    BenchmarkPart("experiment", frozenset({PeerRow.SAMPLE})),
    BenchmarkPart("tell", frozenset({PeerRow.CHECK, PeerRow.STEPS, PeerRow.SAVE, PeerRow.MEMORY})),
    BenchmarkPart("gate", frozenset({PeerRow.DURABLE, PeerRow.IN_MEMORY})),
    BenchmarkPart("agent", frozenset({PeerRow.ITERATION})),
    BenchmarkPart("start", frozenset({PeerRow.COLD_START})),
    BenchmarkPart("packages", frozenset({PeerRow.PACKAGES})),
    BenchmarkPart("serving"),
    BenchmarkPart("large_worlds", frozenset({PeerRow.ACTION})),
    BenchmarkPart("long_runs", frozenset({PeerRow.TURN})),
    BenchmarkPart("long_gates"),
    BenchmarkPart("long_stories"),
    BenchmarkPart("many_runs"),
)
