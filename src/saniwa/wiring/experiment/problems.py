"""Everything that keeps a plan from being carried out, collected before anything runs."""

from collections.abc import Iterator
from contextlib import contextmanager

from saniwa.core.errors import ExperimentError, SaniwaError
from saniwa.core.finding import Finding
from saniwa.core.where import Where


class Problems:
    """What was met so far; raised together."""

    def __init__(self) -> None:
        self._met: list[tuple[SaniwaError, Where | None]] = []

    @contextmanager
    def collected(self, where: Where | None = None) -> Iterator[None]:
        """Go on after an error; `where` is the place in the plan that led to it."""
        try:
            yield
        except SaniwaError as problem:
            self._met.append((problem, where))

    def add(
        self, code: str, message: str, *, where: Where | None = None, hint: str = ""
    ) -> None:
        """Note a mistake of the plan's own."""
        problem = ExperimentError(code, message, where=where, hint=hint)
        self._met.append((problem, where))

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was met, each thing once."""
        found: list[Finding] = []
        for each in self._met:
            told = _told(*each)
            if told not in found:
                found.append(told)
        return tuple(found)

    def check(self) -> None:
        """Go on if nothing was met.

        Raises:
            SaniwaError: What was met; of several the first, with all in
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
            details={"findings": [each.as_document() for each in self.findings]},
        )


def _told(problem: SaniwaError, where: Where | None) -> Finding:
    """The error as a finding: at its place in the plan, where the plan is a file."""
    place = where if where is not None and where.line else problem.where
    return Finding(
        code=str(problem.code),
        message=problem.message,
        where=place or Where(),
        hint=problem.hint,
    )
