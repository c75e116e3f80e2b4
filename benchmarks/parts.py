"""The parts of `make bench`, in the order of the table, and what each of them answers."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, cast

from benchmarks.asked import Asked

if TYPE_CHECKING:
    from benchmarks.bench import Bench
    from benchmarks.row import Found


@dataclass(frozen=True, slots=True)
class Part:
    """One part, which can be measured alone."""

    name: str
    """What `--only` calls it; its module has `measured(bench)`."""
    answers: frozenset[Asked] = frozenset()
    """The rows of the table of peers that it answers."""

    def opened(self) -> "Callable[[Bench], Found]":
        """What measures it. Late: most parts load much of Saniwa."""
        module = import_module(f"benchmarks.{self.name}")
        return cast("Callable[[Bench], Found]", module.measured)


PARTS = (
    Part("decide", frozenset({Asked.ACTION, Asked.ADMISSIBLE})),
    Part("others", frozenset({Asked.ACTION_TOO})),
    Part("restore", frozenset({Asked.RESTORE})),
    Part("keep"),
    Part("table", frozenset({Asked.TURN, Asked.CALLS, Asked.PROMPT, Asked.SAME_PROMPTS})),
    Part("experiment", frozenset({Asked.SAMPLE})),
    Part("tell", frozenset({Asked.CHECK, Asked.STEPS, Asked.SAVE, Asked.MEMORY})),
    Part("gate", frozenset({Asked.DURABLE, Asked.IN_MEMORY})),
    Part("agent", frozenset({Asked.ITERATION})),
    Part("start", frozenset({Asked.COLD_START})),
    Part("packages", frozenset({Asked.PACKAGES})),
    Part("serving"),
    Part("large_worlds", frozenset({Asked.ACTION})),
    Part("long_runs", frozenset({Asked.TURN})),
    Part("long_gates"),
    Part("long_stories"),
    Part("many_runs"),
)
