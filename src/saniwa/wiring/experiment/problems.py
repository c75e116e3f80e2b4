"""Everything that keeps a plan from being carried out, collected before anything runs."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from saniwa.core.errors import ExperimentError, SaniwaError
from saniwa.core.finding import Finding
from saniwa.core.where import Where


class Problems:
    """What was met so far; raised together."""

    def __init__(self) -> None:
        self._met: list[SaniwaError] = []

    @contextmanager
    def collected(self, where: Where | None = None) -> Iterator[None]:
        """Go on after an error; `where` is the place in the plan that led to it."""
        try:
            yield
        except SaniwaError as problem:
            if where is not None and where.line:
                problem.details = {**problem.details, "named_at": str(where)}
            self._met.append(problem)

    def add(
        self, code: str, message: str, *, where: Where | None = None, hint: str = ""
    ) -> None:
        """Note a mistake of the plan's own."""
        self._met.append(ExperimentError(code, message, where=where, hint=hint))

    def check(self) -> None:
        """Go on if nothing was met.

        Raises:
            SaniwaError: What was met; of several the first, with all in
                `details["findings"]`.
        """
        if not self._met:
            return
        first = self._met[0]
        if len(self._met) == 1:
            raise first
        more = len(self._met) - 1
        raise ExperimentError(
            first.code,
            f"{first.message} (and {more} more mistake{'s' * (more > 1)})",
            where=first.where,
            hint=first.hint,
            details={"findings": [_told(problem) for problem in self._met]},
        )


def _told(problem: SaniwaError) -> dict[str, Any]:
    return Finding(
        code=str(problem.code),
        message=problem.message,
        where=problem.where or Where(),
        hint=problem.hint,
    ).as_document()
