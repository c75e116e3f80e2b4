"""The scenario contract's own words for a check: `ValidationResult` and its errors.

Inside, a check gives a `Report` of `Finding`s; this is the same under published names.
"""

from dataclasses import dataclass

from saniwa.core.errors import SchemaValidationError
from saniwa.scenario.inspect import error_of, inspect
from saniwa.scenario.load import Source, document_of, expected_name


@dataclass
class ValidationResult:
    """Whether a scenario can be used, and if not, everything that is wrong."""

    passed: bool
    """Whether there is no error."""
    errors: list[SchemaValidationError]
    """One for every mistake, in reading order."""

    @property
    def error_codes(self) -> list[str]:
        """The codes of the errors, in the same order."""
        return [e.code.value for e in self.errors]


def validate_scenario(
    source: Source, scenario_id: str | None = None
) -> ValidationResult:
    """Check a scenario whole; None is the built-in one.

    `scenario_id` is the id its name has to match; for an entry, the entry's own.

    Raises:
        SchemaValidationError: `SCENARIO_FILE_NOT_FOUND`, `SCENARIO_PATH_OUTSIDE`.
        DocumentError: the file is no JSON or YAML.
    """
    expected = scenario_id if scenario_id is not None else expected_name(source)
    report = inspect(document_of(source), expected).report
    errors = [error_of(finding, report) for finding in report.errors]
    return ValidationResult(passed=not errors, errors=errors)
