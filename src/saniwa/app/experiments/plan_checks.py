"""Collects everything that prevents a plan from running, before anything runs.

All mistakes are reported together, not only the first.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from saniwa.core.errors import ExperimentError, SaniwaError
from saniwa.core.findings import Finding, SourceLocation
from saniwa.core.text import quote_value
from saniwa.experiment.plan import ExperimentCell, ExperimentPlan, PreparedPlan, make_cell_key
from saniwa.experiment.run_template import RunTemplates


def find_unplayable(prepared: PreparedPlan) -> Iterator[str]:
    """Yield a sentence for each scenario that cannot be opened with its books."""
    templates = RunTemplates(prepared)
    for cell in _iterate_combinations(prepared.plan):
        try:
            templates.open_cell(cell)
        except SaniwaError as problem:
            yield f"the scenario {quote_value(cell.scenario)} of it: {problem.message}"


def _iterate_combinations(plan: ExperimentPlan) -> Iterator[ExperimentCell]:
    """Yield a cell for each scenario with each book in each language."""
    ways = {(each.rulebook, each.language): each for each in plan.conditions}
    for scenario in plan.scenarios:
        for condition in ways.values():
            seed = plan.seeds[0]
            key = make_cell_key(plan, condition, scenario, seed)
            yield ExperimentCell(
                number=0, key=key, condition=condition, scenario=scenario, seed=seed
            )


class PlanProblems:
    """Collects errors, and raises them together."""

    def __init__(self) -> None:
        self._met: list[tuple[SaniwaError, SourceLocation | None]] = []

    @contextmanager
    def collect(self, where: SourceLocation | None = None) -> Iterator[None]:
        """Collect an error and go on; `where` is the place in the plan that led to it."""
        try:
            yield
        except SaniwaError as problem:
            self._met.append((problem, where))

    def add(
        self, code: str, message: str, *, where: SourceLocation | None = None, hint: str = ""
    ) -> None:
        """Add a mistake in the plan itself."""
        problem = ExperimentError(code, message, where=where, hint=hint)
        self._met.append((problem, where))

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The collected errors as findings, without duplicates."""
        found: list[Finding] = []
        for each in self._met:
            finding = _to_finding(*each)
            if finding not in found:
                found.append(finding)
        return tuple(found)

    def check(self) -> None:
        """Raise if any error was collected.

        Raises:
            SaniwaError: The only error; of several the first, with all of them in
                `details["findings"]`.
        """
        if not self._met:
            return
        first, _ = self._met[0]
        if len(self._met) == 1:
            raise first
        more = len(self._met) - 1
        raise ExperimentError(
            first.code,
            f"{first.message} (and {more} more mistake{'s' * (more > 1)})",
            where=first.where,
            hint=first.hint,
            details={"findings": [each.to_document() for each in self.findings]},
        )


def _to_finding(problem: SaniwaError, where: SourceLocation | None) -> Finding:
    """Convert an error to a finding at its place in the plan, if the plan is a file."""
    place = where if where is not None and where.line else problem.where
    return Finding(
        code=str(problem.code),
        message=problem.message,
        where=place or SourceLocation(),
        hint=problem.hint,
    )
