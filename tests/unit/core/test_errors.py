import inspect
import re

from saniwa.core import errors
from saniwa.core.errors import SaniwaError, SchemaValidationError, ValidationErrorCode
from saniwa.core.findings import SourceLocation


def test_the_tree_in_the_docstring_is_the_family() -> None:
    """The module docstring draws exactly the classes of the error family."""
    drawn = set(re.findall(r"\b(\w+Error)\b", errors.__doc__ or ""))
    classes = {
        name
        for name, cls in inspect.getmembers(errors, inspect.isclass)
        if issubclass(cls, SaniwaError)
    }

    assert classes == drawn


def test_an_error_says_what_where_and_what_to_do() -> None:
    """The printed form has three parts, each on its own line."""
    where = SourceLocation(file="a.yaml", line=3, column=7, path="locations.庭")
    error = SaniwaError("SOME_CODE", "exit 'x' leads nowhere", where=where, hint="add 'x'")

    expected = "[SOME_CODE] exit 'x' leads nowhere\n  at a.yaml:3:7 (locations.庭)\n  hint: add 'x'"
    assert expected == str(error)


def test_machines_get_the_same_fields() -> None:
    """The JSON form has the same six fields for every error."""
    document = SaniwaError("SOME_CODE", "no", recoverable=True, details={"n": 1}).to_document()

    assert {
        "code": "SOME_CODE",
        "message": "no",
        "where": "",
        "hint": "",
        "recoverable": True,
        "details": {"n": 1},
    } == document


def test_the_scenario_contract_prints_its_code_in_brackets() -> None:
    """The published text of a scenario error starts with its code."""
    code = ValidationErrorCode.EXIT_TARGET_MISSING
    message = "Exit target '寝室' from 'キッチン' does not exist"
    error = SchemaValidationError(code, message)

    assert f"[EXIT_TARGET_MISSING] {message}" == str(error)
    assert "EXIT_TARGET_MISSING" == error.code.value


def test_one_of_the_eight_codes_is_always_its_enum() -> None:
    """A scenario error always has its code as an enum, however it was made."""
    error = SchemaValidationError("REGISTRY_MISSING", "no")

    assert ValidationErrorCode.REGISTRY_MISSING is error.code
    assert "UNKNOWN_KEY" == SchemaValidationError("UNKNOWN_KEY", "no").code
