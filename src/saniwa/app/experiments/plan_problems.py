"""Collects the mistakes of a plan, so that all of them are reported together."""

from collections.abc import Iterator
from contextlib import contextmanager

from saniwa.core.errors import ExperimentError, SaniwaError
from saniwa.core.findings import Finding, SourceLocation
from saniwa.core.messages import Message


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

    def add(self, said: Message, where: SourceLocation | None = None) -> None:
        """Add a mistake in the plan itself."""
        self._met.append((said.to_error(ExperimentError, where=where), where))

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
            f"{first.message} (and {more} more error{'s' * (more > 1)})",
            where=first.where,
            hint=first.hint,
            details={"findings": [each.to_document() for each in self.findings]},
        )


def _to_finding(problem: SaniwaError, where: SourceLocation | None) -> Finding:
    """Convert an error to a finding at its place in the plan, if the plan is a file."""
    return problem.to_finding(where if where is not None and where.line else None)
